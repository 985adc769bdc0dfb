#!/usr/bin/env bash
# demo.sh BUILD OUT: one kernel from C++ to verified numbers, with everything
# that was made on the way left in OUT.
set -euo pipefail
build=${1:-build/tool}
out=${2:-build/demo}
kiln=$build/bin/kiln
kernel=kernels/normalization/softmax/kernel.h
parameters=(--rows=4096 --cols=4096 --dtype=bf16)
rm -rf "$out"
mkdir -p "$out"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 ]] || say() { printf '\n%s\n' "$*"; }
run() { echo "\$ ${*/#$kiln/kiln}"; "$@"; }

say "1. Compile: softmax of a 4096 x 4096 matrix in bf16, for trn2"
run "$kiln" compile softmax "${parameters[@]}" --target trn2 --dump-dir "$out/passes" -o "$out/softmax.kbin"
"$kiln" disasm "$out/softmax.kbin" -o "$out/softmax.kasm"
run "$kiln" verify "$out/softmax.kbin"

say "2. Run the binary, bit for bit, with all checks, and compare with plain loops in double"
run "$kiln" run "$out/softmax.kbin" --random-seed 1 --reference --out y="$out/y.npy"

say "3. Time it: how long, what bounds it, what each engine waits for"
run "$kiln" profile "$out/softmax.kbin" --json "$out/profile.json" --trace "$out/trace.json" --html "$out/report.html"

say "4. A product of two 4096 x 4096 matrices, timed alone"
run "$kiln" profile matmul --m=4096 --k=4096 --n=4096 --target trn2 | sed -n 1,5p

say "Left behind"
passes=$(find "$out/passes" -type f | wc -l)
cat <<END
  $kernel   the kernel's source
  $out/passes/   the IR after every pass, $passes files
  $out/softmax.kasm   the instructions as text
  $out/softmax.kbin   the binary that ran
  $out/y.npy   its result
  $out/profile.json, $out/trace.json   the numbers, and the timeline for any Chrome trace viewer
  $build/docs/isa.md   the instruction manual; docs/tutorial/README.md is where to go on
END
say "Open the report: $(realpath "$out/report.html")"
echo "Use the tool:    export PATH=$(realpath "$build/bin"):\$PATH"
