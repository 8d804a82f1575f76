package config

import "io"

func PrintJSON(io.Writer, *Config) error { return nil }

func Print(io.Writer, *Config, *Origins) error { return nil }
