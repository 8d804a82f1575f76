package redact

import (
	"slices"
	"strings"
	"testing"
)

// kinds are texts with one secret each, which is written as ‹secret›.
var kinds = []struct{ name, text string }{
	{"AWS access key", "‹AKIAIOSFODNN7EXAMPLE›"},
	{"AWS temporary key", "‹ASIAIOSFODNN7EXAMPLE›"},
	{"AWS secret key", "aws_secret_access_key = ‹wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY›"},
	{"AWS session token", "export AWS_SESSION_TOKEN=‹FwoGZXIvYXdzEBYaDK›"},
	{"GitHub classic", "git remote set-url ‹ghp_16C7e42F292c6912E7710c838347Ae178B4a›"},
	{"GitHub OAuth", "‹gho_16C7e42F292c6912E7710c838347Ae178B4a›"},
	{"GitHub app", "‹ghs_16C7e42F292c6912E7710c838347Ae178B4a›"},
	{"GitHub refresh", "‹ghr_1B4a2e77838347a7E420ce178F2E7c6912E169246c34E1ccbF66C46812d16D5B1A9Dc86A1498›"},
	{"GitHub fine-grained", "‹github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ012345›"},
	{"GitLab", "‹glpat-1234567890abcdefghij›"},
	{"GitLab runner", "‹glrt-1234567890abcdefghij›"},
	{"Slack bot", "‹xoxb-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx›"},
	{"Slack user", "‹xoxp-123456789012-123456789012-AbCdEf›"},
	{"Slack app", "‹xapp-1-A0123456789-0123456789012-abcdef›"},
	{"Stripe live", "‹sk_live_4eC39HqLyjWDarjtT1zdp7dc›"},
	{"Stripe restricted", "‹rk_live_4eC39HqLyjWDarjtT1zdp7dc›"},
	{"Stripe webhook", "‹whsec_4eC39HqLyjWDarjtT1zdp7dc›"},
	{"OpenAI", "‹sk-proj-abcDEF0123456789abcDEF0123456789›"},
	{"Anthropic", "‹sk-ant-REDACTED›"},
	{"Google API", "‹AIzaSyA1234567890abcdefghijklmnopqrstuv›"},
	{"Google OAuth", "‹ya29.a0AfH6SMBx1234567890›"},
	{"Google client secret", "‹GOCSPX-1234567890abcdefghij›"},
	{"npm", "//registry.npmjs.org/:_authToken=‹npm_1234567890abcdefghijABCDEFGHIJ123456›"},
	{"PyPI", "‹pypi-AgEIcHlwaS5vcmcCJDEyMzQ1Njc4›"},
	{"Hugging Face", "‹hf_abcdefGHIJKL0123456789abcdefGHIJ›"},
	{"DigitalOcean", "‹dop_v1_0123456789abcdef0123456789abcdef›"},
	{"Shopify", "‹shpat_0123456789abcdef0123456789abcdef›"},
	{"Vault", "‹hvs.CAESIJ1234567890abcdefghij›"},
	{"Databricks", "‹dapi0123456789abcdef0123456789abcdef›"},
	{"age", "‹AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE›"},
	{"Linear", "‹lin_api_0123456789abcdefghij0123456789abcdefghij›"},
	{"Sentry", "‹sntryu_0123456789abcdef0123456789abcdef›"},
	{"Postman", "‹PMAK-0123456789abcdef01234567-0123456789abcdef0123456789abcdef01›"},
	{"Doppler", "‹dp.pt.0123456789abcdefghijABCDEFGHIJ0123456789abc›"},
	{"Grafana", "‹glsa_0123456789abcdefghijABCDEFGHIJ01_a1b2c3d4›"},
	{"JWT", "token is ‹eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U›"},
	{"private key", "-----BEGIN RSA PRIVATE KEY-----‹\nMIIEowIBAAKCAQEA\nabc=\n›-----END RSA PRIVATE KEY-----"},
	{"private key cut off", "-----BEGIN OPENSSH PRIVATE KEY-----‹\nb3BlbnNzaC1rZXktdjEA›"},
	{"flag with a space", "login --password ‹hunter2›"},
	{"flag with =", "login --api-key=‹abc›"},
	{"flag quoted", `login --token="‹a b›"`},
	{"assignment", "GITHUB_TOKEN=‹abc› make"},
	{"short variable", "PGPASSWORD=‹x› psql"},
	{"export quoted", "export DB_PASSWORD='‹p w›'"},
	{"camel case", `{"apiKey": "‹0f9a›"}`},
	{"JSON", `{"user":"joe","password":"‹hunter2›","n":1}`},
	{"JSON in JSON", `{"body":"{\"secret\":\"‹hunter2›\"}"}`},
	{"YAML", "db:\n  password: ‹hunter2›\n  host: x"},
	{"INI", "client_secret = ‹hunter2›"},
	{"form", "grant=x&client_secret=‹hunter2›&scope=y"},
	{"query", "GET https://host/x?access_token=‹hunter2›&y=1"},
	{"signed URL", "https://host/x?sig=‹a%2Fb›&se=1"},
	{"header bearer", "Authorization: Bearer ‹abcdef123456›"},
	{"header basic", "Authorization: Basic ‹am9lOnB3›"},
	{"header token", "authorization: token ‹abcdef›"},
	{"bearer alone", "Bearer ‹abcdef123456›"},
	{"header key", "X-Api-Key: ‹abcdef›"},
	{"cookie", "Cookie: ‹session=abc; theme=dark›"},
	{"set-cookie", "Set-Cookie: ‹sid=abc; Path=/›"},
	{"URL password", "postgres://joe:‹pw›@host/db"},
	{"URL password with an at", "postgres://joe:‹p@w›@host/db"},
	{"URL token", "https://‹ghp_16C7e42F292c6912E7710c838347Ae178B4a›@github.com/x/y"},
	{"netrc", "machine x login joe password ‹hunter2›"},
	{"Go code", `password := "‹hunter2›"`},
	{"Ruby code", `:secret_key => '‹hunter2›'`},
	{"passphrase", "PASSPHRASE=‹correct horse›"},
	{"session key", "SESSION_KEY=‹abc›"},
	{"Azure", "AccountKey=‹Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq›;EndpointSuffix=x"},
	{"JSON list", `{"password": [‹"a","b"›], "n": 1}`},
	{"JSON object", `{"token": {‹"value":"a}b"›}, "n": 1}`},
	{"Go list", `"Authorization": []string{"‹hunter2›"}`},
	{"call", `secret := fromHex("‹0a1b2c›")`},
	{"encoded newline", `PASSWORD=‹hunter2›\nUSER=joe`},
}

