package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/prometheus/prometheus/promql/parser"
)

// A selection is what a query asks for: metrics, and labels of them.
type selection struct {
	Metrics []string `json:"metrics"`
	Labels  []string `json:"labels"`
}

// listSelectors reads a JSON list of queries in PromQL and writes what each asks for. A query
// that Prometheus would refuse is an error.
func listSelectors(in io.Reader, out io.Writer) error {
	var queries []string
	if err := json.NewDecoder(in).Decode(&queries); err != nil {
		return fmt.Errorf("read queries: %w", err)
	}
	var all []selection
	for _, query := range queries {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
		if err != nil {
			return fmt.Errorf("%s: %w", query, err)
		}
		var s selection
		parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
			switch n := node.(type) {
			case *parser.VectorSelector:
				s.Metrics = append(s.Metrics, n.Name)
				for _, m := range n.LabelMatchers {
					if m.Name != "__name__" {
						s.Labels = append(s.Labels, m.Name)
					}
				}
			case *parser.AggregateExpr:
				s.Labels = slices.Concat(s.Labels, n.Grouping)
			}
			return nil
		})
		all = append(all, s)
	}
	return json.NewEncoder(out).Encode(all)
}
