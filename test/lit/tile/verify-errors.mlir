// RUN: kiln-opt %s --split-input-file --verify-diagnostics

#z = affine_map<() -> (0)>

func.func @orient(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{of 'tensor<128x64xf32>' cannot give 'tensor<128x64xf32>'}}
  %0 = tile.transpose %x : tensor<128x64xf32> -> tensor<128x64xf32>
  return
}

// -----

func.func @fuse(%x: tensor<128x64xf32>, %b: tensor<64x1xf32>) {
  // expected-error @+1 {{operand 'bias' must be [128, 1], found 'tensor<64x1xf32>'}}
  %0 = tile.activate exp %x bias %b : tensor<64x1xf32> : tensor<128x64xf32> -> tensor<128x64xf32>
  return
}

// -----

func.func @scalar(%x: tensor<128x64xf32>, %b: tensor<128x1xbf16>) {
  // expected-error @+1 {{operand 'operand0' must be f32, found 'tensor<128x1xbf16>'}}
  %0 = tile.chain %x operand0 %b : tensor<128x1xbf16> {op0 = #nc.alu_op<add>} : tensor<128x64xf32> -> tensor<128x64xf32>
  return
}

// -----

func.func @space(%x: memref<128x64xf32, #nc.space<sbuf>>) {
  // expected-error @+1 {{needs an HBM tensor, found 'memref<128x64xf32, #nc.space<sbuf>>'}}
  %0 = tile.load %x[] offset affine_map<() -> (0)> sizes [128, 64] strides [1, 1] : memref<128x64xf32, #nc.space<sbuf>> -> tensor<128x64xf32>
  return
}

// -----

func.func @reduction(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{reduces with add, multiply, maximum or minimum, found 'subtract'}}
  %0 = tile.reduce subtract %x : tensor<128x64xf32> -> tensor<128x1xf32>
  return
}

// -----

func.func @applyTransfer(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{computes no tile with 'dma_copy'}}
  %0 = tile.apply dma_copy(%x) ["src"] {} : (tensor<128x64xf32>) -> tensor<128x64xf32>
  return
}

// -----

func.func @apply(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{has no enumerator 'max9'}}
  %0 = tile.apply max9(%x) ["src"] {} : (tensor<128x64xf32>) -> tensor<128x8xf32>
  return
}

// -----

func.func @apply_operand(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{reads no operand 'dst'}}
  %0 = tile.apply max8(%x) ["dst"] {} : (tensor<128x64xf32>) -> tensor<128x8xf32>
  return
}

// -----

func.func @apply_sums(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{adds up no rows, but has a second result}}
  %0, %1 = tile.apply max8(%x) ["src"] {} : (tensor<128x64xf32>) -> (tensor<128x8xf32>, tensor<128x1xf32>)
  return
}

// -----

func.func @apply_sums_type(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{operand 'row_sum' must be [128, 1], found}}
  %0, %1 = tile.apply exponential(%x) ["src"] {} : (tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<128x2xf32>)
  return
}

// -----

func.func @apply_names(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{names 2 operands, has 1}}
  %0 = tile.apply max8(%x) ["src", "data"] {} : (tensor<128x64xf32>) -> tensor<128x8xf32>
  return
}

// -----

func.func @apply_rows(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{operand 'src' needs the rows of 'tensor<96x8xf32>', found 'tensor<128x64xf32>'}}
  %0 = tile.apply max8(%x) ["src"] {} : (tensor<128x64xf32>) -> tensor<96x8xf32>
  return
}

// -----

func.func @append_columns(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{the result must have the rows and the element type of a two-dimensional input, and one more column; found 'tensor<128x64xf32>' and 'tensor<128x66xf32>'}}
  %0 = tile.append %x, 1.0 : tensor<128x64xf32> -> tensor<128x66xf32>
  return
}

// -----

func.func @activate_row_op(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{'row_op' must be maximum, on a copy that a number scales}}
  %0, %1 = tile.activate exp %x {row_op = #nc.alu_op<maximum>} : tensor<128x64xf32> -> tensor<128x64xf32>, tensor<128x1xf32>
  return
}

// -----

func.func @scales_of_one(%a: tensor<32x64xvector<4xf8E4M3FN>>, %s: tensor<2x64xf8E8M0FNU>) {
  // expected-error @+1 {{cannot be 'tensor<2x64xf8E8M0FNU>'}}
  %0 = tile.matmul %a, %a scales %s, %s : tensor<2x64xf8E8M0FNU>, tensor<2x64xf8E8M0FNU> {transpose_a} : tensor<32x64xvector<4xf8E4M3FN>>, tensor<32x64xvector<4xf8E4M3FN>> -> tensor<64x64xf32>
  return
}

// -----

func.func @scaled_orientation(%a: tensor<32x32xvector<4xf8E4M3FN>>, %s: tensor<4x32xf8E8M0FNU>) {
  // expected-error @+1 {{of scaled tiles must contract the rows of both and have an even number of rows}}
  %0 = tile.matmul %a, %a scales %s, %s : tensor<4x32xf8E8M0FNU>, tensor<4x32xf8E8M0FNU> : tensor<32x32xvector<4xf8E4M3FN>>, tensor<32x32xvector<4xf8E4M3FN>> -> tensor<32x32xf32>
  return
}

// -----

func.func @quantized_shape(%x: tensor<128x64xf32>) {
  // expected-error @+1 {{of 'tensor<128x64xf32>' cannot give}}
  %0, %1 = tile.quantize %x : tensor<128x64xf32> -> tensor<32x64xvector<4xf8E4M3FN>>, tensor<4x64xf8E8M0FNU>
  return
}

// -----

func.func @seen_beyond(%x: memref<128x16xf32, #nc.space<hbm>>) {
  // expected-error @+1 {{touches elements 1 to 4096, but its base has 0 to 4095}}
  %0 = tile.load %x[] offset affine_map<() -> (1)> sizes [128, 32] strides [32, 1] : memref<128x16xf32, #nc.space<hbm>> -> tensor<128x32xbf16>
  return
}

// -----

func.func @seen_in_part() {
  %b = tile.declare : memref<128x6xui8, #nc.space<sbuf>>
  // expected-error @+1 {{views 6 bytes of 'memref<128x6xui8, #nc.space<sbuf>>' as elements of 'tensor<128x1xf32>'}}
  %0 = tile.read %b[] offset affine_map<() -> (0)> sizes [128, 1] strides [1, 1] : memref<128x6xui8, #nc.space<sbuf>> -> tensor<128x1xf32>
  return
}
