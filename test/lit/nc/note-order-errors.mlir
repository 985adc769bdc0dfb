// RUN: kiln-opt %s --nc-note-order=all-memory=true --verify-diagnostics

// This pass refuses nothing.
// A kernel without accesses has no order to note.
func.func @nothing(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}
