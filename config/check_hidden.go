package config

import (
	"fmt"
	"strings"
)

// checkHidden reports rules that never decide anything, because earlier ones decide whatever
// they fit. A rule with another problem neither hides nor is hidden.
func (k *checker) checkHidden(s Rules, at trail, wrong []bool) {
	rules := k.Config.compileRules(s, at, k.origins)
	for i := range rules.List {
		if wrong[i] {
			rules.List[i].Tools = nil
		}
	}
	name := func(i int) trail { return at.key("rules").item(i).key("name") }
	for i := range rules.List {
		var by []string
		for _, j := range rules.Covered(i, k.stateNames()) {
			by = append(by, fmt.Sprintf("%s in line %d", quoteShort(rules.List[j].Name),
				k.origins.at[name(j)].value.line))
		}
		if len(by) > 0 {
			k.report(name(i), fmt.Sprintf("found rule %s that never decides: %s always does",
				quoteShort(rules.List[i].Name),
				strings.Join(by, " or ")), "put the narrower rule first")
		}
	}
}
