// Launches that follow one another on a stream must give the same bits with every ConvolutionOverlap as one at a time.
// Each launch reads what the previous one has written, and overwrites what that one has read.
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
using ::lockstep::testing::WholeValues;
using Bf16 = __nv_bfloat16;

constexpr uint32_t kLaunches = 12;
constexpr uint32_t kOperands = 3;  // weights and inputs of batch norms, in turns
constexpr int kRuns = 10;

// A shape with as many input as output channels and a stride of 1, so that launches can follow one another.
struct ChainCase {
  ConvolutionShape shape;
  ConvolutionBatchNormConfig config;
};

// Way in which the launches of a chain follow one another.
struct Way {
  ConvolutionOverlap overlap;
  bool alone = false;  // waits for the end of each launch
};

// Operands of a chain of launches, forward or backward.
class Chain {
 public:
  explicit Chain(const ChainCase& of)
      : of_(of), channels_(of.shape.out_channels), count_(CountOperands(of.shape, ConvolutionPass::kForward).out),
        weight_count_(CountOperands(of.shape, ConvolutionPass::kForward).b), first_(WholeValues<Bf16>(1, count_)),
        raw_(RandomValues<Bf16>(2, kOperands * count_)), raw_now_(count_), tensors_(2 * count_),
        weights_(WholeValues<Bf16>(3, kOperands * weight_count_)), mask_(std::vector<uint8_t>(count_ / 8, 0x5B)),
        of_channels_(RandomValues<float>(4, 6 * channels_)),
        initial_(RandomValues<float>(5, kLaunches * kPerLaunch * channels_)),
        results_(kLaunches * kPerLaunch * channels_),
        lamport_buffer_(std::vector<char>(ConvolutionBatchNormLamportBytes(), 0)) {}

  absl::Status Launch(const Way& way, bool forward, cudaStream_t stream) {
    RETURN_IF_ERROR(Copy(tensors_.data(), first_.data(), count_ * sizeof(Bf16), stream));
    RETURN_IF_ERROR(Copy(results_.data(), initial_.data(), kLaunches * kPerLaunch * channels_ * sizeof(float), stream));
    for (uint32_t i = 0; i < kLaunches; ++i) {
      RETURN_IF_ERROR(forward ? LaunchForward(i, way.overlap, stream) : LaunchBackward(i, way.overlap, stream));
      RETURN_IF_ERROR(way.alone ? CudaStatus(cudaStreamSynchronize(stream), "a launch") : absl::OkStatus());
    }
    return absl::OkStatus();
  }

  std::vector<Bf16> Tensors() const { return tensors_.ToHost(); }
  std::vector<float> Results() const { return results_.ToHost(); }

 private:
  static constexpr uint32_t kPerLaunch = 6;

  static absl::Status Copy(void* to, const void* from, size_t bytes, cudaStream_t stream) {
    return CudaStatus(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copying");
  }
  ConvolutionBatchNorm Convolution(const ConvolutionOverlap& overlap) const {
    return ConvolutionBatchNorm(of_.shape, of_.config, HopperMultiprocessors()).WithOverlap(overlap);
  }
  float* Result(uint32_t i, uint32_t k) { return results_.data() + (i * kPerLaunch + k) * channels_; }
  Bf16* Tensor(uint32_t i) { return tensors_.data() + i % 2 * count_; }
  const Bf16* Weights(uint32_t i) { return weights_.data() + i % kOperands * weight_count_; }

  absl::Status LaunchForward(uint32_t i, const ConvolutionOverlap& overlap, cudaStream_t stream) {
    const BatchNormParameters parameters = {
        of_channels_.data(), of_channels_.data() + channels_, Result(i, 4), Result(i, 5), 0.125f, 1e-5f};
    BatchNormResidual<Bf16> residual;
    residual.residual = i % 2 == 1 ? first_.data() : nullptr;
    return Convolution(overlap).ForwardAndApply(Tensor(i), Weights(i), raw_now_.data(), parameters,
                                                {Result(i, 0), Result(i, 1), Result(i, 2), Result(i, 3)}, residual,
                                                Tensor(i + 1), mask_.data(), lamport_buffer_.data(), stream);
  }

  absl::Status LaunchBackward(uint32_t i, const ConvolutionOverlap& overlap, cudaStream_t stream) {
    float* const of = of_channels_.data();
    ConvolutionBatchNorm::BatchNormOperands batch_norm;
    batch_norm.x = raw_.data() + i % kOperands * count_;
    batch_norm.addend = i % 2 == 1 ? first_.data() : nullptr;
    batch_norm.relu_mask = mask_.data();
    batch_norm.state = {of + 2 * channels_, of + 3 * channels_, of + 4 * channels_, nullptr};
    batch_norm.gradients = {Result(i, 0), Result(i, 1), Result(i, 2), Result(i, 3), Result(i, 4)};
    return Convolution(overlap).BackwardAndApply(Tensor(i), Weights(i), {}, batch_norm, nullptr, Tensor(i + 1),
                                                 lamport_buffer_.data(), stream);
  }

  ChainCase of_;
  uint32_t channels_;
  size_t count_, weight_count_;
  DeviceArray<Bf16> first_;    // input of the first launch
  DeviceArray<Bf16> raw_;      // backward: the inputs of the batch norms
  DeviceArray<Bf16> raw_now_;  // forward: the output of the current convolution
  DeviceArray<Bf16> tensors_;  // input and output of a launch, in turns
  DeviceArray<Bf16> weights_;
  DeviceArray<uint8_t> mask_;
  DeviceArray<float> of_channels_, initial_, results_;
  DeviceArray<char> lamport_buffer_;
};

class ConvolutionOverlapTest : public ::testing::TestWithParam<ChainCase> {
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

