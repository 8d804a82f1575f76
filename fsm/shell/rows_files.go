package shell

// filesRows are commands that make, change, copy, move, remove, pack and send files, editors, and what ends the
// machine.
var filesRows = []form{
	{words: "rm|unlink|rmdir|trash|trash-put", operands: "d*"},
	{words: "shred", takes: "n s r iterations size random-source", operands: "w*", when: "u remove", then: "d*"},
	{words: "touch", takes: "d r t date reference time", operands: "w*"},
	{words: "truncate", takes: "s r size reference", operands: "w*"},
	{words: "mkdir|mkfifo|mknod", takes: "m mode", operands: "w*"},
	{words: "mktemp", takes: "p t suffix tmpdir", unless: "u dry-run", writes: "p tmpdir", operands: "w",
		missing: "/tmp/tmp.XXXXXXXXXX"},
	{words: "tee|sponge|venv|dos2unix|unix2dos", operands: "w*"},
	{words: "chown|chgrp|chattr|chflags", takes: "from reference", operands: "-w*"},
	{words: "chmod", takes: "reference", operands: "-w*", when: "r w x X s t reference", then: "w*"},
	{words: "patch", takes: "p i d o F B D r V Y z g strip input directory output fuzz prefix reject-file",
		reads: "i input", writes: "o output", unless: "dry-run C check", operands: "w-*", missing: blank},
	{words: "apply_patch", effect: addPatch},

	// Copies and archives.
	{words: "cp|mv", takes: "t S Z target-directory suffix", effect: addCopies},
	{words: "ln|link", takes: "t S target-directory suffix", effect: addCopies},
	{words: "install", takes: "m o g t S mode owner group target-directory suffix strip-program",
		opaque: "strip-program", effect: addCopies},
	{words: "dd", effect: addDD},
	{words: "tar", takes: tarLetters + " file directory use-compress-program to-command checkpoint-action exclude " +
		"exclude-from files-from transform strip-components format mode mtime owner group new-volume-script " +
		"info-script rsh-command rmt-command index-file listed-incremental volno-file !list",
		reads: "T files-from X exclude-from", writes: "g listed-incremental volno-file index-file", effect: addTar,
		alsoIn: archivesElsewhere, shows: showsOnly, opaque: "I use-compress-program to-command F checkpoint-action " +
			"info-script new-volume-script rsh-command rmt-command"},
	{words: "zip", takes: "b t n i P x O", operands: "wr*", when: "m move", then: "wd*", opaque: "TT unzip-command",
		writes: "O output-file", unless: "sf show-files"},
	{words: "unzip", takes: "d x P", effect: fillFolder, operands: "r", unless: "l p t v Z c z"},
	{words: "gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|unzstd|lz4|unlz4",
		takes: "S b o L M D suffix stdout-name output output-dir-flat", writes: "o output output-dir-flat",
		operands: "z*", when: "c stdout to-stdout", then: "r*", unless: "t test l list",
		opaque: "files files0 filelist"},
	{words: "dpkg", shows: listsOnly, lists: "l L s S p list listfiles status search print-avail", knows: "l L s S p " +
		"list listfiles status search print-avail"},
	{words: "rpm", shows: listsOnly, lists: "q query V verify", knows: "q a i l f p R query verify V all info list"},

	// Copies to and from other machines.
	{words: "rsync", takes: "e f B T M rsh filter exclude include exclude-from include-from files-from temp-dir " +
		"compare-dest copy-dest link-dest log-file backup-dir suffix port password-file bwlimit chmod chown timeout " +
		"write-batch only-write-batch read-batch partial-dir rsync-path",
		writes: "log-file backup-dir write-batch only-write-batch partial-dir",
		reads:  "files-from exclude-from include-from password-file", opaque: "e rsh", unless: "n dry-run list-only",
		effect: addRemoteCopy, alsoIn: sendsFiles},
	{words: "scp", takes: "c D F i J l o P S X", opaque: "F S D", effect: addRemoteCopy, alsoIn: sendsFiles},
	{words: "curl", takes: "o H d F u A e b c T X x m K w r D E y Y z U t Q C P h output header data data-raw " +
		"data-binary data-ascii data-urlencode form form-string user user-agent referer cookie cookie-jar " +
		"upload-file request proxy max-time connect-timeout config write-out range dump-header cert key cacert " +
		"capath url output-dir retry retry-delay json resolve trace trace-ascii stderr limit-rate hsts alt-svc " +
		"etag-save etag-compare libcurl netrc-file unix-socket interface quote pubkey ssl-sessions",
		writes: "o output c cookie-jar D dump-header trace trace-ascii stderr etag-save hsts alt-svc libcurl " +
			"ssl-sessions", reads: "T upload-file netrc-file etag-compare", opaque: "K config", effect: addCurl,
		alsoIn: sendsHTTP},
	{words: "wget", takes: "O P o a i t T U w Q e D I R A X l B S output-document directory-prefix output-file " +
		"append-output input-file tries timeout user-agent header post-data post-file body-file body-data user " +
		"password execute load-cookies save-cookies rejected-log warc-file hsts-file config use-askpass method referer",
		writes: "o a output-file append-output save-cookies rejected-log warc-file hsts-file",
		reads:  "i input-file post-file body-file load-cookies", opaque: "use-askpass e execute config b background",
		effect: addWget, alsoIn: sendsHTTP},
	{words: "http|https|xh|xhs", takes: "o p a A s v output print auth auth-type session verify style",
		writes: "o output session", effect: addUploads, alsoIn: sendsHTTP},
	{words: "nc|ncat|netcat|telnet", takes: "e c p s w i o x X", opaque: "e c exec sh-exec lua-exec",
		writes: "o output", in: Remote, dry: "z l listen"},
	{words: "ftp|tftp|lftp|sftp", opaqueAlways: true, in: Remote},
	{words: "mail|mailx|sendmail|mutt|neomutt|msmtp|s-nail|swaks", takes: "f a t s p b c r", reads: "f file a",
		in: Remote},
	{words: "rclone", forms: []form{
		{words: "copy|sync|move|copyto|moveto|bisync", effect: addRemoteCopy, unless: "n dry-run", alsoIn: sendsFiles},
		{words: "delete|deletefile|purge|rmdir|rmdirs|cleanup", in: Remote | Destroys, dry: "n dry-run"}}},
	{words: "s3cmd|gsutil|mc", forms: []form{
		{words: "cp|get|put|mv|sync|rsync|mirror", effect: addRemoteCopy, alsoIn: sendsFiles, dry: "dry-run"},
		{words: "rm|rb|del|rmdir", in: Remote | Destroys, dry: "dry-run"},
		{words: "mb|setacl|acl|setpolicy|signurl", in: Remote}}},

	// Editors.
	{words: "nano|pico|micro|sudoedit", operands: "w*"},
	{words: "code|codium|cursor", takes: "p", operands: "w*", unless: "list-extensions v", in: Elsewhere},

	// Devices, processes, power.
	{words: "mkfs|mke2fs|mkfs.ext2|mkfs.ext3|mkfs.ext4|mkfs.xfs|mkfs.btrfs|mkfs.vfat|mkfs.fat|mkfs.exfat|mkfs.ntfs|" +
		"mkswap|blkdiscard|badblocks", operands: "w*"},
	{words: "wipefs", operands: "w*", takes: "o t", dry: "n no-act"},
	{words: "fdisk|sfdisk|gdisk|cfdisk|parted", unless: "l list d dump p print V version", operands: "w-*"},
	{words: "sgdisk", unless: "p print V version", operands: "w*"},
	{words: "zpool|zfs|cryptsetup|nvme|diskutil", destroysBy: "destroy labelclear rollback luksFormat luksErase " +
		"luksKillSlot erase* delete* secureErase zeroDisk randomDisk format sanitize partitionDisk"},
	{words: "lvremove|vgremove|pvremove|dropdb|dropuser", in: Destroys, dry: "t test"},
	{words: "reboot|poweroff|halt|shutdown|telinit|init|killall5", in: Destroys, dry: "c show w wtmp-only"},
	{words: "kill|pkill|killall", alsoIn: killsAll},
}
