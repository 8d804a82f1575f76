package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A reference names a Go file of the project, and often something that it declares:
// `fsm/step.go`, `fsm/step.go: step.run`.
type reference struct {
	line int // where it stands, from 1
	file string
	name string // a function, a type, a constant, or Type.Method; empty for the file alone
}

// findReferences takes the references from a line of text.
func findReferences(text string, line int) (out []reference) {
	pattern := regexp.MustCompile("`([\\w./-]+/[\\w.-]+\\.go)(?:: ([\\w.]+))?`")
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		out = append(out, reference{line: line, file: found[1], name: found[2]})
	}
	return out
}

// findLinks takes the links to files beside the document from a line of text.
func findLinks(text string, line int) (out []reference) {
	for _, found := range regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(text, -1) {
		out = append(out, reference{line: line, file: found[1]})
	}
	return out
}

// checkLinks returns the links of the document in dir that lead nowhere.
func checkLinks(dir string, links []reference) (out []problem) {
	for _, l := range links {
		if _, err := os.Stat(filepath.Join(dir, l.file)); err != nil {
			out = append(out, problem{l.line, "the link leads nowhere: " + l.file})
		}
	}
	return out
}

// checkReferences returns what the project below root lacks of what a document names.
func checkReferences(root string, references []reference) (out []problem) {
	for _, r := range references {
		names, err := listDeclarations(filepath.Join(root, r.file))
		what := ""
		if err != nil {
			what = fmt.Sprintf("%s cannot be read: %v", r.file, err)
		} else if r.name != "" && !slices.Contains(names, r.name) {
			what = r.file + " does not declare " + r.name
		}
		if what != "" {
			out = append(out, problem{r.line, what + findElsewhere(root, r)})
		}
	}
	return out
}

// findElsewhere looks for a name in the other files of its folder: code moves more often than
// it is renamed.
func findElsewhere(root string, r reference) string {
	files, _ := filepath.Glob(filepath.Join(root, filepath.Dir(r.file), "*.go")) // no match is no hint
	for _, file := range files {
		if names, err := listDeclarations(file); err == nil && r.name != "" && slices.Contains(names, r.name) {
			return "; did you mean " + filepath.Join(filepath.Dir(r.file), filepath.Base(file)) + "?"
		}
	}
	return ""
}

// listDeclarations lists what a file declares; methods as Type.Method.
func listDeclarations(path string) (names []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			names = append(names, receiverPrefix(d)+d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names, nil
}

func receiverPrefix(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	receiver := d.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

// findModule returns the folder of the module that a file is in, or the file's own folder.
func findModule(path string) string {
	own, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return filepath.Dir(path)
	}
	for dir := own; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if strings.HasSuffix(dir, string(filepath.Separator)) {
			return own
		}
	}
}
