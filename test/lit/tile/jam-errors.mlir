// RUN: not kiln-opt %s --pass-pipeline='builtin.module(func.func(tile-jam{budget=many}))' 2>&1 | FileCheck %s
// CHECK: 'many' value invalid for {{.*}} argument
func.func @empty() {
  return
}
