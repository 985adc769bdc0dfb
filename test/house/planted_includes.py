#!/usr/bin/env python3
"""Plants an include against each rule of scripts/check-house.py: all are found,
and what is allowed is not."""
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("house", ROOT / "scripts" / "check-house.py")
house = importlib.util.module_from_spec(spec)
spec.loader.exec_module(house)

FORBIDDEN = [
    ("dsl/include/kiln/dsl/tile.h", "mlir/IR/Value.h"),
    ("dsl/lib/program.cpp", "fmt/format.h"),
    ("isa/include/kiln/isa/target.h", "kiln/sim/run.h"),
    ("isa/lib/Target.cpp", "kiln/program.h"),
    ("isa/lib/machine/Ports.cpp", "llvm/ADT/SmallVector.h"),
    ("isa/lib/machine/LinkLoads.cpp", "fmt/format.h"),
    ("isa/include/kiln/machine/links.h", "absl/strings/str_cat.h"),
    ("runtime-sim/lib/Run.cpp", "kiln/compiler/compile.h"),
    ("runtime-sim/lib/kernels/Dispatch.cpp", "../function/Lanes.h"),
    ("runtime-sim/lib/function/Team.cpp", "../checks/Checker.h"),
    ("runtime-sim/lib/peers/PeerOp.cpp", "../schedule/CoreContext.h"),
    ("runtime-sim/lib/checks/Checker.cpp", "../schedule/Scheduler.h"),
    ("runtime-sim/lib/checks/Checker.cpp", "../function/Lanes.h"),
    ("runtime-sim/lib/timing/World.cpp", "../schedule/Deadlock.h"),
    ("runtime-sim/lib/schedule/Cluster.cpp", "../timing/World.h"),
    ("kernels/support/tensors.h", "kiln/sim/run.h"),
    ("kernels/linear/swiglu/kernel.h", "string"),
    ("kernels/support/weights.h", "cmath"),
    ("compiler/lib/pipeline/Compile.cpp", "kiln/sim/run.h"),
    ("compiler/lib/support/Pieces.h", "problem/TextReader.h"),
    ("compiler/lib/problem/Common.cpp", "solve/order/PsumBanks.h"),
    ("compiler/include/kiln/compiler/problem/OrderProblem.h", "kiln/compiler/solve/AccessHistory.h"),
    ("compiler/lib/solve/order/OrderSolve.cpp", "kiln/compiler/prove/SynchronisationChecker.h"),
    ("compiler/lib/solve/order/OrderSolve.cpp", "llvm/ADT/DenseMap.h"),
    ("compiler/lib/prove/streams/Races.cpp", "solve/sync/SyncFootprint.h"),
    ("compiler/lib/prove/streams/Races.cpp", "mlir/IR/Value.h"),
    ("compiler/lib/prove/order/CheckOrder.cpp", "kiln/compiler/solve/AccessHistory.h"),
    ("compiler/lib/dialect/nc/Analysis.cpp", "kiln/compiler/transform/nc/Passes.h"),
    ("compiler/lib/transform/nc/Order.cpp", "kiln/compiler/convert/Emit.h"),
    ("compiler/lib/convert/emit/EmitModule.cpp", "kiln/compiler/pipeline/Pipeline.h"),
    ("runtime-sim/lib/timing/World.cpp", "schedule/Deadlock.h"),
    ("runtime-sim/lib/kernels/Dispatch.cpp", "function/Lanes.h"),
    ("runtime-sim/lib/function/Team.cpp", "checks/Checker.h"),
    ("runtime-sim/lib/peers/PeerOp.cpp", "schedule/CoreContext.h"),
    ("runtime-sim/lib/checks/Checker.cpp", "function/Lanes.h"),
    ("runtime-sim/lib/schedule/Cluster.cpp", "timing/World.h"),
    ("isa/tblgen/GenCalls.cpp", "kiln/isa/info.h"),
    ("tools/support/lib/Files.cpp", "kiln/compiler/compile.h"),
    ("tools/profile/lib/Json.cpp", "kiln/program.h"),
    ("tools/trial/lib/Trial.cpp", "kiln/profile/render.h"),
    ("tools/tune/lib/Search.cpp", "kiln/sim/run.h"),
    ("tools/kiln/Compile.cpp", "mlir/IR/Value.h"),
    ("tools/kiln-opt/kiln-opt.cpp", "kiln/sim/run.h"),
    # The same by way of folders.
    ("isa/include/kiln/isa/target.h", "../../../../dsl/include/kiln/program.h"),
    ("isa/lib/machine/Ports.cpp", "../../../compiler/include/kiln/compiler/compile.h"),
    ("isa/include/kiln/machine/links.h", "../../../../dsl/include/kiln/program.h"),
    ("isa/tblgen/GenCalls.cpp", "../include/kiln/isa/info.h"),
    ("dsl/lib/program/Print.cpp", "../../../runtime-sim/lib/Memory.h"),
    ("runtime-sim/lib/Run.cpp", "../../compiler/lib/pipeline/Steps.h"),
    ("runtime-sim/lib/kernels/Dispatch.cpp", "../checks/Checker.h"),
    ("kernels/linear/matmul/kernel.h", "../../../tools/support/include/kiln/tool/npy.h"),
    ("compiler/lib/pipeline/Compile.cpp", "../../../tools/profile/lib/Json.h"),
    ("compiler/lib/support/Pieces.cpp", "../problem/TextReader.h"),
    ("compiler/lib/problem/sync/Common.cpp", "../../solve/order/PsumBanks.h"),
    ("compiler/lib/solve/order/OrderSolve.cpp", "../../prove/order/Orders.h"),
    ("compiler/lib/prove/streams/Races.cpp", "../../solve/sync/SyncFootprint.h"),
    ("compiler/include/kiln/compiler/prove/Checker.h", "../solve/AccessHistory.h"),
    ("compiler/lib/dialect/nc/Analysis.cpp", "../../transform/nc/ChainForm.h"),
    ("compiler/lib/transform/nc/Order.cpp", "../../convert/emit/StreamEmitter.h"),
    ("compiler/lib/convert/emit/EmitModule.cpp", "../../pipeline/Steps.h"),
    ("tools/support/lib/Files.cpp", "../../profile/lib/Json.h"),
    ("tools/profile/lib/insights/Rules.cpp", "../../../trial/lib/Edits.h"),
    ("tools/trial/lib/Trial.cpp", "../../tune/include/kiln/tune/search.h"),
    ("tools/tune/lib/Search.cpp", "../../../runtime-sim/include/kiln/sim/run.h"),
    ("tools/kiln-opt/kiln-opt.cpp", "../profile/include/kiln/profile/render.h"),
]
ALLOWED = [
    ("compiler/lib/prove/order/CheckOrder.cpp", "mlir/IR/Value.h"),
    ("compiler/lib/prove/streams/Races.cpp", "kiln/compiler/problem/SyncProblem.h"),
    ("compiler/lib/transform/nc/Order.cpp", "kiln/compiler/solve/AccessHistory.h"),
    ("compiler/lib/solve/order/OrderSolve.cpp", "kiln/compiler/problem/OrderProblem.h"),
    ("dsl/lib/program.cpp", "kiln/program.h"),
    ("isa/lib/Encoding.cpp", "fmt/format.h"),
    ("runtime-sim/lib/timing/World.h", "../peers/Rendezvous.h"),
    ("runtime-sim/lib/checks/Checker.h", "../peers/PeerGroup.h"),
    ("runtime-sim/lib/schedule/CoreContext.h", "../checks/Checker.h"),
    ("compiler/lib/prove/streams/Races.cpp", "../Footprint.h"),
    ("compiler/lib/transform/nc/Order.cpp", "../../solve/order/PsumBanks.h"),
    ("tools/profile/lib/insights/Rules.cpp", "../Labels.h"),
    ("tools/kiln/Profile.cpp", "kiln/profile/render.h"),
    ("isa/tblgen/GenCalls.cpp", "llvm/TableGen/Record.h"),
    ("kernels/support/weights.h", "string_view"),
    ("kernels/include/kiln/kernels/library.h", "vector"),
]


