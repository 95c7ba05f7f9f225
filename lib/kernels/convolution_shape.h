// What a convolution is, before any library: its shape, which of its three passes, in which type; and what follows from
// them: sizes, a name for messages, whether it can be at all, into which parts its batch is cut.
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

//  kForward:        a = x,  b = w,  out = y
//  kDataGradient:   a = dy, b = w,  out = dx
//  kWeightGradient: a = dy, b = x,  out = dw
enum class ConvolutionPass { kForward, kDataGradient, kWeightGradient };

// The type of all three tensors: float, float whose products are of TF32 (10 bits of mantissa), bf16. Sums are in fp32.
enum class ConvolutionType { kFp32, kTf32, kBf16 };

struct ConvolutionShape {
  uint32_t images = 0;
  uint32_t in_channels = 0;
  uint32_t in_size = 0;  // height and width of the input, a multiple of stride
  uint32_t out_channels = 0;
  uint32_t filter = 0;  // 1 or 3
  uint32_t stride = 0;  // 1 or 2
};

// Elements of a tensor that is handed to cuDNN, at most: 2^31 - 1, since cuDNN's engines count them in 32 bits. 32,768
// images of 64 channels of 32x32 have one more.
inline constexpr uint64_t kMaxConvolutionElements = (uint64_t{1} << 31) - 1;

// InvalidArgument, naming the field, unless the shape is one of the above, can be cut into parts (SplitConvolution), and has
// activations of at most 2^35 - 1 elements, which our own kernels count eight at a time in 32 bits.
absl::Status CheckConvolutionShape(const ConvolutionShape& shape);

// Height and width of the output. Here and in all functions below, the shape has passed the check.
uint32_t ConvolutionOutSize(const ConvolutionShape& shape);

// Elements of the tensors of a pass.
struct ConvolutionOperands {
  size_t a = 0;
  size_t b = 0;
  size_t out = 0;
};
ConvolutionOperands CountOperands(const ConvolutionShape& shape, ConvolutionPass pass);

// Multiplications and additions of a pass by definition, the ones with padding included, as it is usually counted.
double ConvolutionFlops(const ConvolutionShape& shape);

size_t ElementBytes(ConvolutionType type);

// Some images of a batch, one after another.
struct ConvolutionPart {
  uint32_t first = 0;
  uint32_t images = 0;
};

// The batch in as few parts as there must be for no tensor of a part to have more than `most_elements`: of one size, but that the
// last may be smaller, and each beginning with an image whose number is a multiple of 8, so that it lies at a multiple of 16
// bytes. None: 8 images have more.
std::vector<ConvolutionPart> SplitConvolution(const ConvolutionShape& shape, uint64_t most_elements);

// The same convolution of `images` images.
ConvolutionShape WithImages(ConvolutionShape shape, uint32_t images);

// What is timed to choose an engine for a shape: the shape itself, or 1,024 images of it if it has more. From there on every
// convolution of ResNet-18 fills an H200 many times over, so that engines rank alike; and tuning takes neither minutes nor,
// beside a step that fills the memory, memory that is not there.
ConvolutionShape TunedShape(const ConvolutionShape& shape);

// "data gradient of a 3x3/2 convolution 64->128 of 32 images of 16x16 in bf16"
std::string DescribeConvolution(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionType type);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_KERNELS_CONVOLUTION_SHAPE_H_
