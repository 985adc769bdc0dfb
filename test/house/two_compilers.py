"""two_compilers.py KILN KERNELS WORK COMPILER...: equal source gives equal bytes, whatever compiler the user has.

Each kernel of the library, and one whose statements go over many lines, is built by each compiler; the Programs and the
binaries must be the same.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernels"))
import cases

kiln, kernels, work, compilers = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:]
missing = [name for name in compilers if not shutil.which(name)]
if missing or len(compilers) < 2:
    print(f"skipped: no compiler {missing}")
    sys.exit(77)
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
(work / "lines.cpp").write_text("""#include <kiln/kiln.h>
using namespace kiln;
template <class T> struct Lines {
  BOOST_HANA_DEFINE_STRUCT(Lines, (int, rows));
  static Lines defaults() { return {256}; }
  void describe(Signature &s) const {
    s.argument("x", {rows, 64});
    s.argument("y", {rows, 64});
  }
  auto twice(auto t,
             double f) const {
    auto u = t * f;
    return u
           + u;
  }
  auto deeper(auto t) const {
    return twice(
        t,
        3.0);
  }
  using Column = decltype(sbuf<f32>(128_c, std::int64_t{1}));
  static Column filled(double value) {
    auto made = sbuf<f32>(128_c, std::int64_t{1});
    nc::memset(made, value);
    return made;
  }
  void operator()(In<T, 2> x, Out<T, 2> y) const {
    Columns columns = {
        1.0};
    Constructed constructed(
        4.0);
    nc::tensor_copy(columns.b, constructed.c);
    loop("rows",
         rows / 128,
         [&](Index i) {
           auto a = load(
               x.rows(i, 128_c));
           // Before, between /* and */ behind "operators; {" of one statement.
           auto b = a * 2.0 +
                    exp(a -
                        row_max(a) *
                            (a +
                             1'000.0))
                        .name("long {")
               ;
           b = b
               + max(a
                       , b)
               / (1.0
                  + row_sum(b
                            * b));
           if (rows > 128) {
             b = where(a > 0.0,
                       -b,
                       b * a -
                           a);
           }
           auto helper = [&](auto z) { return z +
                                              a; };
           {
             no_reorder keep;
             auto left = exp(a) + sqrt(abs(b));
             auto right = trunc(left * 3.0);
             b = min(right, left) + sign(left);
             auto deep = deeper(
                 b);
             b = twice(deep,
                       0.5);
           }
           store(
               y.rows(i, 128_c),
               rows > 128
                   ? helper(b
                            + b)
                   : helper(b));
         });
  }
  struct Columns {
    double value;
    Column a = filled(value),
           b = filled(
               2.0);
  };
  struct Constructed {
    Column a = filled(3.0);
    Column b;
    Constructed(double value)
        : b(filled(
              value))
    {
      filled(
          value);
    }
    Column c = filled(5.0);
  };
};
KILN_EXPORT(lines, Lines<f32>, Lines<bf16>)
""")
# With its defaults, and as its first case on two cores.
launches = [(str(work / "lines.cpp"), [])]
for folder in cases.folders(kernels):
    source = str((folder / "kernel.cpp").relative_to(kernels))
    shared = [case for kind in ("small", "timed") for case in cases.read(folder, kind) if case.option("cores") == "2"]
    launches += [(source, []), *((source, [word for word in case.options if not word.startswith(("--inputs=", "--tolerance="))])
                                 for case in shared[:1])]
for source, given in launches:
    results = {}
    for compiler in compilers:
        # A library kernel includes the headers of its folder.
        environment = dict(os.environ, KILN_CACHE_DIR=str(work / "cache"), CXX=f"{compiler} -I. -Iinclude")
        output = work / "out.kbin"
        done = [subprocess.run([kiln, "compile", source, *given, *words], capture_output=True, text=True, cwd=kernels,
                               env=environment) for words in (["--emit=program"], ["-o", str(output)])]
        for each in done:
            if each.returncode != 0:
                sys.exit(f"{source}, {compiler}: {each.returncode} {each.stderr}")
            if "kernel.cpp" in source and "warning:" in each.stderr:
                sys.exit(f"{source}: a kernel of the library is warned of: {each.stderr}")
        results[compiler] = (done[0].stdout, output.read_bytes())
        if "lines" in source and " from " not in done[0].stdout:
            sys.exit(f"{compiler}: no calls of helpers")
    (first, (program, binary)), *others = results.items()
    for other, (program_there, binary_there) in others:
        if program != program_there:
            pairs = zip(program.splitlines(), program_there.splitlines())
            differ = next((f"{a}\n{b}" for a, b in pairs if a != b), "one is longer")
            sys.exit(f"{source}: the Programs of {first} and {other} differ:\n{differ}")
        if binary != binary_there:
            sys.exit(f"{source}: equal Programs, but the binaries differ")
print(f"{len(launches)} launches: equal Programs and equal bytes from {', '.join(compilers)}")
