package shell

var dataFamily = family{title: "Archives, downloads and converters", about: "Commands that pack, fetch, send, convert or encrypt.", rows: []form{
	// Archives and downloads.
	{words: "tar|gtar|bsdtar", short: tarLetters, long: "file directory use-compress-program to-command " +
		"checkpoint-action exclude exclude-from files-from transform strip-components format mode mtime owner group " +
		"new-volume-script info-script rsh-command", runs: "I use-compress-program to-command F info-script " +
		"new-volume-script rsh-command", effect: addTar},
	{words: "zip", short: "btniPxO", operands: "w", when: "m move", then: "wd*"},
	{words: "unzip", short: "dxP", into: "d", unless: "l p t v Z c z"},
	{words: "7z|7za|7zz|unrar", forms: []form{
		{words: "x|e", short: "o", into: "o"},
		{words: "a|u|d|rn", operands: "w"}}},
	{words: "cpio", short: "EFHIORM", long: "format file", when: "i extract p pass-through", then: ".",
		unless: "t list"},
	{words: "ar|jar", effect: addLettered},
	{words: "gzip|gunzip|bzip2|bunzip2|xz|unxz|lzma|zstd|unzstd|pigz|lz4", short: "SboTLMD",
		long: "suffix stdout-name output output-dir-flat", effect: addCompressed},
	{words: "curl", short: "oHdFuAebcTXxmKwrDEyYzUtQC", long: "output header data data-raw data-binary " +
		"data-urlencode form user user-agent referer cookie cookie-jar upload-file request proxy max-time " +
		"connect-timeout config write-out range dump-header cert key cacert url output-dir retry retry-delay json " +
		"resolve trace trace-ascii stderr limit-rate hsts etag-save etag-compare", writes: "o output c cookie-jar D " +
		"dump-header trace trace-ascii stderr etag-save hsts", effect: addCurl},
	{words: "wget", short: "OPoaitTUwQeDIRAXl", long: "output-document directory-prefix output-file append-output " +
		"input-file tries timeout user-agent header post-data post-file user password execute load-cookies " +
		"save-cookies", writes: "o a output-file append-output save-cookies", effect: addWget},
	{words: "aria2c|yt-dlp", short: "odP", long: "out dir output paths", into: "o d P out dir output"},
}}
