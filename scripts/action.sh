#!/usr/bin/env bash
# The GitHub Action: gets a release, runs the commands, and writes the job's summary. The inputs are
# variables; action.yml says what they mean.
set -euo pipefail
: "${RUNNER_TEMP:=/tmp}" "${GITHUB_STEP_SUMMARY:=/dev/stdout}" "${GITHUB_PATH:=/dev/null}"
releases=${PIPELINE_RELEASES:-https://github.com/agent-pipeline/pipeline/releases/download}

# attest verifies that the release's workflow has built a file. Where gh cannot, the summary says so.
attest() {
  if gh attestation --help >/dev/null 2>&1; then
    gh attestation verify "$1" --repo agent-pipeline/pipeline
  else
    printf '### attestation: not verified\n\nThere is no `gh attestation` here. Only the checksum of %s was compared.\n\n' "$1" |
      tee -a "$GITHUB_STEP_SUMMARY"
  fi
}

# install puts the release's binary on PATH, after a look at its checksum and its attestation.
install() {
  local os arch ext=tar.gz
  case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) os=windows ext=zip ;; esac
  case $(uname -m) in x86_64) arch=amd64 ;; *) arch=arm64 ;; esac
  local file=pipeline_${PIPELINE_VERSION}_${os}_$arch.$ext dir=$RUNNER_TEMP/pipeline-$PIPELINE_VERSION
  mkdir -p "$dir"
  (
    cd "$dir"
    for name in "$file" checksums.txt; do
      curl -fsSL --retry 3 -o "$name" "$releases/v$PIPELINE_VERSION/$name"
    done
    grep " $file\$" checksums.txt | if command -v sha256sum >/dev/null; then sha256sum -c -; else shasum -a 256 -c -; fi
    attest "$file"
    if [ $ext = zip ]; then unzip -qo "$file"; else tar -xzf "$file"; fi
  ) >&2
  PATH=$dir:$PATH
  echo "$dir" >>"$GITHUB_PATH"
}

# report runs a command and writes what it prints into the summary. A failure is kept for the end; a project
# without scenarios has nothing to play, which is none.
report() {
  local title=$1 result=passed code=0 out
  shift
  out=$("$@" 2>&1) || code=$?
  if [ $code -eq 3 ] && [[ $out == "pipeline: no scenarios: "* ]]; then
    result=skipped
  elif [ $code -ne 0 ]; then
    result="failed (exit code $code)"
    failed+=("$title")
  fi
  printf '%s\n' "$out"
  printf '### %s: %s\n\n```text\n%s\n```\n\n' "$title" "$result" "$out" >>"$GITHUB_STEP_SUMMARY"
}

# find_config names the config in force that the repository has, by its path from the root.
find_config() {
  local file tracked
  pipeline check --fast 2>/dev/null | sed -n 's/: no problems$//p' | while IFS= read -r file; do
    tracked=$(git ls-files --full-name -- "$file" 2>/dev/null || true)
    if [ -n "$tracked" ]; then
      printf '%s\n' "$tracked"
      break
    fi
  done
}

# compare says what the pull request's change to the policy lets happen. A config with problems allows nothing
# that could be compared.
compare() {
  local old=$RUNNER_TEMP/pipeline-old/configs config
  if ! pipeline check --fast >/dev/null 2>&1; then
    failed+=("What the change allows")
    return 0
  fi
  config=$(find_config)
  git fetch --quiet --depth=1 origin "$BASE"
  mkdir -p "$old"
  if [ -z "$config" ] || ! git show "FETCH_HEAD:$config" >"$old/${config##*/}" 2>/dev/null; then
    return 0 # there was no policy
  fi
  git diff --quiet FETCH_HEAD HEAD -- "$(git rev-parse --show-toplevel)/$config" && return 0
  report "What the change allows" pipeline check ${FAIL_ON:+--fail-on "$FAIL_ON"} --diff "$old/${config##*/}"
  if [ "${COMMENT:-}" = true ] && [ -n "${PULL_REQUEST:-}" ]; then
    {
      printf '**What this change to the policy allows** (`pipeline check --diff`)\n\n```text\n'
      pipeline check --diff "$old/${config##*/}" || true
      printf '```\n'
    } >"$RUNNER_TEMP/pipeline-comment.md"
    gh pr comment "$PULL_REQUEST" --edit-last --create-if-none --body-file "$RUNNER_TEMP/pipeline-comment.md"
  fi
}

failed=()
[ "${PIPELINE_VERSION:-installed}" = installed ] || install
for command in ${RUN-check test}; do
  report "$command" pipeline "$command"
done
[ -z "${GATE:-}" ] || report gate pipeline report --since 30d --gate "$GATE"
[ -z "${BASE:-}" ] || compare
printf '### The pipeline\n\n```mermaid\n%s\n```\n' "$(pipeline graph --format mermaid)" >>"$GITHUB_STEP_SUMMARY"
if [ ${#failed[@]} -gt 0 ]; then
  echo "::error::pipeline: failed: ${failed[*]}"
  exit 1
fi
