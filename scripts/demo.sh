#!/usr/bin/env bash
# demo.sh BUILD OUT: one kernel from C++ to verified numbers, with everything
# that was made on the way left in OUT. The figures come first, then the
# commands that gave them.
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
# A command and what it prints, for later; FILE is in OUT.
run() {
  local file=$out/$1
  shift
  { echo "\$ ${*/#$kiln/kiln}"; "$@"; } >>"$file" || { cat "$file"; return 1; }
}
# The line of FILE that begins so, with an indent.
line() { grep -m1 "^  $2" "$out/$1"; }

run compile.txt "$kiln" compile softmax "${parameters[@]}" --target trn2 --dump-dir "$out/passes" -o "$out/softmax.kbin"
"$kiln" disasm "$out/softmax.kbin" -o "$out/softmax.kasm"
run compile.txt "$kiln" verify "$out/softmax.kbin"
run run.txt "$kiln" run "$out/softmax.kbin" --random-seed 1 --reference --out y="$out/y.npy"
run profile.txt "$kiln" profile "$out/softmax.kbin" --json "$out/profile.json" --trace "$out/trace.json" --html "$out/report.html"
run matmul.txt "$kiln" profile matmul --m=4096 --k=4096 --n=4096 --target trn2

say "A softmax of 4096 x 4096 in bf16 on trn2, from C++ to verified numbers"
line profile.txt makespan
line profile.txt 'lower bound'
awk '$1 == "y" && $NF == "ok" { print "  error           relative l2 " $5 " against plain loops in double precision: " $NF }' "$out/run.txt"
say "A product of two 4096 x 4096 matrices in bf16 on trn2"
line matmul.txt makespan
line matmul.txt utilisation
line matmul.txt 'lower bound'

say "1. Compile"
cat "$out/compile.txt"
say "2. Run the binary, bit for bit, with all checks, and compare with plain loops in double precision"
cat "$out/run.txt"
say "3. Time it: how long it takes, what limits it, what each engine waits for"
cat "$out/profile.txt"
say "4. The product, timed alone"
sed -n 1,6p "$out/matmul.txt"

say "Files written"
passes=$(find "$out/passes" -type f | wc -l)
cat <<END
  $kernel   the kernel's source
  $out/passes/   the IR after every pass, $passes files
  $out/softmax.kasm   the instructions as text
  $out/softmax.kbin   the binary that ran
  $out/y.npy   its result
  $out/profile.json, $out/trace.json   the numbers, and the timeline for any Chrome trace viewer
  $build/docs/isa.md   the instruction manual; continue with docs/tutorial/README.md
END
say "Use the tool:    export PATH=$(realpath "$build/bin"):\$PATH"
echo "Open the report: $(realpath "$out/report.html")"
