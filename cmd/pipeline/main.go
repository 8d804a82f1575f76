// Pipeline makes an AI coding agent keep to a pipeline of agents. The agent's client calls it at every event.
package main

import "os"

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