  // Returns whether the launches of a chain can run on this GPU.
  static bool CanRun(const ChainCase& of, bool forward) {
    const ConvolutionPass pass = forward ? ConvolutionPass::kForward : ConvolutionPass::kDataGradient;
    const auto may_wait = ConvolutionBatchNormMayWait(of.shape, pass, of.config, HopperMultiprocessors());
    return may_wait.ok() && *may_wait &&
           ConvolutionBatchNormCanApply(of.shape, pass, of.config, HopperMultiprocessors());
  }

  // Expects the bits of launches without pairs of blocks that share weights.
  void ExpectBitsOfSingleBlocks(bool forward) {
    ChainCase single = GetParam();
    single.config.weight_blocks = 1;
    if (!CanRun(GetParam(), forward) || !CanRun(single, forward)) {
      GTEST_SKIP() << "needs more multiprocessors, or tiles of the other pass";
    }
    Chain chain(GetParam()), expected(single);
    ASSERT_EQ(expected.Launch({}, forward, stream_), absl::OkStatus());
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    for (int run = 0; run < kRuns; ++run) {
      ASSERT_EQ(chain.Launch({}, forward, stream_), absl::OkStatus());
      ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
      ASSERT_TRUE(SameBits(chain.Tensors(), expected.Tensors())) << "run " << run;
      ASSERT_TRUE(SameBits(chain.Results(), expected.Results())) << "run " << run;
    }
  }

  // Expects the bits of launches one at a time from each overlap, in a stream and in a graph.
  void ExpectSameBits(bool forward) {
    if (!CanRun(GetParam(), forward)) {
      GTEST_SKIP() << "needs more multiprocessors, or tiles of the other pass";
    }
    Chain chain(GetParam());
    ASSERT_EQ(chain.Launch({{}, true}, forward, stream_), absl::OkStatus());
    const std::vector<Bf16> tensors = chain.Tensors();
    const std::vector<float> results = chain.Results();
    for (const ConvolutionOverlap& overlap : std::vector<ConvolutionOverlap>{{}, {true}, {false, true}, {true, true}}) {
      const std::string name = absl::StrCat("overlap ", overlap.weights_ahead, overlap.next_early);
      const auto launch = [&] { return chain.Launch({overlap}, forward, stream_); };
      const auto graph = CaptureGraph(stream_, launch);
      ASSERT_EQ(graph.status(), absl::OkStatus()) << name;
      for (int run = 0; run < 2 * kRuns; ++run) {
        if (run < kRuns) {
          ASSERT_EQ(launch(), absl::OkStatus()) << name;
        } else {
          ASSERT_EQ(cudaGraphLaunch(graph->get(), stream_), cudaSuccess) << name;
        }
        ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess) << name;
        ASSERT_TRUE(SameBits(chain.Tensors(), tensors)) << name << ", run " << run;
        ASSERT_TRUE(SameBits(chain.Results(), results)) << name << ", run " << run;
      }
    }
  }

 private:
  cudaStream_t stream_ = nullptr;
};

TEST_P(ConvolutionOverlapTest, ForwardHasTheBitsOfOneAtATime) { ExpectSameBits(true); }
TEST_P(ConvolutionOverlapTest, BackwardHasTheBitsOfOneAtATime) { ExpectSameBits(false); }

// Shapes for which pairs have as many blocks as without, so that the sums of batch norms have the same order.
using PairsTest = ConvolutionOverlapTest;
TEST_P(PairsTest, ForwardHasTheBitsOfSingleBlocks) { ExpectBitsOfSingleBlocks(true); }
TEST_P(PairsTest, BackwardHasTheBitsOfSingleBlocks) { ExpectBitsOfSingleBlocks(false); }
INSTANTIATE_TEST_SUITE_P(All, PairsTest,
                         ::testing::Values(ChainCase{{32, 256, 8, 256, 3, 1}, {128, 1, 2, 2}},  // layer 3
                                           ChainCase{{32, 256, 8, 256, 3, 1}, {64, 1, 2, 2}},
                                           ChainCase{{32, 512, 4, 512, 3, 1}, {128, 1, 2, 2}},  // layer 4
                                           ChainCase{{32, 512, 4, 512, 3, 1}, {64, 1, 2, 2}},
                                           ChainCase{{128, 512, 4, 512, 3, 1}, {128, 1, 2, 2}},
                                           ChainCase{{64, 512, 8, 512, 3, 1}, {128, 1, 2, 2}}));  // two tiles per block

// The layers of ResNet-18 at 32 images, and few blocks, next to which the next launch finds multiprocessors.
INSTANTIATE_TEST_SUITE_P(
    All, ConvolutionOverlapTest,
    ::testing::Values(ChainCase{{32, 64, 32, 64, 3, 1}, {128, 1}}, ChainCase{{32, 128, 16, 128, 3, 1}, {128, 1}},
                      ChainCase{{32, 256, 8, 256, 3, 1}, {128, 2}}, ChainCase{{32, 512, 4, 512, 3, 1}, {128, 2}},
                      ChainCase{{32, 256, 8, 256, 3, 1}, {128, 1, 2, 2}},
                      ChainCase{{32, 512, 4, 512, 3, 1}, {64, 1, 2, 2}},
                      ChainCase{{64, 512, 8, 512, 3, 1}, {128, 1, 2, 2}}, ChainCase{{7, 128, 8, 128, 3, 1}, {128, 1}}));

}  // namespace
}  // namespace lockstep
