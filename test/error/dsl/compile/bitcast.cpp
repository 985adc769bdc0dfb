// Want: the bytes of a row must be a whole number of elements
#include "kiln/kiln.h"
void wrong() {
  using namespace kiln;
  auto m = zeros<u16>(128_c, 3_c);
  auto n = bitcast<f32>(m);
}
