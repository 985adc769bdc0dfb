// RUN: kiln-opt %s --nc-deal-queues --verify-diagnostics

// This pass refuses nothing.
// Without transfers, there are no queues.
func.func @nothing() {
  return
}
