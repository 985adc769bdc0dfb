#!/usr/bin/env bash
# same-programs.sh FOLDER FOLDER: random-programs of two builds, of different
# compilers, draws the same programs from the same seeds.
set -euo pipefail
first=$("$1/random-programs" --seeds 1..300 --print | cksum)
second=$("$2/random-programs" --seeds 1..300 --print | cksum)
if [ "$first" != "$second" ]; then
  echo "random-programs of $1 and $2 draw different programs: one statement draws twice, perhaps (test/random/choices.h)" >&2
  exit 1
fi
echo "same programs from seeds 1 to 300: $first"
