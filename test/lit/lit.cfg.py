# How lit runs the tests of this folder.
import os

import lit.formats

config.name = "Kiln"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".program", ".kasm"]
config.excludes = ["CMakeLists.txt", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.test_output
config.environment["PATH"] = os.pathsep.join(
    [config.kiln_tools, config.llvm_tools, os.environ.get("PATH", "")])
# `make sanitized` does not build it.
if os.path.exists(os.path.join(config.kiln_tools, "kiln")):
    config.available_features.add("kiln")
