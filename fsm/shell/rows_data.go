package shell

var dataFamily = family{
	title: "Archives, downloads, converters, keys",
	about: "Commands that pack, fetch, send, convert or encrypt.",
	rows: []form{
		// Archives.
		{words: "tar|bsdtar", short: tarLetters, long: "file directory use-compress-program to-command " +
			"checkpoint-action exclude exclude-from files-from transform strip-components format mode mtime owner " +
			"group new-volume-script info-script rsh-command rmt-command index-file listed-incremental volno-file",
			reads: "T files-from X exclude-from", writes: "g listed-incremental volno-file index-file",
			runs:   "I use-compress-program to-command F info-script new-volume-script rsh-command rmt-command",
			effect: addTar, shows: showsOnly},
		{words: "zip", short: "btniPxO", operands: "wr*", when: "m move", then: "wd*", opaque: "TT unzip-command",
			writes: "O output-file", unless: "sf show-files"},
		{words: "unzip", short: "dxP", into: "d", operands: "r", unless: "l p t v Z c z"},
		{words: "funzip|zcmp|zdiff|lsar", operands: "r*", shows: showsAlways},
		{words: "7z|7za|7zz|7zr", forms: []form{
			{words: "x|e", short: "o", into: "o", operands: "r"},
			{words: "a|u", operands: "wr*", when: "sdel", then: "wd*", effect: addPlainArchive},
			{words: "d|rn", operands: "w"},
			{words: "l|t|i|h", shows: showsOnly}}},
		{words: "unrar|rar|unar|unace|lha", forms: []form{
			{words: "l|lb|v|vb|t|p", shows: showsOnly},
			{words: "a|m|u", operands: "wr*"}}, operands: "."},
		{words: "cabextract|unsquashfs|dtrx|atool|aunpack|patool", short: "dFp", into: "d", unless: "l list t " +
			"test ll"},
		{words: "mksquashfs|genisoimage|mkisofs|xorrisofs|makeself", short: "oVm", operands: "rw",
			outputs: usualOutputs},
		{words: "pax", short: "bBEfGopsTUx", writes: "f", unnamed: true, when: "r w"},
		{words: "cpio", short: "EFHIORM", long: "format file", writes: "O F file", when: "i extract p " +
			"pass-through r",
			then: ".", unless: "t list"},
		{words: "ar|jar|llvm-ar", effect: addLettered},
		{words: "gzip|gunzip|bzip2|bunzip2|xz|unxz|lzma|unlzma|zstd|unzstd|pigz|unpigz|pbzip2|lz4|unlz4|brotli|" +
			"lzop|compress|uncompress|lzip", short: "SboTLMD", long: "suffix stdout-name output output-dir-flat",
			effect: addCompressed},
		{words: "plzip|pixz|lrzip|zopfli|lbzip2|pxz|bzip3|zipnote|zipcloak|zipsplit", unnamed: true,
			unless: "t test l list h V"},
		{words: "dpkg", shows: listsOnly, lists: "l L s S p list listfiles status search print-avail",
			changes: "i install r remove P purge x extract R b build e control unpack configure",
			when:    "x extract R b build e control", then: "rw"},
		{words: "rpm", shows: listsOnly, lists: "q query V verify", changes: "e U F erase upgrade freshen import",
			opaque: "pipe define D eval E"},
		{words: "dpkg-deb|rpm2cpio", when: "x extract R raw-extract b build e control", then: "rw"},

		// Downloads, uploads, other machines.
		{words: "curl", short: "oHdFuAebcTXxmKwrDEyYzUtQCPhi", long: "output header data data-raw data-binary " +
			"data-ascii data-urlencode form form-string user user-agent referer cookie cookie-jar upload-file " +
			"request proxy max-time connect-timeout config write-out range dump-header cert key cacert capath url " +
			"output-dir retry retry-delay json resolve trace trace-ascii stderr limit-rate hsts alt-svc etag-save " +
			"etag-compare libcurl netrc-file unix-socket interface quote pubkey ssl-sessions",
			writes: "o output c cookie-jar D dump-header trace trace-ascii stderr etag-save hsts alt-svc libcurl " +
				"ssl-sessions", reads: "T upload-file netrc-file etag-compare", effect: addCurl,
			alsoIn: sendsHTTP},
		{words: "wget|wget2", short: "OPoaitTUwQeDIRAXlBS", long: "output-document directory-prefix output-file " +
			"append-output input-file tries timeout user-agent header post-data post-file body-file body-data user " +
			"password execute load-cookies save-cookies rejected-log warc-file hsts-file config use-askpass method " +
			"referer",
			writes: "o a output-file append-output save-cookies rejected-log warc-file hsts-file",
			reads:  "i input-file post-file body-file load-cookies", opaque: "use-askpass e execute config",
			effect: addWget, alsoIn: sendsHTTP},
		{words: "http|https|xh|xhs", short: "opaAsv", long: "output print auth auth-type session verify style",
			writes: "o output session", effect: addUploads,
			alsoIn: sendsHTTP},
		{words: "aria2c|yt-dlp|youtube-dl|axel|gallery-dl", short: "odPie", long: "out dir output paths exec " +
			"on-download-complete",
			into: "o d P out dir output", opaque: "exec on-download-complete e c f netrc-cmd", unless: "s simulate F"},
		{words: "nc|ncat|netcat|socat|telnet", short: "ecpswioxX", opaque: "e c exec sh-exec lf ly",
			writes: "o output",
			hides:  runsBySocket, also: condition{in: Remote, without: "z l listen"}},
		{words: "ftp|tftp|lftp", short: "ecpu", opaque: "e c f", in: Remote},
		{words: "sftp", short: "bBcDFiJloPRSsX", reads: "b", runs: "S D", effect: addSSHOptions,
			opaque: "F", in: Remote},
		{words: "rclone", forms: []form{
			{words: "ls|lsd|lsl|lsf|lsjson|size|cat|check|listremotes|about|version|tree", shows: showsOnly},
			{words: "copy|sync|move|copyto|moveto|bisync", effect: addRemoteCopy, unless: "n dry-run",
				alsoIn: sendsFiles},
			{words: "delete|deletefile|purge|rmdir|rmdirs|cleanup", in: Remote | Destroys, dry: "n dry-run"}}},
		{words: "s3cmd|gsutil|mc", forms: []form{
			{words: "cp|get|put|mv|sync|rsync|mirror", effect: addRemoteCopy, alsoIn: sendsFiles, dry: "n dry-run"},
			{words: "rm|rb|del|rmdir", in: Remote | Destroys, dry: "n dry-run"},
			{words: "mb|setacl|acl|setpolicy|signurl", in: Remote},
			{words: "ls|du|info|stat|cat|version", shows: showsOnly}}},
		{words: "aws", long: "profile region output query endpoint-url cli-input-json", outputs: noOutputs,
			subs: knownSubs, alsoIn: changesCloud, dry: "dry-run", forms: []form{
				{words: "s3 cp|s3 mv|s3 sync", effect: addRemoteCopy, unless: "dryrun", alsoIn: sendsFiles},
				{words: "s3 ls|sts get-caller-identity|help", shows: showsOnly},
				{words: "s3api get-object", long: "bucket key range", operands: "w"}}},
		{words: "gcloud|az|doctl|flyctl|fly|vercel|netlify|oci|ibmcloud|linode-cli|hcloud|scw|railway|heroku|eas|" +
			"eksctl|argocd|flux|nomad|kamal|cap", long: commonGlobals + " app remote",
			outputs: noOutputs, subs: knownSubs, alsoIn: changesCloud, dry: "dry-run", forms: []form{
				{words: "run", short: "ar", long: "app remote", wraps: joined, own: true, where: elsewhere,
					alsoIn: changesCloud},
				{words: "storage cp|storage mv|storage rsync", effect: addRemoteCopy, unless: "dry-run",
					alsoIn: sendsFiles},
				{words: "storage blob download|storage file download", short: "fcn", long: "file container-name " +
					"name", writes: "f file"},
				{words: "storage blob download-batch|init|pull|env pull|link|job init", unnamed: true, in: noGroup}}},

		// Converters.
		{words: "pandoc", short: "ofrtMVFLH", long: "output filter lua-filter extract-media log template from to",
			writes: "o output extract-media log", runs: "F filter", opaque: "L lua-filter pdf-engine", operands: "r*"},
		{words: "convert|magick|montage|composite|compare|import|stream|animate|gm", short: "ifctr", operands: "r*o",
			outputs: usualOutputs, effect: addLastWord},
		{words: "ffmpeg|rsvg-convert|sox|cwebp|" +
			"dwebp|pdftotext|pdftk|qpdf|inkscape|wkhtmltopdf|weasyprint|cairosvg|avifenc|potrace|lame|oggenc|" +
			"pdfunite|pdfseparate|pdftoppm|pdfimages|ps2pdf",
			short: "ifctr", operands: "r*o", outputs: usualOutputs},
		{words: "gs|ghostscript", outputs: "sOutputFile o", opaque: "c dNOSAFER dDELAYSAFER", operands: "r*"},
		{words: "groff|troff|nroff|pic|eqn|tbl|soelim", short: "TmMfPLwWrdn", opaque: "U unsafe", operands: "r*"},
		{words: "mogrify|optipng|jpegoptim|pngquant|svgo|oxipng|gifsicle", outputs: usualOutputs + " " +
			"path", operands: "w*"},
		{words: "pngcrush|zopflipng|guetzli|heif-convert|vips|textutil|qemu-img|soffice|libreoffice|lowriter|unoconv|" +
			"nbstripout|jupytext|nbconvert|exiv2|id3v2|mid3v2|eyed3|metaflac|atomicparsley|mkvpropedit|sips",
			unnamed: true, unless: "l list info"},
		{words: "chromium|chrome|google-chrome|chromium-browser|msedge|firefox", outputs: "screenshot print-to-pdf " +
			"user-data-dir log-net-log"},
		{words: "xsltproc", short: "o", long: "output", writes: "o output", operands: "r*"},
		{words: "exiftool", operands: "r*", when: "= geotag tagsFromFile TagsFromFile tagsfromfile " +
			"overwrite_original restore_original delete_original", then: "w*", outputs: "o out",
			shows: showsOnly, hides: runsExifCode},
		{words: "pdfinfo|identify|ffprobe|mediainfo|soxi", shows: showsOnly, changes: "o write"},
		{words: "latex|pdflatex|xelatex|lualatex|latexmk|tex|bibtex|biber|typst|asciidoctor|asciidoc|sphinx-build|" +
			"makeinfo|" +
			"mkdocs|doxygen|mdbook|jekyll|help2man|pod2man", makes: Unknown, outputs: usualOutputs, prints: "n",
			opaque: "shell-escape enable-write18 e"},
		{words: "hugo", makes: Unknown, outputs: usualOutputs, in: Builds, forms: []form{
			{words: "version|env|list|config", shows: showsOnly}}},
		{words: "dot|neato|fdp|circo|twopi|plantuml|mmdc|d2|gnuplot", short: "oTGNEK", writes: "o", when: "O",
			then:    "u",
			outputs: usualOutputs, operands: "r*"},
		{words: "recode", operands: "-w*"},
		{words: "iconv|uconv", short: "fto", long: "from-code to-code output", operands: "r*",
			writes: "o output",
			shows:  showsOnly},
		{words: "base64|basenc|uuencode", short: "wo", long: "wrap output", operands: "r*", outputs: usualOutputs,
			shows: showsOnly},
		{words: "uudecode", short: "o", operands: "r*", makes: Unknown, outputs: usualOutputs},
		{words: "base32", short: "w", operands: "r*", shows: showsAlways},
		{words: "objcopy|strip|llvm-objcopy|llvm-strip|patchelf|ranlib|install_name_tool|codesign|upx",
			short:    "oIOjRKNLGW",
			operands: "-*w", writes: "o"},

		// Keys and encryption.
		{words: "openssl", outputs: "out keyout writerand CAserial o keylogfile sess_out", hides: loadsEngine,
			effect: addOpenSSL},
		{words: "gpg|gpg2|gpgv", short: "oru", long: "output recipient local-user homedir status-file logger-file " +
			"attribute-file log-file",
			writes: "o output status-file logger-file attribute-file log-file homedir", effect: addGPG},
		{words: "age|rage|minisign|signify", short: "oriRpsm", long: "output recipient identity",
			writes:  "o output",
			outputs: usualOutputs, operands: "r*", when: "i in-place", then: "w*"},
		{words: "sops", operands: "r*", when: "i in-place r rotate", then: "w*", forms: []form{
			{words: "edit|set|unset|rotate", operands: "w*"},
			{words: "decrypt|encrypt", operands: "r*", when: "i in-place", then: "w*", long: "output",
				writes: "output"}}},
		{words: "age-keygen|mkcert|certtool|keytool", outputs: usualOutputs + " keystore outfile cert-file key-file"},
		{words: "ssh-keygen", short: "fNtbCPmIVnsWZ", writes: "f", opaque: "D",
			unless: "l y B L F e i"},
		{words: "ssh-add|ssh-copy-id|ssh-keyscan", short: "PSsoEtpTf"},
		{words: "htpasswd", operands: "w", unless: "n"},
	}}

// noOutputs stands for no option: what looks like one names a format.
const noOutputs = "-"
