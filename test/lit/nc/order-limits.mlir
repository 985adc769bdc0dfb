// RUN: python3 %S/../Inputs/straight_line.py stores 511 | kiln-opt --nc-order | FileCheck %s
// RUN: python3 %S/../Inputs/straight_line.py stores 512 | kiln-opt --nc-order | FileCheck %s
// RUN: python3 %S/../Inputs/straight_line.py stores 513 | kiln-opt --nc-order | FileCheck %s
// RUN: python3 %S/../Inputs/straight_line.py stores 514 | kiln-opt --nc-order | FileCheck %s
// RUN: python3 %S/../Inputs/straight_line.py stores 1025 | kiln-opt --nc-order | FileCheck %s
// RUN: python3 %S/../Inputs/straight_line.py stores 48 | kiln-opt --nc-order | FileCheck %s
// RUN: python3 %S/../Inputs/straight_line.py stores 51 | kiln-opt --nc-order | FileCheck %s
// RUN: python3 %S/../Inputs/straight_line.py stores 65 | kiln-opt --nc-order | FileCheck %s
// RUN: python3 %S/../Inputs/straight_line.py stores 68 | kiln-opt --nc-order | FileCheck %s

// 512 instructions are ordered at once, and 64 entries of a family are looked
// at one by one: on either side of both the second store stays behind the
// first, and the read behind both.
// CHECK: nc.memset {{.*}}value = 1.000000e+00
// CHECK: nc.memset {{.*}}value = 2.000000e+00
// CHECK: nc.activation
