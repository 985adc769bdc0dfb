//===- OrderRules.h - Recording order and semaphores ---------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes in the Program: "waits" and "signals" of an instruction hold pairs
// of semaphore and tokens; "ordered" holds the number of a no_reorder and the
// place in it; "label" is a number that "after" of later operations refers to;
// "within" is the number of a memory scope.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DSL_LIB_RECORD_ORDERRULES_H
#define KILN_DSL_LIB_RECORD_ORDERRULES_H

#include "Recorder.h"
#include "kiln/isa/limits.h"

#include <algorithm>

namespace kiln::dsl {

Id recordSemaphore(Recorder &recorder, std::string_view name,
                   const Where &where);

void recordToken(Recorder &recorder, Id operation, bool isWait, Id semaphore,
                 std::int64_t count, const Where &where);

/// Labels are operation numbers here; finish() renumbers them.
void recordAfter(Recorder &recorder, Id later, Id earlier, const Where &where);

/// `operation` is so urgent, or what is recorded from now on if it is `none`.
void recordUrgency(Recorder &recorder, Id operation, std::int64_t urgency,
                   const Where &where);

/// What is recorded from now on takes memory only in these ranges.
void recordMemory(Recorder &recorder, const std::string &name,
                  const MemoryRange *ranges, std::size_t count,
                  const Where &where);

/// A core has room for one prepared collective.
Id recordPrepare(Recorder &recorder, const Where &where);
void recordTrigger(Recorder &recorder, Id number, const Where &where);
void checkNothingPrepared(const Recorder &recorder);

} // namespace kiln::dsl

#endif // KILN_DSL_LIB_RECORD_ORDERRULES_H
