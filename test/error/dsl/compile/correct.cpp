// Want: nothing
#include "kiln/kiln.h"
void right(std::int64_t n) {
  using namespace kiln;
  auto a = zeros<f32>(128_c, 512_c);
  auto b = zeros<f32>(128_c, n);
  auto c = a + b;
  c = a * zeros<f32>(128_c, 1_c);
}
