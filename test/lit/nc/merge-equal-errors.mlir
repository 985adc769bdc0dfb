// RUN: kiln-opt %s --merge-equal --verify-diagnostics

// It refuses nothing: what it does not know, it keeps.
func.func @unknown(%i: index) -> index {
  %0 = arith.muli %i, %i : index
  %1 = arith.muli %i, %i : index
  %2 = arith.addi %0, %1 : index
  return %2 : index
}
