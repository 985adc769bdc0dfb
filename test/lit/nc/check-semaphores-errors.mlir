// RUN: kiln-opt %s --nc-check-semaphores --split-input-file --verify-diagnostics

func.func @never_given() attributes {nc.user_semaphores = ["ready"]} {
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 1>]}
  // expected-error @+1 {{[KILN-C121] the instruction would wait forever: it waits for 2 tokens of semaphore "ready", and what is written before it leaves 1; signal before the wait, in program order}}
  nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 2>]}
  return
}

// -----

// expected-error @+1 {{[KILN-C120] semaphore "ready" ends with 1 token, not 0; every token that is signalled must be taken}}
func.func @never_taken() attributes {nc.user_semaphores = ["ready"]} {
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 2>]}
  // expected-note @+1 {{the last wait for it is here}}
  nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 1>]}
  return
}

// -----

func.func @loop_gives() attributes {nc.user_semaphores = ["ready"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{[KILN-C120] each iteration of the loop gives 1 token of semaphore "ready" more than it takes; a loop body must take as many tokens as it signals}}
  scf.for %i = %c0 to %c8 step %c1 {
    nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 1>]}
  }
  nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 8>]}
  return
}

// -----

func.func @loop_takes() attributes {nc.user_semaphores = ["ready"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 8>]}
  // expected-error @+1 {{[KILN-C120] each iteration of the loop takes 1 token of semaphore "ready" more than it gives; a loop body must take as many tokens as it signals}}
  scf.for %i = %c0 to %c8 step %c1 {
    nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 1>]}
  }
  return
}

// -----

func.func @too_many() attributes {nc.user_semaphores = ["full"]} {
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 65535>]}
  // expected-error @+1 {{[KILN-C122] semaphore "full" would hold 65536 tokens, but it can hold only 65535; wait for some of them first}}
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 1>]}
  nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 65535>]}
  nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 1>]}
  return
}

// -----

func.func @two_wait() attributes {nc.user_semaphores = ["ready"]} {
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<0, 2>]}
  // expected-note @+1 {{the other stream waits here}}
  nc.semaphore {engine = #nc.engine<vector>, nc.user_waits = [#nc.token<0, 1>]}
  // expected-error @+1 {{[KILN-C123] the stream gpsimd waits for semaphore "ready", and so does vector: either could take the other's tokens; use a semaphore for each}}
  nc.semaphore {engine = #nc.engine<gpsimd>, nc.user_waits = [#nc.token<0, 1>]}
  return
}

// -----

func.func @no_such_semaphore() attributes {nc.user_semaphores = ["ready"]} {
  // expected-error @+1 {{[KILN-C120] the instruction names semaphore 1, but the kernel has 1}}
  nc.semaphore {engine = #nc.engine<scalar>, nc.user_signals = [#nc.token<1, 2>]}
  return
}
