// Want: / takes floats; cast the integers first
#include "kiln/kiln.h"
void wrong(kiln::In<kiln::i32, 2> x) {
  using namespace kiln;
  auto t = load(x);
  auto half = t / 2;
}
