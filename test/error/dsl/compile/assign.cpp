// Want: shapes_differ<.*Got<128, 2>, .*Want<128, 1>
#include "kiln/kiln.h"
void wrong() {
  using namespace kiln;
  auto m = zeros<f32>(128_c, 1_c);
  m = zeros<f32>(128_c, 2_c);
}
