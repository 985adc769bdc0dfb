// RUN: kiln-opt %s --nc-check-semaphores --split-input-file | FileCheck %s
// RUN: kiln-opt %s --cse --nc-check-semaphores --split-input-file | FileCheck %s
// RUN: kiln-opt %s --nc-check-semaphores --split-input-file --remark-format=emitRemark --remarks-filter='.*' 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: remark: [Analysis] SemaphoresMatch | Category:nc-check-semaphores | {{.*}}+semaphores=2

// In the order of the text every wait finds its tokens, in a loop too.
// CHECK-LABEL: func.func @passed_on
// CHECK-NOT: nc.paced_semaphores
func.func @passed_on() attributes {nc.user_semaphores = ["ready", "free"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  nc.semaphore {engine = #nc.engine<vector>, nc.user_signals = [#nc.token<1, 2>]}
  scf.for %i = %c0 to %c8 step %c1 {
    nc.semaphore {engine = #nc.engine<scalar>, nc.user_waits = [#nc.token<1, 1>], nc.user_signals = [#nc.token<0, 3>]}
    nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 3>], nc.user_signals = [#nc.token<1, 1>]}
  }
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_waits = [#nc.token<1, 2>]}
  return
}

// -----

// More than 65535 tokens in all: who gives must not run ahead.
// CHECK-LABEL: func.func @paced
// CHECK-SAME: nc.paced_semaphores = array<i64: 1>
func.func @paced() attributes {nc.user_semaphores = ["few", "many"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %few = arith.constant 65535 : index
  %many = arith.constant 65536 : index
  scf.for %i = %c0 to %few step %c1 {
    nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 1>]}
    nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 1>]}
  }
  scf.for %i = %c0 to %many step %c1 {
    nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<1, 1>]}
    nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<1, 1>]}
  }
  return
}

// -----

// All that a counter can hold.
// CHECK-LABEL: func.func @full
func.func @full() attributes {nc.user_semaphores = ["full"]} {
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 65534>]}
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 1>]}
  nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 65535>]}
  return
}
