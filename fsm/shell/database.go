package shell

import (
	"regexp"
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

// Statements to a database that only ask: none has a word that acts, or calls a function that is not listed.
const (
	asksData = `(?i)^(?:select|explain|show|describe|\.tables|\.schema|\.indexes|\\d[tundfv]?\+?|\\l|get|mget|` +
		`keys|scan|info|ping|llen|lrange|hgetall|hget|ttl|type|exists|dbsize)(?:\s[^;\\]*)?;?\s*$`
	actsOnData = `(?i)\b(?:into|insert|update|delete|drop|alter|create|truncate|copy|attach|edit|grant|vacuum|call|` +
		`execute|merge|shell|system|do)\b|[^\s=<>(,]\s*\(`
	dataFunctions = `(?i)\b(?:count|version|max|min|sum|avg|now|lower|upper|length|coalesce|in|values)\s*\(`
)

// runDatabase adds the call of a client of a database. Statements are known where they are on the line and only ask.
func runDatabase(p *program) {
	isFile := hasWord("sqlite3 duckdb", p.whole.name)
	texts := p.values("c command e execute")
	switch {
	case isFile:
		texts = p.operandsFrom(1)
	case p.whole.name == "redis-cli" && len(p.operands) > 0:
		texts = []field{joinFields(p.operands, " ")}
	}
	acts := regexp.MustCompile(actsOnData)
	asks := (len(texts) > 0 || p.has("l list scan")) && (p.input.from == inherited || p.input.from == typed) &&
		!p.hasForeign() && !slices.ContainsFunc(texts, func(f field) bool {
		text := regexp.MustCompile(dataFunctions).ReplaceAllString(strings.TrimSpace(f.text), "")
		return !f.known || !regexp.MustCompile(asksData).MatchString(text) || acts.MatchString(text)
	})
	p.addCommand(p.whole, !asks)
	if isFile && len(p.operands) > 0 && !p.operands[0].is(":memory:", "") {
		if asks {
			p.addFile(Read, p.operands[0])
		} else {
			p.addFile(Write, p.operands[0])
		}
	}
}
