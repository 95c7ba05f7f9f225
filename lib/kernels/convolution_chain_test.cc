// A chain must give the bits of its layers one at a time, also when launches follow one another without a pause.
#include "lib/kernels/convolution_chain.h"

#include <cuda_bf16.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::SameBits;
using Bf16 = __nv_bfloat16;

constexpr int kRuns = 10;

// Residual of the first layer. The second layer after a layer with a residual adds the output of that layer.
enum class FirstResidual { kNone, kInput, kScaled };

// Operands and results of a chain. Values are random, so that another order of a sum changes bits.
class Layers {
 public:
  Layers(const ConvolutionShape& shape, uint32_t count, FirstResidual first)
      : shape_(shape), count_(count), first_(first), channels_(shape.out_channels),
        elements_(CountOperands(shape, ConvolutionPass::kForward).out),
        weight_elements_(CountOperands(shape, ConvolutionPass::kForward).b), x_(RandomValues<Bf16>(1, elements_)),
        shortcut_(RandomValues<Bf16>(2, elements_)), weights_(RandomValues<Bf16>(3, count * weight_elements_)),
        of_channels_(RandomValues<float>(4, 4 * channels_)),
        initial_(RandomValues<float>(5, count * kResults * channels_)), raw_(count * elements_), y_(count * elements_),
        results_(count * kResults * channels_), mask_(count * elements_ / 8),
        lamport_buffer_(std::vector<char>(ConvolutionBatchNormLamportBytes(), 0)) {}

  // Overwrites all outputs, so that none is left from an earlier run.
  absl::Status Clear(cudaStream_t stream) {
    RETURN_IF_ERROR(CudaStatus(cudaMemsetAsync(raw_.data(), 0xFF, count_ * elements_ * sizeof(Bf16), stream), "raw"));
    RETURN_IF_ERROR(CudaStatus(cudaMemsetAsync(y_.data(), 0xFF, count_ * elements_ * sizeof(Bf16), stream), "y"));
    RETURN_IF_ERROR(CudaStatus(cudaMemsetAsync(mask_.data(), 0x5B, count_ * elements_ / 8, stream), "mask"));
    return CudaStatus(cudaMemcpyAsync(results_.data(), initial_.data(), count_ * kResults * channels_ * sizeof(float),
                                      cudaMemcpyDeviceToDevice, stream),
                      "results");
  }

  absl::Status OneByOne(const ConvolutionBatchNorm& layer, cudaStream_t stream) {
    RETURN_IF_ERROR(Clear(stream));
    for (uint32_t l = 0; l < count_; ++l) {
      const ConvolutionChain::Layer of = Of(l);
      RETURN_IF_ERROR(layer.ForwardAndApply(l == 0 ? x_.data() : Y(l - 1), of.w, of.raw, of.parameters, of.state,
                                            of.residual, of.y, of.relu_mask, lamport_buffer_.data(), stream));
      RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "a layer"));
    }
    return absl::OkStatus();
  }

  absl::Status Together(const ConvolutionBatchNorm& layer, cudaStream_t stream) {
    RETURN_IF_ERROR(Clear(stream));
    std::vector<ConvolutionChain::Layer> layers;
    for (uint32_t l = 0; l < count_; ++l) {
      layers.push_back(Of(l));
    }
    return ConvolutionChain(layer).Run(x_.data(), layers, lamport_buffer_.data(), stream);
  }

  struct Values {
    std::vector<Bf16> raw, y;
    std::vector<uint8_t> mask;
    std::vector<float> results;
  };
  Values Get() const { return {raw_.ToHost(), y_.ToHost(), mask_.ToHost(), results_.ToHost()}; }

 private:
  static constexpr uint32_t kResults = 6;  // the state, and the running statistics

  Bf16* Y(uint32_t l) { return y_.data() + l * elements_; }
  float* Result(uint32_t l, uint32_t k) { return results_.data() + (l * kResults + k) * channels_; }
  float* OfChannels(uint32_t i) { return of_channels_.data() + i * channels_; }

  BatchNormResidual<Bf16> Residual(uint32_t l) {
    const uint32_t first = first_ == FirstResidual::kNone ? 1 : 0;
    if (l % 2 != first) {
      return {};
    }
    if (l >= 2) {
      return {Y(l - 2), nullptr, nullptr};
    }
    return first_ == FirstResidual::kScaled ? BatchNormResidual<Bf16>{shortcut_.data(), OfChannels(2), OfChannels(3)}
                                            : BatchNormResidual<Bf16>{x_.data(), nullptr, nullptr};
  }

  ConvolutionChain::Layer Of(uint32_t l) {
    ConvolutionChain::Layer layer;
    layer.w = weights_.data() + l * weight_elements_;
    layer.raw = raw_.data() + l * elements_;
    layer.parameters = {OfChannels(0), OfChannels(1), Result(l, 4), Result(l, 5), 0.125f, 1e-5f};
    layer.state = {Result(l, 0), Result(l, 1), Result(l, 2), Result(l, 3)};
    layer.residual = Residual(l);
    layer.y = Y(l);
    layer.relu_mask = mask_.data() + l * elements_ / 8;
    return layer;
  }

  ConvolutionShape shape_;
  uint32_t count_;
  FirstResidual first_;
  uint32_t channels_;
  size_t elements_, weight_elements_;
  DeviceArray<Bf16> x_, shortcut_, weights_;
  DeviceArray<float> of_channels_, initial_;
  DeviceArray<Bf16> raw_, y_;
  DeviceArray<float> results_;
  DeviceArray<uint8_t> mask_;
  DeviceArray<char> lamport_buffer_;
};

