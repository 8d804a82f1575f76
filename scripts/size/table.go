package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// columns are what a row measures. The last three are about one warm hook call.
var columns = [...]string{"lines", "tokens", "functions", "files", "packages"}

// A row is what a package measures, column by column.
type row [len(columns)]int

// A table has a row for each package, by its folder, and one for the total.
type table map[string]row

const total = "total"

// isSupport reports whether a package only serves to build and test the program: it is not in the total.
func isSupport(folder string) bool {
	return strings.HasPrefix(folder, "scripts/") || path.Base(folder) == "e2e" || path.Base(folder) == "hosttest"
}

func (t table) addTotal() {
	var sum row
	for folder, r := range t {
		for i := range r {
			if !isSupport(folder) {
				sum[i] += r[i]
			}
		}
	}
	t[total] = sum
}

// compare says what is above its row.
func (t table) compare(now table) (found []string) {
	for _, folder := range slices.Sorted(maps.Keys(now)) {
		for i, n := range now[folder] {
			if most := t[folder][i]; n > most {
				what := fmt.Sprintf("%s: %d %s, %d more than its row allows", folder, n, columns[i], n-most)
				found = append(found, what)
			}
		}
	}
	return found
}

// lower lowers the rows to what is measured, and drops those of packages that are gone.
func (t table) lower(now table) {
	for folder, allowed := range t {
		measured, exists := now[folder]
		if !exists {
			delete(t, folder)
			continue
		}
		for i := range allowed {
			allowed[i] = min(allowed[i], measured[i])
		}
		t[folder] = allowed
	}
}

// raise sets rows to what is measured: folders with commas between, or none.
func (t table) raise(folders string, now table) error {
	for folder := range strings.SplitSeq(folders, ",") {
		measured, isKnown := now[folder]
		switch {
		case isKnown:
			t[folder] = measured
		case folder != "":
			return fmt.Errorf("-raise: there is no package in %s", folder)
		}
	}
	return nil
}

const header = `# What each package may measure at most. "go run ./scripts/size" compares, -write lowers rows, and
# "-raise ROW,ROW" raises some. Tests are not counted; tokens are without comments and semicolons. The last three
# columns say what of it runs at one warm hook call, pre-tool-use with Bash and git status.
# What only builds and tests the program stands below the total.
`

func (t table) format() string {
	var b strings.Builder
	b.WriteString(header)
	write := func(name string, cells ...any) {
		format := "%-32s" + strings.Repeat("%11v", len(cells)) + "\n"
		fmt.Fprintf(&b, format, append([]any{name}, cells...)...)
	}
	var head []any
	for _, c := range columns {
		head = append(head, c)
	}
	write("# package", head...)
	all := slices.Sorted(maps.Keys(t))
	rank := func(folder string) int {
		switch {
		case folder == total:
			return 1
		case isSupport(folder):
			return 2
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b string) int { return rank(a) - rank(b) })
	for _, folder := range all {
		var cells []any
		for _, n := range t[folder] {
			cells = append(cells, n)
		}
		write(folder, cells...)
	}
	return b.String()
}

func parseTable(text string) (table, error) {
	t := table{}
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		var folder string
		var r row
		if _, err := fmt.Sscan(line, &folder, &r[0], &r[1], &r[2], &r[3], &r[4]); err != nil {
			return nil, fmt.Errorf("the table's line %d: %w", i+1, err)
		}
		t[folder] = r
	}
	return t, nil
}
