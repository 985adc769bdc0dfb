// Want: constraints|constraint
#include "kiln/kiln.h"
void wrong(kiln::Out<kiln::f32, 2> y) {
  auto t = kiln::load(y);
}
