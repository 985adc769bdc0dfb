// RUN: python3 %S/../Inputs/straight_line.py sharers 31 | kiln-opt --nc-choose-engines | FileCheck %s --check-prefix=NEAR
// RUN: python3 %S/../Inputs/straight_line.py sharers 32 | kiln-opt --nc-choose-engines | FileCheck %s --check-prefix=NEAR
// RUN: python3 %S/../Inputs/straight_line.py sharers 33 | kiln-opt --nc-choose-engines | FileCheck %s --check-prefix=FAR

// A copy goes to the engine that already uses its buffer, which saves a wait;
// a buffer with more than 32 users says nothing, and the least load decides.
// NEAR: nc.tensor_copy
// NEAR-SAME: engine = #nc.engine<scalar>
// FAR: nc.tensor_copy
// FAR-SAME: engine = #nc.engine<vector>