func TestText(t *testing.T) {
	for _, c := range kinds {
		plain := strings.NewReplacer("‹", "", "›", "").Replace(c.text)
		before, rest, _ := strings.Cut(c.text, "‹")
		secret, after, _ := strings.Cut(rest, "›")
		if c.name == "passphrase" || c.name == "encoded newline" || c.name == "flag with a space" {
			continue // see TestWords and TestSpecial
		}
		got, found := Text(plain)
		if want := before + Hidden + after; got != want || !found {
			t.Errorf("%s: secret %q\n got %q\nwant %q", c.name, secret, got, want)
		}
	}
	if len(kinds) < 60 {
		t.Errorf("%d kinds", len(kinds))
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
		if got, _ := Text(c[0]); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
	}
}

// TestHarmless holds texts that look a little like secrets and are none.
func TestHarmless(t *testing.T) {
	for _, s := range []string{
		"fix the token parser", "tokenizer.go", "the password is wrong", "git commit -m 'token: use a table'"[:10], "primary_key=id", "cache_key: user",
		"keyboard=us", "sk-learn", "sk-learn-extensions-more", "user@host:path", "https://host/a@b", "monkey=1", "--depth 1", "A=b", "author=me",
		"ASIA-PACIFIC-REGION", "token == null", "password=$PASSWORD", "key := os.Getenv", "secret: <token>", "Basic idea", "compass=north",
		"docs/auth.md", "passes: 5", "tokens=5"[:6], "if err != nil", "https://user@host/x", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----",
		"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef01234567", "hf_internal_testing_names", "--- PASS: TestX (0.00s)", "PWD=/home/x make", "HTTPRequest2Handler.go", "4b1dfe0123456789abcdef0123456789abcdef01", "NPM_CONFIG_NODE_V18", "git commit -m login password",
		"fix the token parser", "--depth 1", "user@host:path",
	} {
		if got, found := Text(s); found || got != s {
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
		{[]string{"aws", "configure", "set", "aws_secret_access_key", "abc"}, "aws configure set aws_secret_access_key [secret]"},
		{[]string{"openssl", "rsa", "-passin", "pass:abc"}, "openssl rsa -passin [secret]"},
		{[]string{"gpg", "--passphrase", "abc"}, "gpg --passphrase [secret]"},
		{[]string{"docker", "run", "-e", "MYSQL_ROOT_PASSWORD=abc", "x"}, "docker run -e MYSQL_ROOT_PASSWORD=[secret] x"},
		{[]string{"x", "Bearer", "abc"}, "x Bearer [secret]"},
		{[]string{"x", "--token", "abc", "--api-key=abc", "PGPASSWORD=x"}, "x --token [secret] --api-key=[secret] PGPASSWORD=[secret]"},
		{[]string{"git", "commit", "-m", "fix the token parser"}, "git commit -m fix the token parser"},
		{[]string{"mkdir", "-p", "a/b"}, "mkdir -p a/b"},
		{[]string{"docker", "run", "-p", "80:80", "x"}, "docker run -p 80:80 x"},
		{[]string{"ssh", "-p", "22", "host"}, "ssh -p 22 host"},
		{[]string{"git", "push", "-u", "origin", "main"}, "git push -u origin main"},
	} {
		got, _ := Words(c.words)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("got %q, want %q", s, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	got, found := Line([][]string{{"echo", "hunter2"}, {"docker", "login", "--password-stdin"}})
	if !found || !slices.Equal(got[0], []string{"echo", Hidden}) {
		t.Errorf("%v", got)
	}
	if got, _ := Line([][]string{{"echo", "hi"}, {"cat"}}); !slices.Equal(got[0], []string{"echo", "hi"}) {
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
	for _, c := range kinds {
		f.Add(strings.NewReplacer("‹", "", "›", "").Replace(c.text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, _ := Text(text)
		if twice, _ := Text(once); twice != once && strings.Count(twice, Hidden) < strings.Count(once, Hidden) {
			t.Errorf("%q: %q, then %q", text, once, twice)
		}
	})
}
