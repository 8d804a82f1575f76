package shell

var filesFamily = family{
	title: "Files",
	about: "Commands that make, change, copy, move and remove files, and editors.",
	rows: []form{
		// Commands that remove, make or change the files that they are given.
		{words: "rm|unlink|rmdir|trash|trash-put|rimraf|srm|del-cli", operands: "d*"},
		{words: "shred", short: "nsr", long: "iterations size random-source", operands: "w*", when: "u remove",
			then: "d*", alsoIn: overwritesDevice},
		{words: "gio", forms: []form{
			{words: "trash|remove", operands: "d*"},
			{words: "open|launch", in: Elsewhere}}},
		{words: "touch", short: "drt", long: "date reference time", operands: "w*"},
		{words: "truncate", short: "sr", long: "size reference", operands: "w*"},
		{words: "mkdir|mkfifo|mknod", short: "m", long: "mode", operands: "w*"},
		{words: "mktemp", short: "pt", long: "suffix tmpdir", unless: "u dry-run", effect: addTemporary},
		{words: "tee|sponge|venv|virtualenv|dos2unix|unix2dos", operands: "w*", alsoIn: overwritesDevice},
		{words: "mkfs|mke2fs|mkfs.ext2|mkfs.ext3|mkfs.ext4|mkfs.xfs|mkfs.btrfs|mkfs.vfat|mkfs.fat|mkfs.exfat|" +
			"mkfs.ntfs|" +
			"mkswap|fsck|blkdiscard|badblocks", operands: "w*", alsoIn: overwritesDevice},
		{words: "wipefs", operands: "w*", when: "a all o offset", then: "w*", short: "ot", alsoIn: overwritesDevice,
			dry: "n no-act"},
		{words: "fdisk|sfdisk|gdisk|sgdisk|cfdisk|parted", unless: "l list d dump p print V version", operands: "w-*",
			alsoIn: overwritesDevice},
		{words: "zpool|zfs|cryptsetup|nvme|diskutil", also: condition{in: Destroys,
			operands: "destroy labelclear rollback " +
				"luksFormat erase* format sanitize partitionDisk"}},
		{words: "lvremove|vgremove|pvremove", in: Destroys, dry: "t test"},
		{words: "reboot|poweroff|halt|shutdown|telinit|init|killall5", in: Destroys, dry: "c show w wtmp-only"},
		{words: "kill|pkill|killall", alsoIn: killsAll},
		{words: "vipe|vidir|mmv|zmv|detox|fdupes|rdfind|jdupes|logrotate|makewhatis|mandb|updatedb|fc-cache|" +
			"xdg-mime|gsettings|defaults|stow|chezmoi|dotbot|yadm", unnamed: true, unless: "n dry-run simulate"},
		{words: "cksfv|hardlink|symlinks|convmv", operands: "w*", unless: "n dry-run"},
		{words: "logger|wall", short: "fatsp", reads: "f file"},
		{words: "mail|mailx|sendmail|mutt|neomutt|msmtp|s-nail|swaks", short: "fatspbcr", reads: "f file a",
			in: Remote},
		{words: "newsyslog|git-crypt|git-secret|blackbox|gzexe|savelog|ptar|h2xs|enc2xs|py3compile|" +
			"py3clean|corepack", unnamed: true},
		{words: "fallocate|setfacl|setfattr|attr", short: "lomxMXnv", long: "length offset modify remove " +
			"modify-file remove-file",
			operands: "w*"},
		{words: "chown|chgrp|chattr|chcon|chflags|chacl", long: "from reference", operands: "-w*"},
		{words: "chmod", long: "reference", effect: addChmod},
		{words: "getfacl|getfattr|lsattr", shows: showsAlways},
		{words: "sd|rpl|replace", short: "nf", long: "max-replacements flags", operands: "--w*",
			unless: "p preview s"},
		{words: "rename|prename|file-rename|perl-rename", unnamed: true},
		{words: "patch", short: "pidoFBDrVYzg", long: "strip input directory output fuzz prefix reject-file",
			reads: "i input", unless: "dry-run C check", effect: addPatched},

		// Copies.
		{words: "cp|mv", short: "tSZ", long: "target-directory suffix", effect: addCopies,
			alsoIn: overwritesDevice},
		{words: "ln|link", short: "tS", long: "target-directory suffix", effect: addLinks},
		{words: "install", short: "mogtS", long: "mode owner group target-directory suffix strip-program",
			runs: "strip-program", effect: addInstalled},
		{words: "dd", effect: addDD, alsoIn: overwritesDevice},
		{words: "rsync", short: "efBTM", long: "rsh filter exclude include exclude-from include-from files-from " +
			"temp-dir compare-dest copy-dest link-dest log-file backup-dir suffix port password-file bwlimit chmod " +
			"chown timeout write-batch only-write-batch read-batch partial-dir rsync-path",
			writes: "log-file backup-dir write-batch only-write-batch partial-dir", reads: "files-from " +
				"exclude-from include-from password-file",
			runs: "e rsh", unless: "n dry-run list-only", effect: addRsync, alsoIn: sendsFiles},
		{words: "scp|pscp", short: "cDFiJloPSX", runs: "S D", opaque: "F", effect: addSSHCopy,
			alsoIn: sendsFiles},

		{words: "ditto", operands: "r*w"},
		{words: "plutil|plistbuddy|xattr", short: "o", operands: "-*w", unless: "p lint h", outputs: "o"},
		{words: "fastmod|sad|ambr|repren|ruplacer|scout-replace|rep|srep", unnamed: true, unless: "n dry-run"},
		{words: "xmlstarlet|xml", unnamed: true, when: "L inplace", forms: []form{
			{words: "ed|edit", unnamed: true, when: "L inplace"}}},
		{words: "tidy", short: "fo", long: "output-file", operands: "r*", when: "m modify", then: "w*",
			writes: "o f output-file output"},
		{words: "mlr|xq|tomlq|dasel|crudini|hcledit|jaq-edit|toml-cli", unnamed: true, when: "I i in-place inplace u " +
			"update set del existing", outputs: usualOutputs, forms: []form{
			{words: "put|delete|set|unset", unnamed: true}}},

		// Editors.
		{words: "nano|pico|micro|sudoedit|joe|jed|mcedit|ne|kak|hx|gedit|kate|subl|zed", operands: "w*"},
		{words: "vim|vi|nvim|ex|gvim|vimdiff|nvr|vimx|rvim|rgvim|evim", short: "cSiTutwW", long: "cmd " +
			"startuptime", writes: "w W startuptime", operands: "e*", opaque: "c S s cmd u V", stdin: true,
			hides: givesEditorCommands},
		{words: "ed|red", short: "p", operands: "e*", hides: givesEditorCommands, effect: addEdited},
		{words: "code|codium|cursor", short: "p", operands: "e*", unless: "list-extensions v", in: Elsewhere},
		{words: "emacs", short: "cSiTutwW", long: "cmd", operands: "e*", interpret: runForeign},
	}}
