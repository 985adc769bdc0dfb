// RUN: kiln-opt %s --nc-deal-queues --verify-diagnostics

// It refuses nothing: without transfers, there are no queues.
func.func @nothing() {
  return
}
