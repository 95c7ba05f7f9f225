#include "lib/kernels/convolution_reference.h"

#include <cuda_bf16.h>

#include <algorithm>

namespace lockstep {
namespace {

double Value(double value) { return value; }
double Value(float value) { return value; }
double Value(__nv_bfloat16 value) { return static_cast<float>(value); }

// Calls visit(x, w, y) with the indices of each product of the sum y += x * w, excluding the padding.
template <typename F>
void ForEachProduct(const ConvolutionShape& shape, F visit) {
  const size_t in = shape.in_size, out = ConvolutionOutSize(shape), c_count = shape.in_channels;
  const size_t k_count = shape.out_channels, f = shape.filter, padding = f / 2;
  for (size_t n = 0; n < shape.images; ++n) {
    for (size_t row = 0; row < out; ++row) {
      for (size_t column = 0; column < out; ++column) {
        for (size_t r = 0; r < f; ++r) {
          for (size_t s = 0; s < f; ++s) {
            const size_t h = row * shape.stride + r, w = column * shape.stride + s;  // position in the padded image
            if (h < padding || h >= in + padding || w < padding || w >= in + padding) {
              continue;
            }
            const size_t x = ((n * in + h - padding) * in + w - padding) * c_count;
            const size_t y = ((n * out + row) * out + column) * k_count;
            for (size_t k = 0; k < k_count; ++k) {
              const size_t weight = ((k * f + r) * f + s) * c_count;
              for (size_t c = 0; c < c_count; ++c) {
                visit(x + c, weight + c, y + k);
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace

template <typename T>
void ConvolutionReference(const ConvolutionShape& shape, ConvolutionPass pass, const T* a, const T* b, double* out) {
  std::fill_n(out, CountOperands(shape, pass).out, 0.0);
  switch (pass) {
    case ConvolutionPass::kForward:
      ForEachProduct(shape, [&](size_t x, size_t w, size_t y) { out[y] += Value(a[x]) * Value(b[w]); });
      break;
    case ConvolutionPass::kDataGradient:
      ForEachProduct(shape, [&](size_t x, size_t w, size_t y) { out[x] += Value(a[y]) * Value(b[w]); });
      break;
    case ConvolutionPass::kWeightGradient:
      ForEachProduct(shape, [&](size_t x, size_t w, size_t y) { out[w] += Value(a[y]) * Value(b[x]); });
      break;
  }
}

template void ConvolutionReference(const ConvolutionShape&, ConvolutionPass, const float*, const float*, double*);
template void ConvolutionReference(const ConvolutionShape&, ConvolutionPass, const double*, const double*, double*);
template void ConvolutionReference(const ConvolutionShape&, ConvolutionPass, const __nv_bfloat16*, const __nv_bfloat16*,
                                   double*);

}  // namespace lockstep
