//===- Crash.h - When it is our fault -----------------------------------===//
//
// Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A reproducer is a text file: version, command line, working folder, what the
// command was doing, and the recorded Program once there is one. It is written
// when a command ends with code 70, from an exception or from a signal.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_CRASH_H
#define KILN_TOOLS_KILN_CRASH_H

#include <span>
#include <string>

namespace kiln::tool {

/// Catches fatal signals from here on.
void installCrashHandler(std::span<const std::string> commandLine);

/// What the command does now, for the message and the reproducer. While the
/// user's own code runs, a fatal signal is the user's (exit code 1).
void enterPhase(const std::string &phase, bool userCode = false);

/// Adds text, the Program above all, to a later reproducer.
void addToReproducer(const std::string &title, const std::string &text);

/// Writes the reproducer; its path, or empty where it cannot be written.
std::string writeReproducer(const std::string &error);

} // namespace kiln::tool

#endif // KILN_TOOLS_KILN_CRASH_H
