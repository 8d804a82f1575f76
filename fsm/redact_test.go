package fsm

import "testing"

func TestRedact(t *testing.T) {
	for _, c := range []struct{ prev, word, want string }{
		{"", "sk-ant-REDACTED", hidden}, {"", "ghp_0123456789abcdef", hidden}, {"", "AKIAIOSFODNN7EXAMPLE", hidden},
		{"--password", "hunter2", hidden}, {"--token", "abc", hidden}, {"", "--api-key=abc", "--api-key=" + hidden},
		{"", "GITHUB_TOKEN=abc", "GITHUB_TOKEN=" + hidden}, {"", "https://joe:pw@host/x", "https://joe:" + hidden + "@host/x"},
		{"Bearer", "abc", hidden}, {"", "Authorization:abc", "Authorization: " + hidden}, {"", "PGPASSWORD=x", "PGPASSWORD=" + hidden},
		{"", "https://host/a@b", "https://host/a@b"}, {"", "sk-learn", "sk-learn"}, {"", "user@host:path", "user@host:path"},
		{"-m", "fix the token parser", "fix the token parser"}, {"", "tokenizer.go", "tokenizer.go"}, {"--depth", "1", "1"}, {"", "A=b", "A=b"},
	} {
		if got, secret := RedactWord(c.prev, c.word); got != c.want || secret != (c.want != c.word) {
			t.Errorf("%s %s: %s, expected %s", c.prev, c.word, got, c.want)
		}
	}
	if got, _ := RedactText("curl -H Authorization:abc https://joe:pw@host"); got != "curl -H Authorization: "+hidden+" https://joe:"+hidden+"@host" {
		t.Error(got)
	}
}
