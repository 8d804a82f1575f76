package redact

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// kinds are texts with one secret each, which is written as ‹secret›: pairs of a name and a text.
func kinds(t testing.TB) (all [][2]string) {
	t.Helper()
	body, err := os.ReadFile("testdata/kinds.json")
	if err == nil {
		err = json.Unmarshal(body, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestText(t *testing.T) {
	for _, c := range kinds(t) {
		plain := strings.NewReplacer("‹", "", "›", "").Replace(c[1])
		before, rest, _ := strings.Cut(c[1], "‹")
		secret, after, _ := strings.Cut(rest, "›")
		if c[0] == "passphrase" || c[0] == "encoded newline" || c[0] == "flag with a space" {
			continue // see TestWords and TestSpecial
		}
		got := Text(plain)
		if want := before + Hidden + after; got != want {
			t.Errorf("%s: secret %q\n got %q\nwant %q", c[0], secret, got, want)
		}
	}
	if n := len(kinds(t)); n < 60 {
		t.Errorf("%d kinds", n)
	}
}

func TestSpecial(t *testing.T) {
	for _, c := range [][2]string{
		{"machine x login joe password hunter2\nmachine y", "machine x login joe password " + Hidden + "\nmachine y"},
		{"Authorization:abc https://joe:pw@host", "Authorization:" + Hidden},
		{"PASSPHRASE=correct", "PASSPHRASE=" + Hidden},
		{"login --password hunter2 x", "login --password " + Hidden + " x"},
		{"a Bearer abc", "a Bearer " + Hidden},
	} {
		if got := Text(c[0]); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
}

// TestHarmless holds texts that look a little like secrets and are none.
func TestHarmless(t *testing.T) {
	for _, s := range []string{
		"fix the token parser", "tokenizer.go", "the password is wrong", "git commit -m 'token: use a table'"[:10],
		"primary_key=id", "cache_key: user",
		"keyboard=us", "sk-learn", "sk-learn-extensions-more", "user@host:path", "https://host/a@b", "monkey=1",
		"--depth 1", "A=b", "author=me",
		"ASIA-PACIFIC-REGION", "token == null", "password=$PASSWORD", "key := os.Getenv", "secret: <token>",
		"Basic idea", "compass=north",
		"docs/auth.md", "passes: 5", "tokens=5"[:6], "if err != nil", "https://user@host/x",
		"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
		"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"0123456789abcdef0123456789abcdef01234567", "hf_internal_testing_names", "--- PASS: TestX (0.00s)",
		"PWD=/home/x make", "HTTPRequest2Handler.go", "4b1dfe0123456789abcdef0123456789abcdef01", "NPM_CONFIG_NODE_V18",
		"git commit -m login password",
		"fix the token parser", "--depth 1", "user@host:path",
	} {
		if got := Text(s); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"curl", "-u", "joe:pw", "https://host"}, "curl -u joe:[secret] https://host"},
		{[]string{"curl", "-ujoe:pw", "https://host"}, "curl -u[secret] https://host"},
		{[]string{"curl", "-H", "Authorization: Bearer abc123def", "x"}, "curl -H Authorization: Bearer [secret] x"},
		{[]string{"curl", "-d", "user=joe&password=pw", "x"}, "curl -d user=joe&password=[secret] x"},
		{[]string{"/usr/bin/mysql", "-psecret", "db"}, "/usr/bin/mysql -p[secret] db"},
		{[]string{"sshpass", "-p", "pw", "ssh", "x"}, "sshpass -p [secret] ssh x"},
		{[]string{"docker", "login", "-u", "joe", "-p", "pw"}, "docker login -u joe -p [secret]"},
		{[]string{"redis-cli", "-a", "pw", "ping"}, "redis-cli -a [secret] ping"},
		{[]string{"login", "--password", "pw"}, "login --password [secret]"},
		{[]string{"login", "--password", "--verbose"}, "login --password --verbose"},
		{[]string{"aws", "configure", "set", "aws_secret_access_key", "abc"},
			"aws configure set aws_secret_access_key [secret]"},
		{[]string{"openssl", "rsa", "-passin", "pass:abc"}, "openssl rsa -passin [secret]"},
		{[]string{"gpg", "--passphrase", "abc"}, "gpg --passphrase [secret]"},
		{[]string{"docker", "run", "-e", "MYSQL_ROOT_PASSWORD=abc", "x"},
			"docker run -e MYSQL_ROOT_PASSWORD=[secret] x"},
		{[]string{"x", "Bearer", "abc"}, "x Bearer [secret]"},
		{[]string{"x", "--token", "abc", "--api-key=abc", "PGPASSWORD=x"},
			"x --token [secret] --api-key=[secret] PGPASSWORD=[secret]"},
		{[]string{"git", "commit", "-m", "fix the token parser"}, "git commit -m fix the token parser"},
		{[]string{"mkdir", "-p", "a/b"}, "mkdir -p a/b"},
		{[]string{"docker", "run", "-p", "80:80", "x"}, "docker run -p 80:80 x"},
		{[]string{"ssh", "-p", "22", "host"}, "ssh -p 22 host"},
		{[]string{"git", "push", "-u", "origin", "main"}, "git push -u origin main"},
	} {
		line, _ := Line([][]string{c.words}, "")
		got := line[0]
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("got %q, want %q", s, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	got, found := Line([][]string{{"echo", "hunter2"}, {"docker", "login", "--password-stdin"}}, "")
	if !found || !slices.Equal(got[0], []string{"echo", Hidden}) {
		t.Errorf("%v", got)
	}
	if got, _ := Line([][]string{{"echo", "hi"}, {"cat"}}, ""); !slices.Equal(got[0], []string{"echo", "hi"}) {
		t.Errorf("%v", got)
	}
}

func BenchmarkText(b *testing.B) {
	text := "git commit -m 'fix the parser of https://example.org/x?y=1' && npm run build -- --mode=production"
	for b.Loop() {
		Text(text)
	}
}

// FuzzText: nothing panics, and what is redacted once has no secret left of the same kind.
func FuzzText(f *testing.F) {
	for _, c := range kinds(f) {
		f.Add(strings.NewReplacer("‹", "", "›", "").Replace(c[1]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Text(text)
		if twice := Text(once); twice != once && strings.Count(twice, Hidden) < strings.Count(once, Hidden) {
			t.Errorf("%q: %q, then %q", text, once, twice)
		}
	})
}

// BenchmarkLong: a long command without secrets, and one of names and values.
func BenchmarkLong(b *testing.B) {
	for name, part := range map[string]string{"words": "git commit -m fix the parser of the lines ",
		"values": `{"name":"x","size":12,"path":"a/b.go"},`} {
		text := strings.Repeat(part, 64<<10/len(part))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Text(text)
			}
		})
	}
}

// lines are the lines of testdata/lines.txt: with marked secrets, and harmless ones.
func lines(t *testing.T) (secret, harmless []string) {
	t.Helper()
	body, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case strings.Contains(line, "‹"):
			secret = append(secret, line)
		default:
			harmless = append(harmless, line)
		}
	}
	return secret, harmless
}

