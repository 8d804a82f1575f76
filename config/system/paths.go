package system

import (
	"slices"
	"strings"
)

// FromWindows writes a path as one that Windows understands and that can be compared:
// C:/Users/me for \\?\c:\Users\me, for \\localhost\c$\Users\me, and for /c/Users/me, as Git
// Bash writes it. Windows ignores dots and blanks at the end of a name, and a stream behind
// a colon is the file's. A device that is no drive stays at //?/. host is the name of this
// machine, where it is known.
func FromWindows(p, host string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	if at := strings.Index(strings.ToLower(p), "filesystem::"); at >= 0 { // a provider of PowerShell
		p = p[at+len("filesystem::"):]
	}
	for _, device := range [...]string{"//?/", "//./", "/??/"} {
		rest, ok := strings.CutPrefix(p, device)
		if rest = strings.TrimLeft(rest, "/"); !ok {
			continue
		}
		if len(rest) > 4 && strings.EqualFold(rest[:4], "unc/") {
			p = "//" + rest[4:]
		} else {
			p = "//?/" + rest
		}
	}
	if isDrive(strings.TrimPrefix(p, "//?/")) {
		p = strings.TrimPrefix(p, "//?/")
	}
	p = cutOwnShare(p, host)
	for _, mount := range [...]string{"/cygdrive/", "/mnt/", "/"} {
		if rest, ok := strings.CutPrefix(p, mount); ok && len(rest) > 0 && isLetter(rest[0]) &&
			(len(rest) == 1 || rest[1] == '/') {
			p = rest[:1] + ":/" + strings.TrimPrefix(rest[1:], "/")
			break
		}
	}
	drive := ""
	if isDrive(p) {
		drive, p = strings.ToUpper(p[:1])+":", p[2:]
		if !strings.HasPrefix(p, "/") {
			drive = "" // seen from where we are on that drive
		}
	}
	names := strings.Split(p, "/")
	for i := len(names) - 1; i > 0; i-- { // the last drive counts: C:/x/D:/y is a cd to D:/y
		if len(names[i]) == 2 && isDrive(names[i]) {
			return FromWindows(strings.Join(names[i:], "/"), host)
		}
	}
	for i, name := range names {
		if i == 2 && name == "?" {
			continue
		}
		name, _, _ = strings.Cut(name, ":")
		if short := strings.TrimRight(name, ". "); short != "" {
			names[i] = short
		} else if name != "." && name != ".." && name != "" {
			names[i] = "." // only dots and blanks: the folder itself
		}
	}
	return drive + strings.Join(names, "/")
}

// cutOwnShare writes the path of a drive's own share on this machine, such as
// //localhost/c$/x, as C:/x.
func cutOwnShare(p, host string) string {
	rest, ok := strings.CutPrefix(p, "//")
	if !ok {
		return p
	}
	server, rest, _ := strings.Cut(rest, "/")
	server, _, _ = strings.Cut(strings.ToLower(server), "@") // a port
	isOwn := server == "localhost" || strings.HasPrefix(server, "127.") ||
		strings.HasSuffix(server, "-1.ipv6-literal.net") || host != "" && strings.EqualFold(server, host)
	if !isOwn || len(rest) < 2 || rest[1] != '$' || !isLetter(rest[0]) || len(rest) > 2 && rest[2] != '/' {
		return p
	}
	return rest[:1] + ":/" + strings.TrimPrefix(rest[2:], "/")
}

// ListTails lists what follows the beginning of a path that does not say where on our disks
// it leads, as FromWindows writes it: a share, a device, or a drive other than volume.
func ListTails(p, volume string) (tails []string) {
	rest, isRemote := strings.CutPrefix(p, "//")
	device, isDevice := strings.CutPrefix(rest, "?/")
	switch {
	case isRemote && isDevice: // its name may have several parts
		for _, after, ok := strings.Cut(device, "/"); ok; _, after, ok = strings.Cut(after, "/") {
			tails = append(tails, after)
		}
	case isRemote:
		_, rest, _ = strings.Cut(rest, "/")
		_, rest, _ = strings.Cut(rest, "/")
		tails = append(tails, rest)
	case isDrive(p) && !strings.EqualFold(p[:2], volume):
		tails = append(tails, strings.TrimPrefix(p[2:], "/"))
	}
	return slices.DeleteFunc(tails, func(tail string) bool { return tail == "" })
}

func isDrive(p string) bool { return len(p) > 1 && p[1] == ':' && isLetter(p[0]) }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
