#!/usr/bin/env bash
# same-programs.sh PROGRAM PROGRAM: two builds of random-programs, by different
# compilers, draw the same programs from the same seeds.
set -euo pipefail
# Whatever folder the compiler was told.
drawn() { "$1" --seeds "$2..$2" --print | sed -E 's#^(!.* = ")[^"]*/#\1#'; }
for seed in {1..100}; do
  if ! difference=$(diff <(drawn "$1" "$seed") <(drawn "$2" "$seed")); then
    echo "$1 and $2 draw different programs from seed $seed: one statement draws twice, perhaps (test/random/choices.h)" >&2
    echo "$difference" >&2
    exit 1
  fi
done
echo "same programs from seeds 1 to 100"
