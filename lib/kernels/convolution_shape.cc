#include "lib/kernels/convolution_shape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace lockstep {
namespace {

constexpr uint64_t kMaxActivations = (uint64_t{1} << 35) - 1;
constexpr uint32_t kPartImages = 8;  // parts start at multiples of this: 8 elements of bf16 are 16 bytes

absl::Status Refuse(absl::string_view field, absl::string_view expected, uint64_t found) {
  return absl::InvalidArgumentError(absl::StrCat("convolution: ", field, " must be ", expected, ", found ", found));
}

// Returns whether the product of four 32-bit numbers is at most `max_elements`, which must be below 2^40.
bool Fits(uint64_t max_elements, uint64_t n0, uint64_t n1, uint64_t n2, uint64_t n3) {
  for (const uint64_t factor : {n1, n2, n3}) {
    if (factor != 0 && n0 > max_elements / factor) {
      return false;
    }
    n0 *= factor;
  }
  return n0 <= max_elements;
}

// Returns whether both activations of `images` images have at most `max_elements` elements each.
bool ActivationsFit(const ConvolutionShape& shape, uint32_t images, uint64_t max_elements) {
  const uint32_t out_size = ConvolutionOutSize(shape);
  return Fits(max_elements, images, shape.in_size, shape.in_size, shape.in_channels) &&
         Fits(max_elements, images, out_size, out_size, shape.out_channels);
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
  if (!Fits(kMaxConvolutionElements, shape.out_channels, shape.filter, shape.filter, shape.in_channels) ||
      !ActivationsFit(shape, std::min(shape.images, kPartImages), kMaxConvolutionElements) ||
      !ActivationsFit(shape, shape.images, kMaxActivations)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "convolution: weights and ", kPartImages, " images must have at most ", kMaxConvolutionElements,
        " elements each, all images ", kMaxActivations, "; found ", shape.images, " images of ", shape.in_size, "x",
        shape.in_size, " with ", shape.in_channels, " -> ", shape.out_channels, " channels"));
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

std::vector<ConvolutionPart> SplitConvolution(const ConvolutionShape& shape, uint64_t max_elements) {
  if (ActivationsFit(shape, shape.images, max_elements)) {
    return {{0, shape.images}};
  }
  const ConvolutionOperands one = CountOperands(WithImages(shape, 1), ConvolutionPass::kForward);
  const uint64_t max_images = max_elements / std::max(one.a, one.out) / kPartImages * kPartImages;  // per part
  if (max_images == 0) {
    return {};
  }
  const uint64_t parts = (shape.images + max_images - 1) / max_images;
  const uint64_t size = ((shape.images + parts - 1) / parts + kPartImages - 1) / kPartImages * kPartImages;
  std::vector<ConvolutionPart> split;
  for (uint64_t first = 0; first < shape.images; first += size) {
    split.push_back({static_cast<uint32_t>(first), static_cast<uint32_t>(std::min(size, shape.images - first))});
  }
  return split;
}

ConvolutionShape WithImages(ConvolutionShape shape, uint32_t images) {
  shape.images = images;
  return shape;
}

ConvolutionShape TunedShape(const ConvolutionShape& shape) {
  constexpr uint32_t kMaxImages = 1024;
  return WithImages(shape, std::min(shape.images, kMaxImages));
}

size_t ElementBytes(ConvolutionType type) { return type == ConvolutionType::kBf16 ? 2 : 4; }

std::string DescribeConvolution(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionType type) {
  return absl::StrCat(PassName(pass), " of a ", shape.filter, "x", shape.filter, "/", shape.stride, " convolution ",
                      shape.in_channels, "->", shape.out_channels, " of ", shape.images, " images of ", shape.in_size,
                      "x", shape.in_size, " in ", TypeName(type));
}

}  // namespace lockstep