def found(name, header):
    return list(house.include_problems(name, f'// First line.\n#include "{header}"\n'))


wrong = [f"not found: {name} includes {header}" for name, header in FORBIDDEN
         if [line for line, _ in found(name, header)] != [2]]
wrong += [f"a false alarm: {name} includes {header}" for name, header in ALLOWED if found(name, header)]


def planted(prefix, by_folders):
    """Whether a violation is planted below `prefix`, by way of folders or not."""
    return any(name.startswith(prefix) and header.startswith("../") == by_folders for name, header in FORBIDDEN)


for room in [f"compiler/lib/{room}" for room in house.ROOMS] + list(house.FORBIDDEN):
    public = room.replace("compiler/lib/", "compiler/include/kiln/compiler/")
    # No header of MLIR lies in a folder of the tree.
    for by_folders in (False, True)[:1 if house.FORBIDDEN.get(room) == "mlir" else 2]:
        if not any(planted(folder + "/", by_folders) for folder in (room, public)):
            wrong.append(f"no violation is planted in {room} {'by way of folders' if by_folders else 'by name'}")
for line, expected in (("#include <string> // Slow: a parameter is a text.", 0), ("#include <string> // Slow", 1), ("#include <string>", 1)):
    if len(list(house.include_problems("kernels/linear/swiglu/kernel.h", line))) != expected:
        wrong.append(f"wrong about a slow header: {line}")
for line, expected in (("  friend class Report;", 1), ("  friend bool operator==(const View &, const View &);", 0)):
    if len(list(house.include_problems("runtime-sim/lib/checks/Checker.h", line))) != expected:
        wrong.append(f"friends: {line.strip()}")
print("\n".join(wrong) or f"{len(FORBIDDEN)} planted includes found")
sys.exit(1 if wrong else 0)
