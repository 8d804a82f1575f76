#!/usr/bin/env bash
# Publishes what `make release-dry` has built: publish.sh DIST TAG. It may be run again after a failure: what is
# published already stays. $TAP is the repository of the Homebrew cask.
set -euo pipefail
dist=$1 tag=$2 version=${2#v}
if [ "$version" != "$(jq -r .version .claude-plugin/plugin.json)" ]; then
  echo "publish: the tag is $tag, and .claude-plugin/plugin.json has another version" >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The release is a draft until the packages are there.
awk -v heading="## [$version]" 'index($0, "## ") == 1 {found = index($0, heading) == 1; next} found' CHANGELOG.md >"$work/notes"
if ! grep -q . "$work/notes"; then
  echo "publish: CHANGELOG.md has no text below ## [$version]" >&2
  exit 1
fi
gh release view "$tag" >/dev/null 2>&1 ||
  gh release create "$tag" --draft --verify-tag --title "$tag" --notes-file "$work/notes"
gh release upload "$tag" --clobber "$dist"/checksums.txt "$dist"/nix/flake.nix "$dist"/*.{tar.gz,zip,deb,rpm,cdx.json}

# publish_package publishes a package of npm, unless it is there.
publish_package() {
  local name
  name=$(tar -xzOf "$1" package/package.json | jq -r .name)
  npm view "$name@$version" version >/dev/null 2>&1 || npm publish --provenance --access public "$1"
}
main=$dist/npm/agent-pipeline-pipeline-$version.tgz
for package in "$dist"/npm/*-"$version".tgz; do
  [ "$package" = "$main" ] || publish_package "$package"
done
publish_package "$main" # it names the others, so it comes last
gh release edit "$tag" --draft=false

git clone --quiet --depth 1 "$TAP" "$work/tap"
mkdir -p "$work/tap/Casks"
cp "$dist/homebrew/Casks/pipeline.rb" "$work/tap/Casks/"
cd "$work/tap"
git add Casks
git diff --cached --quiet || {
  git -c user.name=pipeline -c user.email=pipeline@agent-pipeline.invalid commit --quiet -m "pipeline $version"
  git push --quiet
}
