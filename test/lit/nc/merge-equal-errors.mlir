// RUN: kiln-opt %s --merge-equal --verify-diagnostics

// This pass refuses nothing.
// What it does not know, it keeps.
func.func @unknown(%i: index) -> index {
  %0 = arith.muli %i, %i : index
  %1 = arith.muli %i, %i : index
  %2 = arith.addi %0, %1 : index
  return %2 : index
}
