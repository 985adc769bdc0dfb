// RUN: python3 %S/../Inputs/pipelined.py gather trn3 | kiln-opt --nc-pipeline-loops | FileCheck %s --check-prefix=SLACK
// RUN: python3 %S/../Inputs/pipelined.py gather trn2 | kiln-opt --nc-pipeline-loops | FileCheck %s --check-prefix=DEEP
// RUN: python3 %S/../Inputs/pipelined.py turns trn3 16128 | kiln-opt --nc-pipeline-loops | FileCheck %s --check-prefix=ROOM
// RUN: python3 %S/../Inputs/pipelined.py turns trn3 16384 | kiln-opt --nc-pipeline-loops | FileCheck %s --check-prefix=FULL

// The first schedule has no slack, and a replay of it takes longer than the loop
// as it is. But its interval promises more, and one with slack keeps that.
// SLACK: scf.for {{.*}} to %c27 step %c3

// Here, each delay of a gather reaches the next one, because there is one copy
// of what it reads. With one more of each buffer, the loop runs at its interval.
// DEEP: scf.for {{.*}} to %c28 step %c4

// Scalar runs an instruction of vector in some iterations, which then takes
// longer. One more copy of each buffer absorbs that. Vector runs the first
// iteration, while the loop fills.
// ROOM-NOT: scf.for
// ROOM: nc.tensor_scalar {{.*}}engine = #nc.engine<vector>
// ROOM: scf.for {{.*}} to %c24{{.*}} step %c4

// They take half of the room for copies at most.
// FULL: scf.for {{.*}} to %c27{{.*}} step %c3
