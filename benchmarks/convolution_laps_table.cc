#include "benchmarks/convolution_laps_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "absl/status/statusor.h"
#include "benchmarks/convolution_laps.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/graph_timer.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/convolution_shape.h"
#include "lib/kernels/random_tensor.h"

namespace lockstep {
namespace {

using Bf16 = __nv_bfloat16;
using convolution_batch_norm::kLaps;

constexpr std::array<const char*, kLaps> kLapNames = {"next",    "turn",  "prefetch", "stages", "products", "buffer",
                                                      "staging", "loads", "arrival",  "sums",   "stores"};
constexpr uint32_t kOfChannels = 8;  // tensors with one value per channel

enum class Operand { kNeither, kAddend, kShortcut };

// Tensors of a data gradient.
class Gradient {
 public:
  static absl::StatusOr<Gradient> Make(const ConvolutionShape& shape, uint32_t multiprocessors, cudaStream_t stream) {
    Gradient made;
    made.shape_ = shape;
    const ConvolutionOperands counts = CountOperands(shape, ConvolutionPass::kDataGradient);
    ASSIGN_OR_RETURN(made.dy_, MakeRandomTensor<Bf16>(counts.a, stream));
    ASSIGN_OR_RETURN(made.point_dy_, MakeRandomTensor<Bf16>(counts.a, stream));
    ASSIGN_OR_RETURN(made.w_, MakeRandomTensor<Bf16>(counts.b, stream));
    ASSIGN_OR_RETURN(made.x_, MakeRandomTensor<Bf16>(counts.out, stream));
    ASSIGN_OR_RETURN(made.addend_, MakeRandomTensor<Bf16>(counts.out, stream));
    ASSIGN_OR_RETURN(made.g_, DeviceBuffer::Make(counts.out * sizeof(Bf16)));
    ASSIGN_OR_RETURN(made.mask_, MakeRandomTensor<Bf16>(counts.out / 16, stream));
    ASSIGN_OR_RETURN(made.of_channels_, MakeRandomTensor<float>(size_t{kOfChannels} * shape.in_channels, stream));
    ASSIGN_OR_RETURN(made.workspace_, DeviceBuffer::Make(ConvolutionBatchNormWorkspaceBytes(multiprocessors)));
    constexpr std::array<char, 64> kZeros = {};
    RETURN_IF_ERROR(made.workspace_.Fill(kZeros.data(), kZeros.size(), stream));
    return made;
  }

  absl::Status Launch(const ConvolutionBatchNorm& convolution, Operand operand, cudaStream_t stream) const {
    const auto of_channels = [this](uint32_t i) {
      return static_cast<float*>(of_channels_.data()) + size_t{i} * shape_.in_channels;
    };
    ConvolutionBatchNorm::Shortcut shortcut;
    if (operand == Operand::kShortcut) {
      shortcut = {Data(point_dy_), Data(w_)};
    }
    ConvolutionBatchNorm::BatchNormOperands batch_norm;
    batch_norm.x = Data(x_);
    batch_norm.addend = operand == Operand::kAddend ? Data(addend_) : nullptr;
    batch_norm.relu_mask = static_cast<const uint8_t*>(mask_.data());
    batch_norm.state = {of_channels(0), of_channels(1), of_channels(2), nullptr};
    batch_norm.gradients = {of_channels(3), of_channels(4), of_channels(5), of_channels(6), of_channels(7)};
    return convolution.Backward(Data(dy_), Data(w_), shortcut, batch_norm, Data(g_), workspace_.data(), stream);
  }

 private:
  static Bf16* Data(const DeviceBuffer& buffer) { return static_cast<Bf16*>(buffer.data()); }

