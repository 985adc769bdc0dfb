// RUN: python3 %S/../Inputs/straight_line.py cone 4095 | kiln-opt --pass-pipeline='builtin.module(func.func(tile-stream{budget=20000}))' | FileCheck %s --check-prefix=TAKEN
// RUN: python3 %S/../Inputs/straight_line.py cone 4096 | kiln-opt --pass-pipeline='builtin.module(func.func(tile-stream{budget=20000}))' | FileCheck %s --check-prefix=TAKEN
// RUN: python3 %S/../Inputs/straight_line.py cone 4097 | kiln-opt --pass-pipeline='builtin.module(func.func(tile-stream{budget=20000}))' | FileCheck %s --check-prefix=LEFT

// A store with up to 4096 operations behind it is taken apart; a larger one
// stays as it is, and its tiles are told to the user as too large.
// TAKEN: scf.for
// TAKEN: tile.load
// TAKEN-SAME: sizes [300, 512]
// LEFT-NOT: scf.for
// LEFT: tile.load
// LEFT-SAME: sizes [300, 1024]
// LEFT-NOT: scf.for
