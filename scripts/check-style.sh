#!/usr/bin/env bash
# check-style.sh BUILD [FILE...] - what .clang-tidy decides, that clang compiles
# every header of the language alone, and that g++ compiles all of them.
#
# clang-tidy takes seconds per file, so it looks at the FILEs, or at what differs
# from the branch that this one will join, or, if nothing does, at what the last
# ten commits changed: at most 20 files, the newest first. It says how many it
# left out.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
jobs=$(nproc)
most=20

# A kernel file includes them in any order, with either compiler.
mapfile -t headers < <(git ls-files 'dsl/include/*.h')
echo "clang++-22: ${#headers[@]} headers of the language"
printf '%s\n' "${headers[@]}" | xargs -P "$jobs" -I{} clang++-22 -x c++ -std=c++20 -fsyntax-only \
  -Wall -Wextra -Wpedantic -Werror -Wno-pragma-once-outside-header -I dsl/include -I isa/include \
  -I "$build/isa/include" {}

echo "g++: all of them"
printf '#include "%s"\n' "${headers[@]#dsl/include/}" | g++ -x c++ -std=c++20 -fsyntax-only \
  -Wall -Wextra -Wpedantic -Werror -I dsl/include -I isa/include -I "$build/isa/include" -

changed() {
  if (($# > 0)); then
    printf '%s\n' "$@"
    return
  fi
  local base
  base=$(git merge-base HEAD "${KILN_BASE:-origin/main}" 2>/dev/null || true)
  if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
    git log -10 --name-only --format= HEAD
  else
    git log --name-only --format= "$base"..HEAD
  fi
}
# Each source with a command of its own, also where groups are compiled.
scripts/compile-commands.py "$build" "$build/style"
# Each once, the newest first, what is still there and was compiled.
mapfile -t files < <(changed "$@" | awk '!seen[$0]++' | grep '\.cpp$' | while read -r file; do
  [[ -f $file ]] && grep -q "\"file\": \"[^\"]*/$file\"" "$build/style/compile_commands.json" && echo "$file"
done)
left=$((${#files[@]} > most ? ${#files[@]} - most : 0))
files=("${files[@]:0:most}")
echo "clang-tidy: ${#files[@]} changed files, $left left out"
if ((${#files[@]} > 0)); then
  printf '%s\n' "${files[@]}" | xargs -P "$jobs" -n 4 clang-tidy-22 --quiet --warnings-as-errors='*' -p "$build/style"
fi
