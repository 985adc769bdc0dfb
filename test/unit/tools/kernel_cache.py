"""kernel_cache.py KILN WORK COMPILER: a user's .cpp is compiled once, and anew when it must be."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

kiln, work, compiler = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(work)
cache = work / "cache"

# A compiler that counts how often it compiles, and keeps its words.
Path("cxx").write_text(f"""#!/bin/sh
case "$*" in
*--version*) ;;
*c++-header*) echo x >> preludes ;;
*) echo x >> count; echo "$*" > words ;;
esac
exec {compiler} "$@"
""")
Path("cxx").chmod(0o755)
environment = dict(os.environ, KILN_CACHE_DIR=str(cache), CXX=str(work / "cxx"))

Path("a b.h").write_text('#define SUMMARY "first"\n')
Path("mine.cpp").write_text("""#include <kiln/kiln.h>
#include "a b.h"
using namespace kiln;
struct Copy {
  BOOST_HANA_DEFINE_STRUCT(Copy, (int, rows));
  static Copy defaults() { return {128}; }
  void describe(Signature &s) const {
    s.summary(SUMMARY);
    s.argument("x", {rows, 64});
    s.argument("y", {rows, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const {
    tiles("rows", rows, 128_c, [&](Index r, auto n) { store(y.rows_at(r, n), load(x.rows_at(r, n))); });
  }
};
KILN_EXPORT(copy, Copy)
""")


def summary(*words, **extra):
    done = subprocess.run([kiln, "list", "mine.cpp", *words], capture_output=True, text=True,
                          env=dict(environment, **extra))
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[0].split(": ")[1]


def compiled():
    return len(Path("count").read_text().split()) if Path("count").exists() else 0


assert summary() == "first" and compiled() == 1
assert summary() == "first" and compiled() == 1, "the second run compiled again"
Path("a b.h").write_text('#define SUMMARY "second"\n')
assert summary() == "second" and compiled() == 2, "an edited header went unseen"
Path("a b.h").write_text('#define SUMMARY "first"\n')
assert summary() == "first" and compiled() == 3
os.utime("mine.cpp")
assert summary() == "first" and compiled() == 3, "a new time alone must not compile"
assert summary("--no-cache") == "first" and compiled() == 4
# A damaged entry is not trusted, and a lost library is made again.
for manifest in cache.glob("*.manifest"):
    manifest.write_text("nonsense\n")
assert summary() == "first" and compiled() == 5
for library in cache.glob("*.so"):
    library.unlink()
assert summary() == "first" and compiled() == 6
# What does not compile leaves nothing behind.
before = sorted(cache.iterdir())
Path("bad.cpp").write_text("this is not C++\n")
done = subprocess.run([kiln, "list", "bad.cpp"], capture_output=True, text=True, env=environment)
assert done.returncode == 1 and "bad.cpp:1" in done.stderr, done.stderr
assert sorted(cache.iterdir()) == before
# A header of a folder that the environment names, which compilers count as the system's.
Path("elsewhere").mkdir()
Path("elsewhere/other.h").write_text('#define SUMMARY "third"\n')
mine = Path("mine.cpp").read_text()
Path("mine.cpp").write_text(mine.replace('"a b.h"', "<other.h>"))
for folders in ({"CPLUS_INCLUDE_PATH": str(work / "elsewhere")}, {"CPATH": str(work / "elsewhere")},
                {"CXX": f"{work / 'cxx'} -isystem {work / 'elsewhere'}"}):
    Path("elsewhere/other.h").write_text('#define SUMMARY "third"\n')
    before = compiled()
    assert summary(**folders) == "third" and compiled() == before + 1, folders
    assert summary(**folders) == "third" and compiled() == before + 1, folders
    Path("elsewhere/other.h").write_text('#define SUMMARY "fourth"\n')
    assert summary(**folders) == "fourth" and compiled() == before + 2, f"an edited header went unseen: {folders}"
Path("mine.cpp").write_text(mine)
assert summary() == "first"
# $XDG_CACHE_HOME serves where KILN_CACHE_DIR is not set.
assert summary(KILN_CACHE_DIR="", XDG_CACHE_HOME=str(work / "xdg")) == "first"
assert any((work / "xdg" / "kiln").iterdir())
# Two versions of a file in one process: each is itself, though the names of all in them are the same.
for name, rows in (("small.cpp", 128), ("large.cpp", 512)):
    Path(name).write_text(Path("mine.cpp").read_text().replace("return {128}", f"return {{{rows}}}"))
done = subprocess.run([kiln, "list", "small.cpp", "large.cpp"], capture_output=True, text=True, env=environment)
assert done.returncode == 0 and "--rows=128" in done.stdout and "--rows=512" in done.stdout, done.stdout + done.stderr
done = subprocess.run([kiln, "profile", "--compare", "small.cpp", "large.cpp"], capture_output=True, text=True, env=environment)
assert done.returncode == 0 and "+0.0 %" not in done.stdout.split("engine, busy")[0], done.stdout + done.stderr

# The headers of the language are precompiled once, for files that begin with them.
version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout
precompiles = "Free Software Foundation" in version or "clang version" in version
preludes = lambda: len(Path("preludes").read_text().split()) if Path("preludes").exists() else 0
uses_prelude = lambda: "-include" in Path("words").read_text()
source = Path("mine.cpp").read_text()
edits = 0


def edited(text=source):
    """The summary after an edit; the word 'seen' in it shows that what ran is new."""
    global edits
    edits += 1
    Path("mine.cpp").write_text(text.replace("SUMMARY);", f'"seen {edits}");'))
    assert summary() == f"seen {edits}"


if precompiles:
    shutil.rmtree(cache)
    Path("preludes").unlink()
    edited()
    assert preludes() == 1 and not uses_prelude(), "the first file waits for no prelude"
    edited()
    assert preludes() == 1 and uses_prelude()
    made = Path(next(cache.glob("prelude-*.gch")))
    # What is compiled with it depends on the same files as without.
    manifests = lambda: {line.split(" ", 1)[1] for file in cache.glob("*.manifest")
                         for line in file.read_text().splitlines()[1:]}
    for file in cache.glob("*.manifest"):
        file.unlink()
    edited()
    assert uses_prelude()
    with_prelude = manifests()
    shutil.rmtree(cache)
    edited()
    assert not uses_prelude() and manifests() == with_prelude
    assert any(file.endswith("kiln/dsl/tile.h") for file in with_prelude)
    # A damaged one is not used, and made again.
    def flipped(data):
        middle = len(data) // 2
        return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]
    for damage in (lambda data: data[:1000], flipped):
        made.write_bytes(damage(made.read_bytes()))
        before = preludes()
        edited()
        assert preludes() == before + 1 and not uses_prelude()
        edited()
        assert preludes() == before + 1 and uses_prelude()
    # Macros and includes that come first may change what the language's headers mean.
    for first in ("#define MINE 1\n", "#include <vector>\n", "int first;\n", "#if 1\n#endif\n"):
        edited(first + source)
        assert not uses_prelude(), first
    Path("mine.h").write_text("// mine\n#ifndef MINE_H\n#define MINE_H\n/* a */ #include \"kiln/kiln.h\"\n#endif\n")
    edited('#include "mine.h"\n' + source.split("\n", 1)[1])
    assert uses_prelude(), "the first include of the first include is the language"
    Path("mine.h").write_text("#include <cmath>\n#include <kiln/kiln.h>\n")
    edited('#include "mine.h"\n' + source.split("\n", 1)[1])
    assert not uses_prelude()
    # A file that needs no reference is not optimized; loops that compute are.
    edited()
    assert " -O0 " in Path("words").read_text()
    subprocess.run([kiln, "run", "mine.cpp", "--reference"], capture_output=True, env=environment)
    assert " -O1 " in Path("words").read_text() and not uses_prelude()
    # An edited header of the language is seen, with what was precompiled from it.
    include = next(Path(file).parents[2] for file in with_prelude if file.endswith("kiln/dsl/tile.h"))
    shutil.copytree(include, "copy")
    environment["CXX"] = f"{work / 'cxx'} -I{work / 'copy'}"
    edited()
    edited()
    assert uses_prelude()
    before = preludes()
    with open("copy/kiln/dsl/tile.h", "a") as header:
        header.write("\n#define KILN_EDITED 1\n")
    count = compiled()
    assert summary() == f"seen {edits}" and compiled() == count + 1 and preludes() == before + 1
    edited(source + "#ifndef KILN_EDITED\n#error old header\n#endif\n")
    assert uses_prelude()
    # An error of the file is told once, by its own line.
    Path("mine.cpp").write_text(source + "int x = ;\n")
    done = subprocess.run([kiln, "list", "mine.cpp"], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and len(re.findall("expected (?:primary-)?expression", done.stderr)) == 1, done.stderr
    # Several processes may make one at the same time.
    shutil.rmtree(cache)
    Path("mine.cpp").write_text(source)
    running = [subprocess.Popen([kiln, "list", "mine.cpp"], stdout=subprocess.PIPE, text=True, env=environment)
               for _ in range(3)]
    for process in running:
        assert process.communicate()[0].startswith("copy: first") and process.returncode == 0
    edited()
    assert uses_prelude()

# A run compiles one element type, and the reference only if it is asked for. A list compiles all.
TYPED = source.replace("struct Copy {", "template <class T> struct Copy {").replace("f32", "T") \
    .replace("(copy, Copy)", "(copy, Copy<f32>, Copy<bf16>, Copy<f16>)")
REFERENCE = "  void reference(Doubles x, Doubles y) const { y(0, 0) = x(0, 0); }\n};\nKILN_EXPORT"
NEVER = "static_assert(T::dtype != isa::DType::bf16);"


def told(*words):
    done = subprocess.run([kiln, *words], capture_output=True, text=True, env=environment)
    return done.returncode, done.stderr


for name, text in (("body.cpp", TYPED.replace("    tiles(", "    " + NEVER + "\n    tiles(", 1)),
                   ("reference.cpp", TYPED.replace("};\nKILN_EXPORT", REFERENCE.replace("y(0, 0)", NEVER + " y(0, 0)", 1), 1))):
    Path(name).write_text(text)
    assert NEVER in text, name
    before = compiled()
    for words, fails in ((("profile",), False), (("profile", "--dtype=f32"), False), (("compile", "--dtype=f16", "-o", "x.kbin"), False),
                         (("profile", "--dtype=bf16"), name == "body.cpp"), (("list",), True),
                         (("run", "--dtype=bf16", "--random-seed=1", "--reference"), True)):
        code, said = told(words[0], name, *words[1:])
        assert ("[KILN-T030]" in said) == fails and "internal" not in said, (name, words, said)
        assert fails or not precompiles or uses_prelude(), words
    count = compiled()
    assert told("profile", name)[0] == 0 and told("profile", name, "--dtype=f16")[0] == 0
    assert compiled() == count, "a form of a file is kept"
    code, said = told("profile", name, "--dtype=u8")
    assert "[KILN-A010]" in said and "f32, bf16, f16" in said, said
# What is kept of a run is no library of all types.
shutil.rmtree(cache)
assert told("profile", "body.cpp")[0] == 0
library = str(next(cache.glob("*.so")))
assert told("profile", library)[0] == 0
for words in (("--dtype=bf16",), ("--dtype=f16",)):
    code, said = told("profile", library, *words)
    assert code == 1 and "[KILN-T031]" in said and "KILN_COMPILED_TYPE" in said, said
Path("good.cpp").write_text(TYPED.replace("};\nKILN_EXPORT", REFERENCE, 1))
shutil.rmtree(cache)
assert told("run", "good.cpp", "--random-seed=1")[0] == 0
code, said = told("run", str(next(cache.glob("*.so"))), "--random-seed=1", "--reference")
assert code == 1 and "[KILN-T031]" in said, said

# A kernel of the library is included as the library does it, with no folder named.
for name in ("CPATH", "CPLUS_INCLUDE_PATH"):
    environment.pop(name, None)
Path("calls.cpp").write_text("""#include "normalization/softmax/kernel.h"
namespace kiln::kernels {
struct Calls {
  BOOST_HANA_DEFINE_STRUCT(Calls, (int, rows));
  static Calls defaults() { return {130}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 64});
    s.argument("y", {rows, 64});
  }
  void operator()(In<f32, 2> x, Out<f32, 2> y) const { Softmax<f32>{rows, 64}(x, y); }
};
} // namespace kiln::kernels
KILN_EXPORT(calls, kiln::kernels::Calls)
""")
done = subprocess.run([kiln, "run", "calls.cpp", "--random-seed=1"], capture_output=True, text=True, env=environment)
assert done.returncode == 0 and "y: f32[130, 64]" in done.stdout, done.stdout + done.stderr
