// RUN: python3 %S/../Inputs/straight_line.py buffers 65537 | kiln-opt --emit-assembly 2>&1 | FileCheck %s

// 65535 buffers have numbers of their own; then the numbers begin anew.
// CHECK: #65535 %65535 {{.*}}
// CHECK-NEXT: #65536 %1 {{.*}}
// CHECK-NEXT: #65537 %2 {{.*}}
// CHECK: .buffer 65535
// CHECK-NOT: .buffer 65536
