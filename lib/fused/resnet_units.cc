#include "lib/fused/resnet_units.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

constexpr uint32_t kImageChannels = 3;

// Appends units; the parameters of a unit follow those of the units before.
class Builder {
 public:
  size_t Add(std::string conv_name, std::string batch_norm_name, uint32_t in_channels, uint32_t in_size,
             uint32_t out_channels, uint32_t filter, uint32_t stride) {
    ConvolutionUnit unit;
    unit.conv_name = std::move(conv_name);
    unit.batch_norm_name = std::move(batch_norm_name);
    unit.in_channels = in_channels;
    unit.in_size = in_size;
    unit.out_channels = out_channels;
    unit.filter = filter;
    unit.stride = stride;
    unit.matrix_channels = in_channels == kImageChannels ? kStemChannels : in_channels;
    unit.matrix_filter = in_channels == kImageChannels ? 1 : filter;
    unit.weight = net_.weight_count;
    unit.channel = net_.channel_count;
    net_.weight_count += unit.weight_count();
    net_.channel_count += out_channels;
    net_.units.push_back(std::move(unit));
    return net_.units.size() - 1;
  }

  void AddBlock(const std::string& name, uint32_t in_channels, uint32_t in_size, uint32_t out_channels,
                uint32_t stride) {
    ResidualBlock block;
    block.conv1 = Add(name + ".conv1", name + ".bn1", in_channels, in_size, out_channels, 3, stride);
    block.conv2 = Add(name + ".conv2", name + ".bn2", out_channels, in_size / stride, out_channels, 3, 1);
    if (stride != 1 || in_channels != out_channels) {
      block.shortcut = Add(name + ".shortcut.0", name + ".shortcut.1", in_channels, in_size, out_channels, 1, stride);
    }
    net_.blocks.push_back(block);
  }

  ResNetUnits Finish(uint32_t features, uint32_t size, uint32_t classes) && {
    net_.features = features;
    net_.image_size = net_.units.front().in_size;
    net_.positions = size * size;
    net_.classes = classes;
    net_.linear_weight = net_.weight_count;
    net_.weight_count += size_t{classes} * features;
    return std::move(net_);
  }

 private:
  ResNetUnits net_;
};

}  // namespace

std::optional<StageBlocks> FusedStageBlocks(absl::string_view model) {
  return model == "resnet18"   ? std::optional(kResNet18Blocks)
         : model == "resnet34" ? std::optional(kResNet34Blocks)
                               : std::nullopt;
}

ResNetUnits MakeResNetUnits(const StageBlocks& blocks, uint32_t classes, uint32_t image_size) {
  Builder builder;
  builder.Add("conv1", "bn1", kImageChannels, image_size, 64, 3, 1);
  uint32_t channels = 64;
  uint32_t size = image_size;
  for (uint32_t stage = 0; stage < 4; ++stage) {
    const uint32_t out_channels = 64u << stage;
    const uint32_t stride = stage == 0 ? 1 : 2;
    const std::string name = absl::StrCat("layer", stage + 1);
    builder.AddBlock(name + ".0", channels, size, out_channels, stride);
    size /= stride;
    channels = out_channels;
    for (uint32_t block = 1; block < blocks[stage]; ++block) {
      builder.AddBlock(absl::StrCat(name, ".", block), channels, size, channels, 1);
    }
  }
  return std::move(builder).Finish(channels, size, classes);
}

}  // namespace lockstep
