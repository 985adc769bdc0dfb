// RUN: not kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-hoist{budget=many}))' 2>&1 | FileCheck %s
// This pass refuses nothing.
// Only the value of its option may be wrong.
// CHECK: 'many' value invalid for {{.*}} argument
func.func @empty() {
  return
}
