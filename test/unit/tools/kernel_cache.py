"""kernel_cache.py KILN WORK: a user's .cpp is compiled once, and anew when it must be."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

kiln, work = sys.argv[1], Path(sys.argv[2])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
os.chdir(work)
cache = work / "cache"

# A compiler that counts how often it compiles.
Path("cxx").write_text("""#!/bin/sh
case "$*" in *--version*) ;; *) echo x >> count ;; esac
exec c++ "$@"
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
