package shell

var filesFamily = family{title: "Files", about: "Commands that make, change, copy, move and remove files, and editors.", rows: []form{
	// Commands that remove, make or change the files that they are given.
	{words: "rm|grm|unlink|rmdir|trash|trash-put|rimraf|srm|del-cli", operands: "d*"},
	{words: "shred", short: "nsr", long: "iterations size random-source", operands: "w*", when: "u remove", then: "d*"},
	{words: "gio", forms: []form{{words: "trash|remove", operands: "d*"}}},
	{words: "touch", short: "drt", long: "date reference time", operands: "w*"},
	{words: "truncate", short: "sr", long: "size reference", operands: "w*"},
	{words: "mkdir|mkfifo|mknod", short: "m", long: "mode", operands: "w*"},
	{words: "mktemp", short: "pt", long: "suffix tmpdir", unless: "u dry-run", effect: addTemporary},
	{words: "tee|sponge|venv|virtualenv|mkfs|mkswap|dos2unix|unix2dos|strip", operands: "w*"},
	{words: "fallocate|setfacl", short: "lomxMX", long: "length offset modify remove modify-file remove-file",
		operands: "w*"},
	{words: "chown|chgrp|chattr|chcon|chflags", long: "from reference", operands: "-w*"},
	{words: "chmod", long: "reference", effect: addChmod},
	{words: "sd|rpl", short: "nf", long: "max-replacements flags", operands: "--w*", unless: "p preview s"},
	{words: "rename|prename", unnamed: true},
	{words: "patch", short: "pidoFBDrVYzg", long: "strip input directory output fuzz prefix reject-file",
		reads: "i input", unless: "dry-run C check", effect: addPatched},

	// Copies.
	{words: "cp|gcp|mv|gmv", short: "tSZ", long: "target-directory suffix", effect: addCopies},
	{words: "ln|gln|link", short: "tS", long: "target-directory suffix", effect: addLinks},
	{words: "install|ginstall", short: "mogtS", long: "mode owner group target-directory suffix strip-program",
		runs: "strip-program", effect: addInstalled},
	{words: "dd", effect: addDD},
	{words: "rsync", short: "efBTM", long: "rsh filter exclude include exclude-from include-from files-from temp-dir " +
		"compare-dest copy-dest link-dest log-file backup-dir suffix port password-file bwlimit chmod chown timeout",
		runs: "e rsh", unless: "n dry-run list-only", effect: addRsync},
	{words: "scp", short: "cDFiJloPSX", runs: "S", effect: addRemoteCopy},

	// Editors.
	{words: "nano|pico|micro|sudoedit", operands: "w*"},
	{words: "vim|vi|nvim|ex|gvim", short: "cSiTutwW", long: "cmd", operands: "e*", opaque: "c S s cmd", stdin: true,
		hides: givesEditorCommands},
	{words: "ed", short: "p", operands: "e*", hides: givesEditorCommands},
	{words: "code", short: "p", operands: "e*"},
	{words: "emacs", short: "cSiTutwW", long: "cmd", operands: "e*", interpret: runForeign},
}}