void ExpectSameBits(const Layers::Values& found, const Layers::Values& expected, const std::string& name) {
  ASSERT_TRUE(SameBits(found.raw, expected.raw)) << name;
  ASSERT_TRUE(SameBits(found.results, expected.results)) << name;
  ASSERT_TRUE(SameBits(found.y, expected.y)) << name;
  ASSERT_TRUE(SameBits(found.mask, expected.mask)) << name;
}

class ConvolutionChainTest : public ::testing::TestWithParam<ConvolutionShape> {
 protected:
  void SetUp() override {
    if (!HaveGpu() || HopperMultiprocessors() == 0) {
      GTEST_SKIP() << "needs a GPU of compute capability 9.0";
    }
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    if (stream_ != nullptr) {
      EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    }
  }

  // Compares chains in a stream and in a graph of two, whose second begins while the first ends, with single layers.
  void ExpectOneByOne(const ConvolutionBatchNormConfig& config, uint32_t count, FirstResidual first) {
    const ConvolutionShape shape = GetParam();
    const ConvolutionBatchNorm layer(shape, config, HopperMultiprocessors());
    Layers layers(shape, count, first);
    ASSERT_EQ(layers.OneByOne(layer, stream_), absl::OkStatus());
    const Layers::Values expected = layers.Get();
    for (const ConvolutionOverlap& overlap : std::vector<ConvolutionOverlap>{{}, {true}, {true, true}}) {
      const ConvolutionBatchNorm overlapped = layer.WithOverlap(overlap);
      const auto together = [&] { return layers.Together(overlapped, stream_); };
      const auto graph = CaptureGraph(stream_, [&] {
        RETURN_IF_ERROR(together());
        return together();
      });
      ASSERT_EQ(graph.status(), absl::OkStatus());
      for (int run = 0; run < kRuns; ++run) {
        const std::string name = absl::StrCat(DescribeConvolutionBatchNorm(config), ", ", count, " layers, overlap ",
                                              overlap.weights_ahead, overlap.next_early, ", run ", run);
        ASSERT_EQ(together(), absl::OkStatus()) << name;
        ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess) << name;
        ASSERT_NO_FATAL_FAILURE(ExpectSameBits(layers.Get(), expected, name));
        ASSERT_EQ(cudaGraphLaunch(graph->get(), stream_), cudaSuccess) << name;
        ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess) << name;
        ASSERT_NO_FATAL_FAILURE(ExpectSameBits(layers.Get(), expected, name + ", graph"));
      }
    }
    // The chains must have left the memory of the sums ready for single layers.
    ASSERT_EQ(layers.OneByOne(layer, stream_), absl::OkStatus());
    ASSERT_NO_FATAL_FAILURE(ExpectSameBits(layers.Get(), expected, "single layers after chains"));
  }

 private:
  cudaStream_t stream_ = nullptr;
};

