// Command otelcol is an OpenTelemetry collector for the tests of `pipeline export`: it
// receives OTLP and appends what it received to a file before it answers, in the form of
// the collector's file exporter, which writes later.
package main

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func main() {
	err := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "otelcol", Version: "0.162.0"},
		Factories: makeFactories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()}}},
	}).Execute()
	if err != nil {
		fmt.Fprintln(os.Stderr, "otelcol:", err)
		os.Exit(1)
	}
}

func makeFactories() (f otelcol.Factories, err error) {
	if f.Receivers, err = otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory()); err != nil {
		return f, err
	}
	f.Exporters, err = otelcol.MakeFactoryMap[exporter.Factory](newFileFactory())
	return f, err
}

// A fileConfig is the file exporter's section of the collector's configuration.
type fileConfig struct {
	Path string `mapstructure:"path"`
}

func newFileFactory() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("file"),
		func() component.Config { return &fileConfig{} },
		exporter.WithLogs(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Logs, error) {
			return openFile(c)
		}, component.StabilityLevelDevelopment),
		exporter.WithTraces(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Traces, error) {
			return openFile(c)
		}, component.StabilityLevelDevelopment))
}

// A fileExporter appends each request as one line, which a kill does not take back.
type fileExporter struct{ out *os.File }

func openFile(c component.Config) (*fileExporter, error) {
	out, err := os.OpenFile(c.(*fileConfig).Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &fileExporter{out}, err
}

func (*fileExporter) Start(context.Context, component.Host) error { return nil }
func (f *fileExporter) Shutdown(context.Context) error            { return f.out.Close() }
func (*fileExporter) Capabilities() consumer.Capabilities         { return consumer.Capabilities{} }

func (f *fileExporter) ConsumeLogs(_ context.Context, logs plog.Logs) error {
	line, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	return f.append(line, err)
}

func (f *fileExporter) ConsumeTraces(_ context.Context, spans ptrace.Traces) error {
	line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(spans)
	return f.append(line, err)
}

func (f *fileExporter) append(line []byte, err error) error {
	if err == nil {
		_, err = f.out.Write(append(line, '\n'))
	}
	return err
}
