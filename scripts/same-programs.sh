#!/usr/bin/env bash
# same-programs.sh PROGRAM PROGRAM: two builds of random-programs, by different
# compilers, draw the same programs from the same seeds.
set -euo pipefail
first=$("$1" --seeds 1..300 --print | cksum)
second=$("$2" --seeds 1..300 --print | cksum)
if [ "$first" != "$second" ]; then
  echo "$1 and $2 draw different programs: one statement draws twice, perhaps (test/random/choices.h)" >&2
  exit 1
fi
echo "same programs from seeds 1 to 300: $first"
