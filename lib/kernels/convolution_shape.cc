#include "lib/kernels/convolution_shape.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace lockstep {
namespace {

constexpr size_t kMaxElements = std::numeric_limits<int32_t>::max();

absl::Status Refuse(absl::string_view field, absl::string_view expected, uint64_t found) {
  return absl::InvalidArgumentError(absl::StrCat("convolution: ", field, " must be ", expected, ", found ", found));
}

// Whether the product of four numbers of 32 bits is at most kMaxElements.
bool Fits(uint64_t n0, uint64_t n1, uint64_t n2, uint64_t n3) {
  uint64_t product = n0;
  for (const uint64_t factor : {n1, n2, n3}) {
    if (product > kMaxElements) {
      return false;
    }
    product *= factor;  // below 2^31 * 2^32
  }
  return product <= kMaxElements;
}

absl::string_view PassName(ConvolutionPass pass) {
  switch (pass) {
    case ConvolutionPass::kForward:
      return "forward";
    case ConvolutionPass::kDataGradient:
      return "data gradient";
    case ConvolutionPass::kWeightGradient:
      return "weight gradient";
  }
  return "unknown pass";
}

absl::string_view TypeName(ConvolutionType type) {
  switch (type) {
    case ConvolutionType::kFp32:
      return "fp32";
    case ConvolutionType::kTf32:
      return "tf32";
    case ConvolutionType::kBf16:
      return "bf16";
  }
  return "an unknown type";
}

}  // namespace

absl::Status CheckConvolutionShape(const ConvolutionShape& shape) {
  if (shape.images == 0) {
    return Refuse("images", "at least 1", shape.images);
  }
  if (shape.in_channels == 0 || shape.out_channels == 0) {
    return Refuse("in_channels and out_channels", "at least 1", 0);
  }
  if (shape.filter != 1 && shape.filter != 3) {
    return Refuse("filter", "1 or 3", shape.filter);
  }
  if (shape.stride != 1 && shape.stride != 2) {
    return Refuse("stride", "1 or 2", shape.stride);
  }
  if (shape.in_size == 0 || shape.in_size % shape.stride != 0) {
    return Refuse("in_size", absl::StrCat("a positive multiple of the stride ", shape.stride), shape.in_size);
  }
  const uint32_t out_size = shape.in_size / shape.stride;
  if (!Fits(shape.images, shape.in_size, shape.in_size, shape.in_channels) ||
      !Fits(shape.images, out_size, out_size, shape.out_channels) ||
      !Fits(shape.out_channels, shape.filter, shape.filter, shape.in_channels)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "convolution: each tensor must have at most ", kMaxElements, " elements, found ", shape.images, " images of ",
        shape.in_size, "x", shape.in_size, " with ", shape.in_channels, " -> ", shape.out_channels, " channels"));
  }
  return absl::OkStatus();
}

uint32_t ConvolutionOutSize(const ConvolutionShape& shape) { return shape.in_size / shape.stride; }

ConvolutionOperands CountOperands(const ConvolutionShape& shape, ConvolutionPass pass) {
  const size_t out_size = ConvolutionOutSize(shape);
  const size_t x = size_t{shape.images} * shape.in_size * shape.in_size * shape.in_channels;
  const size_t w = size_t{shape.out_channels} * shape.filter * shape.filter * shape.in_channels;
  const size_t y = size_t{shape.images} * out_size * out_size * shape.out_channels;
  switch (pass) {
    case ConvolutionPass::kForward:
      return {x, w, y};
    case ConvolutionPass::kDataGradient:
      return {y, w, x};
    case ConvolutionPass::kWeightGradient:
      return {y, x, w};
  }
  return {};
}

double ConvolutionFlops(const ConvolutionShape& shape) {
  const double y = static_cast<double>(CountOperands(shape, ConvolutionPass::kForward).out);
  return 2 * y * shape.filter * shape.filter * shape.in_channels;
}

size_t ElementBytes(ConvolutionType type) { return type == ConvolutionType::kBf16 ? 2 : 4; }

std::string DescribeConvolution(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionType type) {
  return absl::StrCat(PassName(pass), " of a ", shape.filter, "x", shape.filter, "/", shape.stride, " convolution ",
                      shape.in_channels, "->", shape.out_channels, " of ", shape.images, " images of ", shape.in_size,
                      "x", shape.in_size, " in ", TypeName(type));
}

}  // namespace lockstep
