# Every target works on a fresh machine with Go. `test-clients` also needs npm and tmux, for the real clients.
TAGS    = urfave_cli_no_docs,urfave_cli_no_suggest
VERSION = $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS = -s -w -X main.version=$(VERSION)
GO      = CGO_ENABLED=0 go
# A file that is written in one piece starts faster than the same bytes as the linker leaves
# them: see docs/performance.md.
copy    = mkdir -p $(dir $(2)) && dd if=$(1) of=$(2).new bs=67108864 2>/dev/null && chmod 755 $(2).new && mv -f $(2).new $(2)
PREFIX ?= $(shell go env GOPATH)

.DEFAULT_GOAL := help

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## build bin/pipeline and bin/pipeline-export
	$(GO) build -trimpath -tags $(TAGS) -ldflags "$(LDFLAGS)" -o bin/linked/pipeline ./cmd/pipeline
	@$(call copy,bin/linked/pipeline,bin/pipeline)
	$(GO) build -trimpath -tags $(TAGS) -ldflags "$(LDFLAGS)" -o bin/pipeline-export ./cmd/pipeline-export

demo: build ## run a whole session through the real hooks, in a temporary directory
	bin/pipeline demo

test: build ## run all tests but those with real clients, under Wine and with a collector
	$(GO) test -timeout 20m -tags $(TAGS) -skip '^TestClient' $(filter-out %/internal/e2e,$(shell go list ./...))
	@echo 'left out: make test-clients (needs npm, tmux), make test-collector, make test-windows (needs Wine)'

test-clients: build ## run the tests with the real clients, which npm installs into ~/.cache/pipeline-e2e
	$(GO) test -timeout 40m -tags $(TAGS) -run '^TestClient' ./cmd/pipeline
	$(GO) test -timeout 20m -tags $(TAGS) ./cmd/pipeline/internal/e2e

canary: build ## try npm's newest clients: what changed in their payloads, and does the scenario pass?
	export PIPELINE_E2E_CLIENTS=newest; \
	$(GO) test -v -count=1 -timeout 20m -tags $(TAGS) -run TestShapes ./cmd/pipeline/internal/e2e; shapes=$$?; \
	$(GO) test -count=1 -timeout 20m -tags $(TAGS) -run TestClientHosts ./cmd/pipeline && exit $$shapes

test-collector: ## build the OpenTelemetry collector, which takes minutes; run docs/fleet; kill it while records are exported
	PIPELINE_COLLECTOR=build $(GO) test -count=1 -timeout 60m -v -tags $(TAGS) -run 'TestFleet|TestStorm|TestUnit' ./cmd/pipeline-export

race: ## run the tests of all that runs in parallel under the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -timeout 30m -tags $(TAGS) -skip '^TestFast$$' ./fsm/... ./config/... ./hooks/...

vet-systems: ## check the code of all systems
	@for system in darwin windows; do for arch in amd64 arm64; do \
	GOOS=$$system GOARCH=$$arch $(GO) vet -tags $(TAGS) ./... || exit 1; done; done

test-windows: ## run tests and hook calls as Windows programs, under Wine
	go run ./scripts/test-windows

vuln: ## look for known vulnerabilities in what is linked; needs the database at vuln.go.dev
	GOBIN=$(CURDIR)/bin $(GO) install golang.org/x/vuln/cmd/govulncheck@v1.8.0
	@CGO_ENABLED=0 bin/govulncheck -tags $(TAGS) ./...; code=$$?; case $$code in 0|3) ;; \
	*) echo "not checked: the database of vulnerabilities was not reached" >&2;; esac; exit $$code

