// Description of a convolution, independent of any library: shape, pass and type, and what follows from them: sizes, a
// name for messages, validity, and the division of the batch into parts.
//
// Activations are NHWC; weights are KRSC: (out_channels, filter, filter, in_channels). Padding is filter / 2 on all
// sides, so that the output is in_size / stride high and wide. No bias.
#ifndef LOCKSTEP_LIB_KERNELS_CONVOLUTION_SHAPE_H_
#define LOCKSTEP_LIB_KERNELS_CONVOLUTION_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace lockstep {

// Operands of each pass:
//  kForward:        a = x,  b = w,  out = y
//  kDataGradient:   a = dy, b = w,  out = dx
//  kWeightGradient: a = dy, b = x,  out = dw
enum class ConvolutionPass { kForward, kDataGradient, kWeightGradient };

// Type of all three tensors: float, float with products in TF32 (10 bits of mantissa), bf16. Sums are in fp32.
enum class ConvolutionType { kFp32, kTf32, kBf16 };

struct ConvolutionShape {
  uint32_t images = 0;
  uint32_t in_channels = 0;
  uint32_t in_size = 0;  // height and width of the input; must be a multiple of stride
  uint32_t out_channels = 0;
  uint32_t filter = 0;  // 1 or 3
  uint32_t stride = 0;  // 1 or 2
};

// Maximum number of elements of a tensor that is passed to cuDNN: 2^31 - 1, since cuDNN's engines count elements in 32
// bits. 32,768 images of 64 channels of 32x32 have one element more.
inline constexpr uint64_t kMaxConvolutionElements = (uint64_t{1} << 31) - 1;

// Returns InvalidArgumentError, naming the field, unless the values are among those listed above, the batch can be
// divided into parts (SplitConvolution), and the activations have at most 2^35 - 1 elements, which our own kernels
// count in 32-bit units of eight.
absl::Status CheckConvolutionShape(const ConvolutionShape& shape);

// Returns the height and width of the output. Here and in all functions below, the shape must have passed
// CheckConvolutionShape.
uint32_t ConvolutionOutSize(const ConvolutionShape& shape);

// Number of elements of each tensor of a pass.
struct ConvolutionOperands {
  size_t a = 0;
  size_t b = 0;
  size_t out = 0;
};
ConvolutionOperands CountOperands(const ConvolutionShape& shape, ConvolutionPass pass);

// Returns the number of multiplications and additions of a pass by definition, including those with the padding, which
// is the usual count.
double ConvolutionFlops(const ConvolutionShape& shape);

size_t ElementBytes(ConvolutionType type);

// Consecutive images of a batch.
struct ConvolutionPart {
  uint32_t first = 0;
  uint32_t images = 0;
};

// Divides the batch into the smallest number of parts so that no tensor of a part has more than `max_elements`. All
// parts have the same size, except that the last may be smaller. Each part starts with an image whose index is a
// multiple of 8, so that its address is a multiple of 16 bytes. Returns an empty list if 8 images already have more
// elements.
std::vector<ConvolutionPart> SplitConvolution(const ConvolutionShape& shape, uint64_t max_elements);

// Returns the same convolution with `images` images.
ConvolutionShape WithImages(ConvolutionShape shape, uint32_t images);

// Returns the shape on which engines are timed: the shape itself, or 1,024 images of it if it has more. Beyond that
// size every convolution of ResNet-18 fills an H200 many times over, so the ranking of the engines does not change.
// Thus tuning neither takes minutes nor needs memory that a memory-filling step has already taken.
ConvolutionShape TunedShape(const ConvolutionShape& shape);

// Returns "data gradient of a 3x3/2 convolution 64->128 of 32 images of 16x16 in bf16".
std::string DescribeConvolution(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionType type);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_SHAPE_H_
