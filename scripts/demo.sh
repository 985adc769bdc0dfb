#!/usr/bin/env bash
# demo.sh BUILD OUT: one kernel from C++ to verified numbers, with everything
# that was made on the way left in OUT.
set -euo pipefail
build=${1:-build/release}
out=${2:-build/demo}
kiln=$build/bin/kiln
kernel=kernels/attention/flash_attention/kernel.h
rm -rf "$out"
mkdir -p "$out"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '\n%s\n' "$*"; }
run() { echo "\$ $*"; "$@"; }

say "1. Compile: causal flash attention, S = 2048, 4 heads, d = 128, bf16, for trn2"
run "$kiln" compile flash_attention --target trn2 --heads=4 --kv-heads=4 \
  --seq-q=2048 --seq-k=2048 --head-dim=128 --causal --dtype=bf16 \
  --dump-dir "$out/passes" -o "$out/flash.kbin"
"$kiln" disasm "$out/flash.kbin" -o "$out/flash.kasm"
run "$kiln" verify "$out/flash.kbin"

say "2. Run the binary, bit for bit, with all checks, and compare with plain loops in double"
run "$kiln" run "$out/flash.kbin" --random-seed 1 --reference --out o="$out/o.npy"

say "3. Time it"
run "$kiln" profile "$out/flash.kbin" --json "$out/profile.json" --trace "$out/trace.json"

say "Left behind"
passes=$(find "$out/passes" -type f | wc -l)
cat <<END
  $kernel   the kernel's source
  $out/passes/   the IR after every pass, $passes files
  $out/flash.kasm   the instructions as text
  $out/flash.kbin   the binary that ran
  $out/o.npy   its result
  $out/profile.json   the numbers of the table above
  $out/trace.json   the timeline, for any Chrome trace viewer
END