check: build ## check formatting, code, the shipped configs and the documents
	@test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	go vet -tags $(TAGS) ./...
	bin/pipeline check
	bin/pipeline check configs/toml/*.toml
	bin/pipeline check configs/minimal.yaml
	bin/pipeline check configs/presets/*.yaml
	bin/pipeline test configs/scenarios/*.txt
	go run ./scripts/pages commands | diff docs/commands.md - # differs? make docs
	go run ./scripts/pages reference | diff docs/config.md - # differs? make reference
	go run ./scripts/check-docs -binary bin/pipeline README.md CONTRIBUTING.md docs/*.md configs/presets/README.md
	@$(MAKE) --no-print-directory lint

docs: build ## write docs/commands.md from the commands, and configs/toml from the YAML presets
	go run ./scripts/toml-presets
	go run ./scripts/pages commands >bin/commands.md && mv bin/commands.md docs/commands.md

man: build ## write the man pages to man/man1
	go run ./scripts/pages man man/man1

lint: export GOFLAGS = -tags=$(TAGS)
lint: ## find mistakes, dead code and long lines; staticcheck.conf gives the reasons
	@failed=; for tool in staticcheck unparam nilness; do $(GO) tool $$tool ./... || failed=1; done; \
	found=$$($(GO) tool deadcode -test ./...) && test -z "$$found" || { echo "$$found"; failed=1; }; \
	$(GO) run ./scripts/check-lines || failed=1; \
	$(GO) run ./scripts/size || failed=1; \
	test -z "$$failed"

reference: ## write docs/config.md from the schema
	mkdir -p bin && go run ./scripts/pages reference >bin/config.md && mv bin/config.md docs/config.md

bench: build ## measure what a hook call costs
	go run ./scripts/bench -binary bin/pipeline
	PIPELINE_BENCH_CLIENT=1 $(GO) test -count=1 -timeout 30m -v -tags $(TAGS) -run '^TestClientGap$$' ./cmd/pipeline

faults: ## break hook calls at a thousand system calls, and at each kind of them
	PIPELINE_FAULTS=1000 go test -count=1 -timeout 60m -v -tags $(TAGS) ./cmd/pipeline/internal/faults

fuzz: ## compare 20,000 lines with what shells do, play 9,000 days, then fuzz the parsers of outside input, a minute each
	CI=true SHELL_FUZZ=20000 $(GO) test -count=1 -timeout 60m -v -tags $(TAGS) -run 'TestOracle|TestAttacks|TestConfined' ./fsm/shell
	DAYS=3000 $(GO) test -count=1 -timeout 60m -v -run TestDays ./fsm
	go test -fuzz FuzzParse -fuzztime 60s ./fsm/shell
	go test -fuzz FuzzRead -fuzztime 60s ./hooks/claude
	go test -fuzz FuzzParse -fuzztime 60s ./fsm/tasks
	go test -fuzz FuzzFind -fuzztime 60s ./fsm/tasks

# The version that is released next stands in the plugin's manifest. Of an archive's programs the one that is built
# first comes first, so they are built one after the other.
RELEASE_VERSION = $(shell sed -n 's/.*"version": "\(.*\)".*/\1/p' .claude-plugin/plugin.json)
GORELEASER = go run github.com/goreleaser/goreleaser/v2@v2.13.3

release-dry: ## build everything that a release has into dist, and publish nothing
	RELEASE_VERSION=$(RELEASE_VERSION) RELEASE_TIME=$$(git show -s --format=%ct) \
	RELEASE_DATE=$$(TZ=UTC git show -s --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd) $(GORELEASER) release --snapshot --clean --skip=publish --parallelism 1
	.release/package -dist dist -version $(RELEASE_VERSION)
	cd dist && sha256sum pipeline-plugins_*.tar.gz >>checksums.txt && cd nix && sha256sum flake.nix >>../checksums.txt

release-same: ## build the release twice, and compare every byte of it
	$(MAKE) release-dry && rm -rf .release/first && mv dist .release/first
	$(MAKE) release-dry && diff -r -x metadata.json -x config.yaml -x artifacts.json .release/first dist

workflows: ## check the workflows of CI and of a release
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

plugin: build ## put the marketplace with the plugins into dist/plugins, with the binary of this system
	go run ./scripts/package -binary $$(go env GOOS)-$$(go env GOARCH)=bin/pipeline plugins

test-release: ## look at what release-dry has built, install it in every way, and see the client refuse an agent
	PIPELINE_DIST=$(CURDIR)/dist $(GO) test -count=1 -v -run TestDist ./scripts/package
	PIPELINE_DIST=$(CURDIR)/dist $(GO) test -count=1 -timeout 20m -v -tags $(TAGS) -run TestClientInstalls ./cmd/pipeline

install: build ## install the binaries to $(PREFIX)/bin
	$(call copy,bin/pipeline,$(PREFIX)/bin/pipeline)
	$(call copy,bin/pipeline-export,$(PREFIX)/bin/pipeline-export)

.PHONY: workflows vet-systems test-windows release-dry release-same plugin test-release test-collector help build demo test test-clients canary race vuln check docs man lint reference bench faults fuzz install
