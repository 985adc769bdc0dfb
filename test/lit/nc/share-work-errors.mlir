// RUN: kiln-opt %s --nc-share-work --verify-diagnostics

// This pass refuses nothing.
// What it cannot change stays as it is.
func.func @nothing(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
  }
  return
}