// TestLines reads lines of commands, code, files and prose as one text each. Two secrets stay: a typed declaration in
// Go and an operand of htpasswd.
func TestLines(t *testing.T) {
	secret, harmless := lines(t)
	if len(secret) < 97 || len(harmless) < 169 {
		t.Fatalf("%d lines with secrets, %d without", len(secret), len(harmless))
	}
	shown := 0
	for _, line := range secret {
		plain := strings.NewReplacer("‹", "", "›", "").Replace(line)
		got := Text(plain)
		for _, rest := range strings.Split(line, "‹")[1:] {
			if s, _, _ := strings.Cut(rest, "›"); strings.Contains(got, s) {
				t.Logf("shown: %s\n   got: %s", line, got)
				shown++
				break
			}
		}
	}
	if shown > 2 {
		t.Errorf("%d secrets are shown", shown)
	}
	for _, line := range harmless {
		if got := Text(line); got != line {
			t.Errorf("hidden: %s\n    got: %s", line, got)
		}
	}
}

// TestOnce: what was looked through for the user of an address, or for its end, is not looked through again for the
// addresses in it. A text that changes meanwhile shows it.
func TestOnce(t *testing.T) {
	const text = "://a:b/://a:b/x"
	s := scanner{text: text}
	s.hideUser(3)
	if s.text = text[:len(text)-1] + "@"; s.hideUser(10) != 10 || s.done > 0 {
		t.Error("the rest is searched for a user again")
	}
	if s = (scanner{text: text[7:] + "@host"}); s.hideUser(3) == 3 || s.done == 0 {
		t.Error("a password with a slash stays")
	}
	s = scanner{text: "a/discord.com/webhooks/x"}
	s.hideAddress("a", 1)
	s.text += "y"
	if end := s.hideAddress("discord.com", len("a/discord.com")); end != len(s.text)-1 || s.done == 0 {
		t.Error("the end is looked for again, or a secret stays", end)
	}
	host := "https://a:b/" + strings.Repeat("://a:b/", 50)
	if got := Text(host + "c@host x://joe:pw@host"); got != "https://a:"+Hidden+"@host x://joe:"+Hidden+"@host" {
		t.Error(got)
	}
}
