// ResNet-18 or ResNet-34 for small images as a list of convolutions, each with the batch norm after it, and the
// positions of their parameters. The fused training step iterates over this list.
//
// The network is that of lib/nn/networks/resnet.cc (He et al. 2016; 3x3 stem, no max-pool). Parameters lie in flat
// arrays, so that one launch can update them all:
//
//   weights      the convolutions in order, each (out, filter, filter, in), the first with zeros after each `out`;
//                then the fully connected layer, (classes, 512)
//   batch_norms  gamma of all channels, beta of all channels, the fully connected layer's bias
//   running      running mean of all channels, running variance of all channels
#ifndef LOCKSTEP_LIB_FUSED_RESNET_UNITS_H_
#define LOCKSTEP_LIB_FUSED_RESNET_UNITS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/networks/fused_shape.h"

namespace lockstep {

// Channels of the first convolution, a 3x3 convolution of 3 channels that runs as a 1x1 convolution over patches
// (augment_batch.h): 27 numbers and 5 zeros per pixel.
inline constexpr uint32_t kStemChannels = 32;

// A convolution without bias and the batch norm of its output.
struct ConvolutionUnit {
  std::string conv_name;        // name in a checkpoint: "layer2.0.shortcut.0"; its weight is conv_name + ".weight"
  std::string batch_norm_name;  // "layer2.0.shortcut.1"
  uint32_t in_channels = 0;     // input channels in the network
  uint32_t in_size = 0;         // height and width
  uint32_t out_channels = 0;
  uint32_t filter = 0;  // 1 or 3; padding is filter / 2
  uint32_t stride = 0;
  uint32_t matrix_channels = 0;  // input channels as computed; differ from in_channels only for the first convolution
  uint32_t matrix_filter = 0;    // filter as computed
  size_t weight = 0;             // first element in `weights`
  size_t channel = 0;            // first channel in `batch_norms` and `running`

  uint32_t out_size() const { return in_size / stride; }
  size_t weight_count() const { return size_t{out_channels} * matrix_filter * matrix_filter * matrix_channels; }
  size_t out_elements() const { return size_t{out_size()} * out_size() * out_channels; }  // elements per image
  bool is_shortcut() const { return filter == 1; }
};

// Indices into `units`. relu(norm2(conv2(relu(norm1(conv1(x))))) + shortcut(x)).
struct ResidualBlock {
  size_t conv1 = 0;
  size_t conv2 = 0;
  std::optional<size_t> shortcut;  // nullopt: x itself
};

struct ResNetUnits {
  std::vector<ConvolutionUnit> units;  // units[0] is the stem
  std::vector<ResidualBlock> blocks;   // blocks in network order
  size_t linear_weight = 0;            // first element in `weights`
  size_t weight_count = 0;
  size_t channel_count = 0;  // sum over all batch norms
  uint32_t features = 0;     // inputs of the fully connected layer: 512
  uint32_t image_size = 0;   // height and width of the images in pixels
  uint32_t positions = 0;    // positions that the average pooling takes: 16 for images of 32x32
  uint32_t classes = 0;      // outputs of the fully connected layer

  size_t batch_norm_count() const { return 2 * channel_count + classes; }  // elements of `batch_norms`
  size_t bias() const { return 2 * channel_count; }                        // offset in `batch_norms`
};

// Number of residual blocks in each of the four stages.
using StageBlocks = std::array<uint32_t, 4>;

inline constexpr StageBlocks kResNet18Blocks = {2, 2, 2, 2};
inline constexpr StageBlocks kResNet34Blocks = {3, 4, 6, 3};

// Returns the blocks of the networks that the fused step can train, by their names as values of --model: resnet18 and
// resnet34; nullopt for others.
std::optional<StageBlocks> FusedStageBlocks(absl::string_view model);

// Number of classes and size of the images of CIFAR-10.
inline constexpr uint32_t kCifar10Classes = 10;
inline constexpr uint32_t kCifar10ImageSize = 32;

// Makes the network. classes: 1 to kMaxFusedClasses; image_size: height and width, for which IsFusedImageSize must be
// true.
ResNetUnits MakeResNetUnits(const StageBlocks& blocks = kResNet18Blocks, uint32_t classes = kCifar10Classes,
                            uint32_t image_size = kCifar10ImageSize);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_RESNET_UNITS_H_
