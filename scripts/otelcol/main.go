// Command otelcol is an OpenTelemetry collector for the tests of `pipeline export`. It has
// what docs/fleet/collector.yaml names, and an exporter that appends what was received to a
// file before it answers, in the form of the collector's file exporter, which writes later.
// `otelcol promql` reads queries instead: see listSelectors.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/connector/countconnector"
	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/prometheusexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/deltatocumulativeprocessor"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry"
)

func main() {
	run := func() error {
		return otelcol.NewCommand(otelcol.CollectorSettings{
			BuildInfo: component.BuildInfo{Command: "otelcol", Version: "0.162.0"},
			Factories: makeFactories,
			ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
				DefaultScheme: "file", ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()}}},
		}).Execute()
	}
	if len(os.Args) == 2 && os.Args[1] == "promql" {
		run = func() error { return listSelectors(os.Stdin, os.Stdout) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "otelcol:", err)
		os.Exit(1)
	}
}

// makeFactories has what the tests use. The collector says nothing of itself: the packages
// that could are most of its build.
func makeFactories() (f otelcol.Factories, err error) {
	f.Telemetry = telemetry.NewFactory(func() component.Config { return &struct{}{} })
	if f.Receivers, err = otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory()); err != nil {
		return f, err
	}
	f.Processors, err = otelcol.MakeFactoryMap[processor.Factory](deltatocumulativeprocessor.NewFactory())
	if err != nil {
		return f, err
	}
	if f.Connectors, err = otelcol.MakeFactoryMap[connector.Factory](countconnector.NewFactory()); err != nil {
		return f, err
	}
	f.Exporters, err = otelcol.MakeFactoryMap[exporter.Factory](newAppendFactory(),
		otlphttpexporter.NewFactory(), prometheusexporter.NewFactory())
	return f, err
}

// An appendConfig is the section of the appending exporter in the collector's configuration.
type appendConfig struct {
	Path string `mapstructure:"path"`
}

func newAppendFactory() exporter.Factory {
	return exporter.NewFactory(component.MustNewType("append"),
		func() component.Config { return &appendConfig{} },
		exporter.WithLogs(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Logs, error) {
			return openFile(c)
		}, component.StabilityLevelDevelopment),
		exporter.WithTraces(func(_ context.Context, _ exporter.Settings, c component.Config) (exporter.Traces, error) {
			return openFile(c)
		}, component.StabilityLevelDevelopment))
}

// An appendExporter appends each request as one line, which a kill does not take back.
type appendExporter struct{ out *os.File }

func openFile(c component.Config) (*appendExporter, error) {
	out, err := os.OpenFile(c.(*appendConfig).Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &appendExporter{out}, err
}

func (*appendExporter) Start(context.Context, component.Host) error { return nil }
func (f *appendExporter) Shutdown(context.Context) error            { return f.out.Close() }
func (*appendExporter) Capabilities() consumer.Capabilities         { return consumer.Capabilities{} }

func (f *appendExporter) ConsumeLogs(_ context.Context, logs plog.Logs) error {
	line, err := (&plog.JSONMarshaler{}).MarshalLogs(logs)
	return f.append(line, err)
}

func (f *appendExporter) ConsumeTraces(_ context.Context, spans ptrace.Traces) error {
	line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(spans)
	return f.append(line, err)
}

func (f *appendExporter) append(line []byte, err error) error {
	if err == nil {
		_, err = f.out.Write(append(line, '\n'))
	}
	return err
}
