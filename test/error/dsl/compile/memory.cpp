// Want: an engine reads on-chip memory only
#include "kiln/kiln.h"
void wrong(kiln::In<kiln::f32, 2> x) {
  using namespace kiln;
  auto t = sbuf<f32>(128_c, 64_c);
  nc::tensor_copy(t, x);
}