  ConvolutionShape shape_;
  DeviceBuffer dy_, point_dy_, w_, x_, addend_, g_, mask_, of_channels_, workspace_;
};

double Median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// Medians over the blocks of a launch, in nanoseconds.
struct Summary {
  double gigahertz = 0;
  double begin = 0, end = 0;  // before the first tile, and after the last one
  double tiles = 0;           // tiles per block
  double groups = 0;          // groups of warps that multiply
  std::array<double, kLaps> laps = {};
};

Summary Summarize(const std::vector<BlockLaps>& blocks) {
  std::vector<double> gigahertz, begin, end, tiles, groups;
  std::array<std::vector<double>, kLaps> laps;
  for (const BlockLaps& block : blocks) {
    uint32_t block_tiles = 0, running = 0, min_end = UINT32_MAX;
    for (const BlockLaps::Group& group : block.groups) {
      if (group.tiles == 0) {
        continue;
      }
      ++running;
      gigahertz.push_back(static_cast<double>(group.block) / std::max(group.nanoseconds, 1u));
      begin.push_back(group.begin);
      block_tiles += group.tiles;
      min_end = std::min(min_end, group.end);
      for (uint32_t i = 0; i < kLaps && group.tiles > 1; ++i) {
        laps[i].push_back(static_cast<double>(group.cycles[i]) / (group.tiles - 1));
      }
    }
    end.push_back(min_end);
    tiles.push_back(block_tiles);
    groups.push_back(running);
  }
  Summary summary;
  summary.gigahertz = std::max(Median(gigahertz), 1e-3);
  summary.begin = Median(begin) / summary.gigahertz;
  summary.end = Median(end) / summary.gigahertz;
  summary.tiles = Median(tiles);
  summary.groups = Median(groups);
  for (uint32_t i = 0; i < kLaps; ++i) {
    summary.laps[i] = Median(laps[i]) / summary.gigahertz;
  }
  return summary;
}

absl::Status PrintOne(const Gradient& gradient, const ConvolutionShape& shape, const ConvolutionBatchNormConfig& config,
                      Operand operand, uint32_t multiprocessors, cudaStream_t stream) {
  const ConvolutionBatchNorm convolution(shape, config, multiprocessors);
  const ConvolutionBatchNorm timed(shape, config, multiprocessors, &LaunchConvolutionLaps);
  ASSIGN_OR_RETURN(const double plain_microseconds,
                   MicrosecondsInGraph(stream, [&] { return gradient.Launch(convolution, operand, stream); }));
  std::vector<BlockLaps> blocks(multiprocessors);
  ASSIGN_OR_RETURN(DeviceBuffer laps, DeviceBuffer::Make(blocks.size() * sizeof(BlockLaps)));
  constexpr std::array<char, sizeof(BlockLaps)> kZeros = {};
  RETURN_IF_ERROR(laps.Fill(kZeros.data(), kZeros.size(), stream));
  RETURN_IF_ERROR(CudaStatus(SetConvolutionLaps(static_cast<BlockLaps*>(laps.data())), "setting the laps"));
  ASSIGN_OR_RETURN(const double microseconds,
                   MicrosecondsInGraph(stream, [&] { return gradient.Launch(timed, operand, stream); }));
  RETURN_IF_ERROR(
      CudaStatus(cudaMemcpy(blocks.data(), laps.data(), blocks.size() * sizeof(BlockLaps), cudaMemcpyDeviceToHost),
                 "reading laps"));
  blocks.erase(
      std::remove_if(blocks.begin(), blocks.end(), [](const BlockLaps& block) { return block.groups[0].tiles == 0; }),
      blocks.end());
  const Summary summary = Summarize(blocks);
  double sum = 0;
  for (const double lap : summary.laps) {
    sum += lap;
  }
  std::printf("%4u %3u->%-2u /%u %-8s %-31s %3zu blocks, %4.1f tiles: %6.1f us, %6.1f with the clock (%.2f GHz)\n",
              shape.images, shape.out_channels, shape.in_channels, shape.stride,
              operand == Operand::kAddend     ? "addend"
              : operand == Operand::kShortcut ? "shortcut"
                                              : "",
              DescribeConvolutionBatchNorm(config).c_str(), blocks.size(), summary.tiles, plain_microseconds,
              microseconds, summary.gigahertz);
  std::printf("   ns: begin %5.0f;", summary.begin);
  for (uint32_t i = 0; i < kLaps; ++i) {
    std::printf(" %s %.0f%s", kLapNames[i], summary.laps[i], i + 1 < kLaps ? "," : ";");
  }
  std::printf(" sum %.0f, per tile of the block %.0f; end %.0f\n", sum, sum / std::max(summary.groups, 1.0),
              summary.end);
  std::fflush(stdout);
  return absl::OkStatus();
}

}  // namespace

absl::Status PrintConvolutionLaps(uint32_t images, uint32_t multiprocessors, cudaStream_t stream) {
  const ConvolutionShape same = {images, 64, 32, 64, 3, 1}, halved = {images, 64, 32, 128, 3, 2};
  for (const ConvolutionShape& shape : {same, halved}) {
    ASSIGN_OR_RETURN(const Gradient gradient, Gradient::Make(shape, multiprocessors, stream));
    for (const Operand operand : {Operand::kNeither, shape.stride == 1 ? Operand::kAddend : Operand::kShortcut}) {
      for (const ConvolutionBatchNormConfig& config :
           ConvolutionBatchNormConfigs(shape, ConvolutionPass::kDataGradient, multiprocessors)) {
        if (config.splits == 1) {
          RETURN_IF_ERROR(PrintOne(gradient, shape, config, operand, multiprocessors, stream));
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace lockstep
