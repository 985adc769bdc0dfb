// RUN: python3 %S/../Inputs/straight_line.py loads 8 | kiln-opt --nc-choose-engines | FileCheck %s --check-prefix=EIGHT
// RUN: python3 %S/../Inputs/straight_line.py loads 9 | kiln-opt --nc-choose-engines | FileCheck %s --check-prefix=NINE
// RUN: python3 %S/../Inputs/straight_line.py loads 10 | kiln-opt --nc-choose-engines | FileCheck %s --check-prefix=TEN
// RUN: python3 %S/../Inputs/straight_line.py loads 11 | kiln-opt --nc-choose-engines | FileCheck %s --check-prefix=ELEVEN

// Engines serve queues in turn. Each of eight loads has a queue of its own.
// EIGHT: nc.dealt_queue}
// EIGHT-COUNT-7: nc.dealt_queue, queue = {{[1-7]}} : i32}

// Of nine, the last one would share queue 0 with the first one, which the next
// iteration issues behind it. Three queues have three loads each.
// NINE: nc.dealt_queue}
// NINE: nc.dealt_queue, queue = 1 : i32}
// NINE: nc.dealt_queue, queue = 2 : i32}
// NINE: nc.dealt_queue}
// NINE-NOT: queue = {{[3-7]}}

// Five queues have two of ten.
// TEN: nc.dealt_queue, queue = 4 : i32}
// TEN: nc.dealt_queue}
// TEN-NOT: queue = {{[5-7]}}

// No number of queues divides eleven.
// ELEVEN: nc.dealt_queue, queue = 7 : i32}
// ELEVEN: nc.dealt_queue}