TEST_P(ConvolutionChainTest, HasTheBitsOfItsLayersOneByOne) {
  int tried = 0;
  for (const ConvolutionBatchNormConfig& config : ConvolutionChainConfigs(GetParam(), HopperMultiprocessors())) {
    const auto may_wait = ConvolutionChainMayWait(GetParam(), config, HopperMultiprocessors());
    ASSERT_EQ(may_wait.status(), absl::OkStatus());
    if (!*may_wait) {
      continue;
    }
    ++tried;
    for (const uint32_t count : {1u, 2u, 3u, 4u, static_cast<uint32_t>(ConvolutionChainMaxLayers())}) {
      const auto first = static_cast<FirstResidual>(count % 3);
      ASSERT_NO_FATAL_FAILURE(ExpectOneByOne(config, count, first));
    }
  }
  EXPECT_GT(tried, 0);
}

// The layers of ResNet-18 at 32 and 128 images; blocks with one and with two tiles; batches that do not fill the last
// tile; a launch of few blocks, next to which another one finds multiprocessors.
INSTANTIATE_TEST_SUITE_P(
    All, ConvolutionChainTest,
    ::testing::Values(ConvolutionShape{32, 64, 32, 64, 3, 1}, ConvolutionShape{32, 128, 16, 128, 3, 1},
                      ConvolutionShape{32, 256, 8, 256, 3, 1}, ConvolutionShape{32, 512, 4, 512, 3, 1},
                      ConvolutionShape{128, 256, 8, 256, 3, 1}, ConvolutionShape{128, 512, 4, 512, 3, 1},
                      ConvolutionShape{17, 64, 32, 64, 3, 1}, ConvolutionShape{7, 128, 8, 128, 3, 1},
                      ConvolutionShape{18, 64, 4, 64, 3, 1}));

TEST(ConvolutionChainConfigsTest, OnlyLayersOfEqualShapeWithFewTilesFormChains) {
  constexpr uint32_t kMultiprocessors = 132;
  EXPECT_FALSE(ConvolutionChainConfigs({32, 64, 32, 64, 3, 1}, kMultiprocessors).empty());
  EXPECT_TRUE(ConvolutionChainConfigs({32, 64, 32, 128, 3, 2}, kMultiprocessors).empty());
  EXPECT_TRUE(ConvolutionChainConfigs({32, 64, 32, 128, 3, 1}, kMultiprocessors).empty());
  EXPECT_TRUE(ConvolutionChainConfigs({32, 64, 32, 64, 1, 1}, kMultiprocessors).empty());
  EXPECT_TRUE(ConvolutionChainConfigs({512, 64, 32, 64, 3, 1}, kMultiprocessors).empty());
  for (const ConvolutionBatchNormConfig& config : ConvolutionChainConfigs({32, 512, 4, 512, 3, 1}, kMultiprocessors)) {
    EXPECT_TRUE(
        ConvolutionBatchNormCanApply({32, 512, 4, 512, 3, 1}, ConvolutionPass::kForward, config, kMultiprocessors));
    EXPECT_EQ(config.weight_blocks, 1u);  // pairs that share weights could apply a batch norm, too
  }
  EXPECT_EQ(ConvolutionChain(ConvolutionBatchNorm({512, 64, 32, 64, 3, 1}, {128, 1}, kMultiprocessors))
                .Run(nullptr, std::vector<ConvolutionChain::Layer>(2), nullptr, nullptr)
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ConvolutionChain(ConvolutionBatchNorm({32, 64, 32, 64, 3, 1}, {128, 1}, kMultiprocessors))
                .Run(nullptr, std::vector<ConvolutionChain::Layer>(ConvolutionChainMaxLayers() + 1), nullptr, nullptr)
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
