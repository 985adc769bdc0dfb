// Want: shapes_differ<.*Got<256>, .*Want<128>
#include "kiln/kiln.h"
void wrong() {
  using namespace kiln;
  auto a = zeros<f32>(128_c, 64_c);
  auto b = zeros<f32>(256_c, 512_c);
  auto c = matmul(a, b);
}
