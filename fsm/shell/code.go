package shell

import (
	"regexp"
	"strings"
)

// harmlessCode is code of Python or Node on the line that only prints what an expression without calls says.
const harmlessCode = `^(?:(?:import sys; ?)?print\([\w\s.+*/%,"'-]*\)|console\.log\([\w\s.+*/%,"'-]*\)|` +
	`process\.[\w.]+|[\d\s.+*/%-]+)$`

// readsByCode are the usual ways in which code opens a file that it names.
const readsByCode = `\b(?:open|readFileSync|read|readlines)\(\s*["']([^"'\\]+)["']`

// runSnippet adds the call of an interpreter that is given code on the line. It is unknown unless it only prints.
func (p *program) runSnippet(code field) {
	prints := regexp.MustCompile(harmlessCode).MatchString(code.text)
	p.addCommand(p.whole, !code.known || hasWord("perl ruby", p.whole.name) || !prints)
	for _, m := range regexp.MustCompile(readsByCode).FindAllStringSubmatch(code.text, -1) {
		p.addFile(Read, code.with(m[1]))
	}
}

// sendsByCode are the usual ways in which code sends something away.
const sendsByCode = `\b(?:requests|httpx|axios)\.(?:post|put|patch|delete)\b|\b(?:smtplib|ftplib|paramiko)\b|` +
	`\bmethod["']?\s*(?:[:=]|=>)\s*["'](?:POST|PUT|PATCH|DELETE)["']|Net::(?:HTTP::(?:Post|Put|Delete)|SMTP|FTP)`

// stringLiteral is a string in code.
const stringLiteral = `"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|` + "`([^`]*)`"

// groupsOfCode says whether code that is not read sends something away, or names in its strings a command that leaves
// this machine or destroys. Strings with commas between are one command: ["git", "push"]. It may be a line of a shell.
func (e *evaluator) groupsOfCode(code string, isLine bool) (in Group) {
	if regexp.MustCompile(sendsByCode).MatchString(code) {
		return Remote
	}
	lines, end := []string{}, -1
	if isLine {
		lines = append(lines, code)
	}
	for _, at := range regexp.MustCompile(stringLiteral).FindAllStringIndex(code, -1) {
		text := code[at[0]+1 : at[1]-1]
		if end >= 0 && strings.Trim(code[end:at[0]], ", \n") == "" {
			lines[len(lines)-1] += " " + text
		} else {
			lines = append(lines, text)
		}
		end = at[1]
	}
	for _, line := range lines {
		if strings.Contains(line, " ") {
			read := newEvaluator(e.findRow, e.language)
			read.runLine(line)
			in |= read.groupsOfCalls()
		}
	}
	return in
}
