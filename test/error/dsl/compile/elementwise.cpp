// Want: shapes_do_not_broadcast<.*Got<128, 256>, .*Want<128, 512>
#include "kiln/kiln.h"
void wrong() {
  using namespace kiln;
  auto a = zeros<f32>(128_c, 512_c);
  auto b = zeros<f32>(128_c, 256_c);
  auto c = a + b;
}
