package shell

import (
	"slices"
	"strings"
)

// givenTexts returns what a client of a database is given: its arguments and its input.
func (p *program) givenTexts() []field {
	texts := p.args()
	if t := p.input.text; t != nil {
		texts = append(slices.Clip(texts), *t)
	}
	return texts
}

// runDatabase adds the call of a client of a database. Its statements are known where they only ask.
func runDatabase(p *program) {
	words, short := p.whole.words, "cdhpPUveDnau"
	isFile := hasWord("sqlite3 duckdb", p.whole.name)
	if isFile { // -header, -json: whole words
		short = ""
		words = slices.DeleteFunc(slices.Clone(words), func(f field) bool {
			return hasWord("-header -noheader -json -csv -column -line -list -readonly -box -table -markdown -bail "+
				"-batch", f.text)
		})
	}
	o := command{words: words}.parseOptions(short, "command dbname host port username variable execute user "+
		"database pattern count cmd init separator nullvalue")
	asks, how := asksVersion(p.whole), Write
	if p.onlyAsks(o, isFile) {
		how = Read
	}
	p.addCommand(p.whole, !asks && how == Write)
	if isFile && !asks && len(o.operands) > 0 && !o.operands[0].is(":memory:", "") {
		p.addFile(how, o.operands[0])
	}
}

// onlyAsks reports whether a client of a database has only options and statements that ask.
func (p *program) onlyAsks(o options, isFile bool) bool {
	if from := p.input.from; from != inherited && from != typed && (p.input.text == nil || !p.input.text.known) ||
		slices.ContainsFunc(o.flags, func(f flag) bool {
			return !f.isAmong("c d h p P U v e D n a u t A x q w W X B N s S l H command dbname host port username " +
				"variable execute user database list tuples-only no-align csv json raw expanded skip-column-names " +
				"batch table no-psqlrc quiet readonly scan pattern count")
		}) {
		return false
	}
	texts := o.values("c command e execute")
	switch {
	case p.input.text != nil:
		texts = append(texts, *p.input.text)
	case isFile:
		texts = append(texts, o.operandsFrom(1)...)
	case p.whole.name == "redis-cli":
		return len(o.operands) == 0 && o.has("scan") || len(o.operands) > 0 && o.operands[0].known &&
			hasWord("get mget keys scan info ping llen lrange hget hgetall hkeys smembers scard ttl type exists "+
				"dbsize strlen zrange zcard memory", strings.ToLower(o.operands[0].text))
	}
	return (len(texts) > 0 || o.has("l list") && p.whole.name == "psql") &&
		!slices.ContainsFunc(texts, func(f field) bool { return !f.known || !asksOnly(strings.ToLower(f.text)) })
}

// actingSQL are words of statements that change something, run code or write a file.
const actingSQL = "insert update delete drop alter create truncate into outfile dumpfile copy attach writefile " +
	"readfile edit load_extension lo_export lo_import dblink dblink_exec pg_read_file pg_write_file " +
	"pg_terminate_backend nextval setval set_config grant revoke vacuum call execute do merge system shell " +
	"pragma_writable_schema program sys_exec"

// asksOnly reports whether every statement of a text to a database only asks.
func asksOnly(text string) bool {
	for _, name := range listNames(text) {
		if hasWord(actingSQL, name) {
			return false
		}
	}
	return !slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' }),
		func(s string) bool {
			word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
			return word != "" && !hasWord("select explain show describe desc values with use .tables .schema .mode "+
				`.headers .header .databases .indexes .width .timer .fullschema .dbinfo `+
				`\d \dt \d+ \dt+ \l \l+ \du \dn \di \df \dv \dx`, word)
		})
}
