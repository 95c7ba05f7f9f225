#include "lib/kernels/convolution.h"

#include <cuda_bf16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/cuda/device_buffer.h"
#include "lib/cuda/multiprocessors.h"
#include "lib/kernels/convolution_engines.h"
#include "lib/kernels/convolution_reference.h"
#include "lib/kernels/launch_blocks.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::RandomValues;
using ::lockstep::testing::WholeValues;
using Bf16 = __nv_bfloat16;

// All kinds of convolutions in ResNet-18, at a small size.
const ConvolutionShape kShapes[] = {
    {3, 8, 8, 64, 3, 1}, {3, 64, 8, 64, 3, 1}, {3, 64, 8, 128, 3, 2}, {3, 64, 8, 128, 1, 2}};
const ConvolutionPass kPasses[] = {ConvolutionPass::kForward, ConvolutionPass::kDataGradient,
                                   ConvolutionPass::kWeightGradient};
const ConvolutionType kTypes[] = {ConvolutionType::kFp32, ConvolutionType::kTf32, ConvolutionType::kBf16};

// Returns the maximum number of products that one output sums.
double Terms(const ConvolutionShape& shape, ConvolutionPass pass) {
  const double filter = shape.filter * shape.filter;
  switch (pass) {
    case ConvolutionPass::kForward:
      return filter * shape.in_channels;
    case ConvolutionPass::kDataGradient:
      return filter * shape.out_channels;
    case ConvolutionPass::kWeightGradient:
      return static_cast<double>(shape.images) * ConvolutionOutSize(shape) * ConvolutionOutSize(shape);
  }
  return 0;
}

// Returns the maximum error of an output. `magnitude` is the sum of the absolute values of its products:
//     fp32  each of n products and n - 1 additions rounds by 2^-24 (Higham, Accuracy and Stability, section 3.1)
//     tf32  two inputs truncated to 11 significant bits, 2^-10 each; tensor cores truncate sums instead of rounding,
//           and align the terms of a step first: 2^-22 per addition (Fasi et al. 2021, Numerical behavior of NVIDIA
//           tensor cores)
//     bf16  products are exact in fp32; sums as for tf32; the output is rounded to 8 significant bits
double Bound(ConvolutionType type, double terms, double magnitude, double exact) {
  switch (type) {
    case ConvolutionType::kFp32:
      return (terms + 1) * 0x1p-24 * magnitude;
    case ConvolutionType::kTf32:
      return (2 * 0x1p-10 + 0x1p-20 + terms * 0x1p-22) * magnitude;
    case ConvolutionType::kBf16:
      return terms * 0x1p-22 * magnitude * (1 + 0x1p-8) + 0x1p-8 * std::abs(exact);
  }
  return 0;
}

// Inputs of a pass, and its exact result with the magnitudes for the bound.
template <typename T>
struct Problem {
  std::vector<T> a, b;
  std::vector<double> exact, magnitude;

  Problem(const ConvolutionShape& shape, ConvolutionPass pass)
      : a(RandomValues<T>(1, CountOperands(shape, pass).a)), b(RandomValues<T>(2, CountOperands(shape, pass).b)),
        exact(CountOperands(shape, pass).out), magnitude(exact.size()) {
    ConvolutionReference(shape, pass, a.data(), b.data(), exact.data());
    ConvolutionReference(shape, pass, Absolute(a).data(), Absolute(b).data(), magnitude.data());
  }

  static std::vector<double> Absolute(const std::vector<T>& values) {
    std::vector<double> absolute;
    for (const T& value : values) {
      absolute.push_back(std::abs(static_cast<double>(static_cast<float>(value))));
    }
    return absolute;
  }
};

// Describes the first output outside its bound, or returns an empty string. NaN is outside.
template <typename T, typename U>
std::string Violation(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionType type,
                      const Problem<T>& problem, const std::vector<U>& found) {
  for (size_t i = 0; i < problem.exact.size(); ++i) {
    const double value = static_cast<double>(static_cast<float>(found[i]));
    const double bound = Bound(type, Terms(shape, pass), problem.magnitude[i], problem.exact[i]);
    if (!(std::abs(value - problem.exact[i]) <= bound)) {
      return absl::StrCat(DescribeConvolution(shape, pass, type), ": output ", i, " is ", value, ", expected ",
                          problem.exact[i], " within ", bound);
    }
  }
  return "";
}

class ConvolutionGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
    for (const int i : {0, 1}) {
      ASSERT_EQ(cudaStreamCreateWithFlags(&streams_[i], cudaStreamNonBlocking), cudaSuccess);
      auto context = ConvolutionContext::Make(streams_[i]);
      ASSERT_TRUE(context.ok()) << context.status();
      contexts_[i] = *std::move(context);
    }
  }
  void TearDown() override {
    for (const int i : {0, 1}) {
      contexts_[i].reset();
      if (streams_[i] != nullptr) {
        EXPECT_EQ(cudaStreamDestroy(streams_[i]), cudaSuccess);
      }
    }
  }

  // Returns null, and fails the test, if the convolution cannot be planned. No CUDA error remains from failed
  // candidates.
  std::unique_ptr<Convolution> Plan(const ConvolutionShape& shape, ConvolutionPass pass, ConvolutionType type,
                                    const ConvolutionOptions& options) {
    auto plan = Convolution::Plan(*contexts_[0], shape, pass, type, options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    return plan.ok() ? *std::move(plan) : nullptr;
  }

  // Returns the plan's result for the problem on contexts_[context], written to an output that was filled with NaN.
  template <typename T>
  std::vector<T> Run(const Convolution& plan, const Problem<T>& problem, int context, bool captured = false) {
    DeviceArray<T> a(problem.a), b(problem.b), out(problem.exact.size());
    DeviceArray<uint8_t> workspace(plan.workspace_bytes() + 1);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);  // the arrays are filled on the default stream
    const auto launch = [&] {
      const absl::Status run = plan.Run(*contexts_[context], a.data(), b.data(), out.data(), workspace.data());
      EXPECT_TRUE(run.ok()) << run;
    };
    if (captured) {
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      EXPECT_EQ(cudaStreamBeginCapture(streams_[context], cudaStreamCaptureModeThreadLocal), cudaSuccess);
      launch();
      EXPECT_EQ(cudaStreamEndCapture(streams_[context], &graph), cudaSuccess);
      EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
      EXPECT_EQ(cudaGraphLaunch(executable, streams_[context]), cudaSuccess);
      EXPECT_EQ(cudaStreamSynchronize(streams_[context]), cudaSuccess);
      EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
      EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    } else {
      launch();
      EXPECT_EQ(cudaStreamSynchronize(streams_[context]), cudaSuccess);
    }
    return out.ToHost();
  }

  template <typename T>
  void CheckAgainstReference(const ConvolutionShape& shape, ConvolutionType type, const ConvolutionOptions& options) {
    for (const ConvolutionPass pass : kPasses) {
      const Problem<T> problem(shape, pass);
      const std::unique_ptr<Convolution> plan = Plan(shape, pass, type, options);
      if (plan == nullptr) {
        continue;
      }
      std::printf("%s: %s, %zu bytes, %.2f us\n", DescribeConvolution(shape, pass, type).c_str(),
                  plan->engine().c_str(), plan->workspace_bytes(), plan->microseconds());
      EXPECT_EQ(plan->microseconds() > 0, options.autotune);
      EXPECT_LE(plan->workspace_bytes(), options.max_workspace_bytes);
      EXPECT_EQ(Violation(shape, pass, type, problem, Run(*plan, problem, 0)), "") << plan->engine();
    }
  }

  template <typename T>
  void CheckBits(const ConvolutionShape& shape, ConvolutionType type) {
    ConvolutionOptions options;
    options.deterministic = true;
    options.candidates = 2;
    for (const ConvolutionPass pass : kPasses) {
      SCOPED_TRACE(DescribeConvolution(shape, pass, type));
      const Problem<T> problem(shape, pass);
      const std::unique_ptr<Convolution> plan = Plan(shape, pass, type, options);
      if (plan == nullptr) {
        continue;
      }
      SCOPED_TRACE(plan->engine());
      const std::vector<T> first = Run(*plan, problem, 0);
      EXPECT_EQ(Violation(shape, pass, type, problem, first), "");
      const auto same = [&](const std::vector<T>& other) {
        return std::memcmp(first.data(), other.data(), first.size() * sizeof(T)) == 0;
      };
      EXPECT_TRUE(same(Run(*plan, problem, 0))) << "again";
      EXPECT_TRUE(same(Run(*plan, problem, 1))) << "on another context";
      EXPECT_TRUE(same(Run(*plan, problem, 0, true))) << "in a graph";
      EXPECT_TRUE(same(Run(*plan, problem, 1, true))) << "in a graph of another context";
    }
  }

  // Checks that the result in parts of eight images, like that of the whole batch, equals the reference. With T, an
  // output sums at most 8 * 16 products per part, which bf16 represents exactly.
  template <typename T>
  void CheckParts(const ConvolutionShape& shape, ConvolutionType type) {
    for (const ConvolutionPass pass : kPasses) {
      SCOPED_TRACE(DescribeConvolution(shape, pass, type));
      const ConvolutionOperands of_eight = CountOperands(WithImages(shape, 8), ConvolutionPass::kForward);
      ConvolutionOptions options;
      options.candidates = 2;
      const std::unique_ptr<Convolution> whole = Plan(shape, pass, type, options);
      options.max_elements = std::max(of_eight.a, of_eight.out);
      const std::unique_ptr<Convolution> parts = Plan(shape, pass, type, options);
      if (whole == nullptr || parts == nullptr) {
        continue;
      }
      EXPECT_EQ(whole->part_count(), 1u);
      EXPECT_EQ(parts->part_count(), 3u);
      Problem<T> problem(shape, pass);
      problem.a = WholeValues<T>(1, problem.a.size());
      problem.b = WholeValues<T>(2, problem.b.size());
      ConvolutionReference(shape, pass, problem.a.data(), problem.b.data(), problem.exact.data());
      std::vector<T> expected;
      for (const double value : problem.exact) {
        expected.push_back(T(static_cast<float>(value)));
      }
      const auto exact = [&](const std::vector<T>& found) {
        return std::equal(found.begin(), found.end(), expected.begin(),
                          [](T x, T y) { return static_cast<float>(x) == static_cast<float>(y); });
      };
      EXPECT_TRUE(exact(Run(*whole, problem, 0))) << "at once";
      EXPECT_TRUE(exact(Run(*parts, problem, 0))) << "in parts";
      EXPECT_TRUE(exact(Run(*parts, problem, 1, true))) << "in parts, in a graph of another context";
    }
  }

  // Returns the number of blocks of the plan's largest kernel.
  uint64_t Blocks(const Convolution& plan, const ConvolutionOperands& counts) {
    DeviceArray<Bf16> a(counts.a), b(counts.b), out(counts.out);
    DeviceArray<uint8_t> workspace(plan.workspace_bytes() + 1);
    const auto blocks = MaxBlocks(
        streams_[0], [&] { return plan.Run(*contexts_[0], a.data(), b.data(), out.data(), workspace.data()); });
    EXPECT_TRUE(blocks.ok()) << blocks.status();
    return blocks.value_or(0);
  }

  cudaStream_t streams_[2] = {nullptr, nullptr};
  std::unique_ptr<ConvolutionContext> contexts_[2];
};

TEST_F(ConvolutionGpuTest, EveryPassEqualsTheReferenceInFp32) {
  for (const ConvolutionShape& shape : kShapes) {
    CheckAgainstReference<float>(shape, ConvolutionType::kFp32, {true, false, 4});
  }
}

TEST_F(ConvolutionGpuTest, EveryPassEqualsTheReferenceInTf32) {
  for (const ConvolutionShape& shape : kShapes) {
    CheckAgainstReference<float>(shape, ConvolutionType::kTf32, {true, false, 4});
  }
}

TEST_F(ConvolutionGpuTest, EveryPassEqualsTheReferenceInBf16) {
  for (const ConvolutionShape& shape : kShapes) {
    CheckAgainstReference<Bf16>(shape, ConvolutionType::kBf16, {});
  }
}

TEST_F(ConvolutionGpuTest, MoreImagesThanAreTimedTakeTheEngineOfFewer) {
  CheckAgainstReference<Bf16>({1030, 64, 4, 64, 3, 1}, ConvolutionType::kBf16, {});
}

TEST_F(ConvolutionGpuTest, WithoutTuningTheFirstEngineIsTakenUntimed) {
  CheckAgainstReference<Bf16>(kShapes[1], ConvolutionType::kBf16, {false});
  CheckAgainstReference<float>(kShapes[1], ConvolutionType::kFp32, {false});
}

// With one multiprocessor left to it, an engine is rated by its time multiplied by its blocks. The tolerance is 20 %,
// because the two plans timed their engines separately.
TEST_F(ConvolutionGpuTest, ConcurrentWithOthersTheEngineTakesLessOfTheGpu) {
  if (ClusterMultiprocessors() == 0) {
    GTEST_SKIP() << "a GPU on which nothing else runs";
  }
  const auto check = [&](const ConvolutionShape& shape) {
    const ConvolutionPass pass = ConvolutionPass::kWeightGradient;
    SCOPED_TRACE(DescribeConvolution(shape, pass, ConvolutionType::kBf16));
    ConvolutionOptions options;
    const auto alone = Plan(shape, pass, ConvolutionType::kBf16, options);
    options.multiprocessors = 1;
    const auto concurrent = Plan(shape, pass, ConvolutionType::kBf16, options);
    ASSERT_TRUE(alone != nullptr && concurrent != nullptr);
    const auto taken = [&](const Convolution& plan) {
      const uint64_t blocks = Blocks(plan, CountOperands(shape, pass));
      std::printf("%s: %lu blocks, %.2f us\n", plan.engine().c_str(), blocks, plan.microseconds());
      return plan.microseconds() * static_cast<double>(std::min<uint64_t>(blocks, ClusterMultiprocessors()));
    };
    EXPECT_LE(taken(*concurrent), 1.2 * taken(*alone));
  };
  check({32, 64, 32, 128, 3, 2});
  check({32, 256, 8, 512, 3, 2});
}

TEST_F(ConvolutionGpuTest, DeterministicPlansGiveTheSameBitsOnAnyContextAndInGraphs) {
  for (const ConvolutionShape& shape : kShapes) {
    CheckBits<float>(shape, ConvolutionType::kFp32);
    CheckBits<float>(shape, ConvolutionType::kTf32);
    CheckBits<Bf16>(shape, ConvolutionType::kBf16);
  }
}

TEST_F(ConvolutionGpuTest, InPartsItIsWhatItIsAtOnce) {
  for (const ConvolutionShape& shape :
       {ConvolutionShape{20, 32, 4, 64, 1, 1}, ConvolutionShape{20, 64, 4, 64, 3, 1},
        ConvolutionShape{20, 64, 8, 128, 3, 2}, ConvolutionShape{20, 64, 8, 128, 1, 2}}) {
    CheckParts<float>(shape, ConvolutionType::kFp32);
    CheckParts<float>(shape, ConvolutionType::kTf32);
    CheckParts<Bf16>(shape, ConvolutionType::kBf16);
  }
}

// The first convolutions of ResNet-18 at the end of the batch sweep. The batch repeats the same 16 images, so that the
// expected result follows from 16 images: the outputs of any 16 are equal, and the weight gradient is a multiple of
// theirs by a power of 2.
class ConvolutionAtSizeTest : public ConvolutionGpuTest {
 protected:
  static constexpr uint32_t kPeriod = 16;

  void SetUp() override {
    ConvolutionGpuTest::SetUp();
    size_t free_bytes = 0, total_bytes = 0;
    if (!IsSkipped() && (cudaMemGetInfo(&free_bytes, &total_bytes) != cudaSuccess || free_bytes < size_t{10} << 30)) {
      GTEST_SKIP() << "needs 10 GiB of free device memory, found " << free_bytes;
    }
  }

  // Expects `period` at several positions of `out`, including the last one.
  void ExpectPeriod(const DeviceBuffer& out, const std::vector<Bf16>& period, uint32_t images) {
    const size_t bytes = period.size() * sizeof(Bf16);
    for (const uint32_t first : {0u, 16'368u, 16'384u, images / kPeriod * kPeriod - kPeriod}) {
      if (first + kPeriod > images) {
        continue;  // only one period, as for a weight gradient
      }
      std::vector<Bf16> found(period.size());
      ASSERT_EQ(cudaMemcpy(found.data(), static_cast<const char*>(out.data()) + first / kPeriod * bytes, bytes,
                           cudaMemcpyDeviceToHost),
                cudaSuccess);
      EXPECT_EQ(std::memcmp(found.data(), period.data(), bytes), 0) << "images from " << first << " on";
    }
  }

  void Check(const ConvolutionShape& shape, ConvolutionPass pass, size_t parts) {
    SCOPED_TRACE(DescribeConvolution(shape, pass, ConvolutionType::kBf16));
    const std::unique_ptr<Convolution> plan = Plan(shape, pass, ConvolutionType::kBf16, {});
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(plan->part_count(), parts);
    const ConvolutionShape few = WithImages(shape, kPeriod);
    const ConvolutionOperands of_few = CountOperands(few, pass), counts = CountOperands(shape, pass);
    const std::vector<Bf16> a = WholeValues<Bf16>(1, of_few.a), b = WholeValues<Bf16>(2, of_few.b);
    std::vector<double> exact(of_few.out);
    ConvolutionReference(few, pass, a.data(), b.data(), exact.data());
    const double times = pass == ConvolutionPass::kWeightGradient ? shape.images / kPeriod : 1;
    std::vector<Bf16> expected;
    for (const double value : exact) {
      expected.push_back(Bf16(static_cast<float>(value * times)));
    }
    auto on_a = DeviceBuffer::Make(counts.a * sizeof(Bf16)), on_b = DeviceBuffer::Make(counts.b * sizeof(Bf16));
    auto out = DeviceBuffer::Make(counts.out * sizeof(Bf16)), workspace = DeviceBuffer::Make(plan->workspace_bytes());
    ASSERT_TRUE(on_a.ok() && on_b.ok() && out.ok() && workspace.ok());
    ASSERT_TRUE(on_a->Fill(a.data(), a.size() * sizeof(Bf16), streams_[0]).ok());
    ASSERT_TRUE(on_b->Fill(b.data(), b.size() * sizeof(Bf16), streams_[0]).ok());
    ASSERT_EQ(cudaMemset(out->data(), 0xFF, counts.out * sizeof(Bf16)), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const absl::Status run = plan->Run(*contexts_[0], on_a->data(), on_b->data(), out->data(), workspace->data());
    ASSERT_TRUE(run.ok()) << run;
    ASSERT_EQ(cudaStreamSynchronize(streams_[0]), cudaSuccess);
    ExpectPeriod(*out, expected, pass == ConvolutionPass::kWeightGradient ? kPeriod : shape.images);
  }
};

TEST_F(ConvolutionAtSizeTest, JustBelowWhatCudnnCounts) {
  const ConvolutionShape shape = {32'752, 64, 32, 64, 3, 1};  // 2^31 - 2^20 elements
  Check(shape, ConvolutionPass::kForward, 1);
  Check(shape, ConvolutionPass::kDataGradient, 1);
}

TEST_F(ConvolutionAtSizeTest, InTwoParts) {
  for (const ConvolutionShape& shape :
       {ConvolutionShape{32'768, 64, 32, 64, 3, 1}, ConvolutionShape{32'768, 32, 32, 64, 1, 1},
        ConvolutionShape{32'768, 64, 32, 128, 3, 2}}) {
    for (const ConvolutionPass pass : kPasses) {
      Check(shape, pass, 2);
    }
  }
}

// 64 -> 64 at 32x32: a copy of both activations of 2,048 images takes 1 GiB, twice the workspace.
TEST_F(ConvolutionGpuTest, InFp32PartsLeaveRoomForCopies) {
  ConvolutionOptions options;
  options.autotune = false;
  for (const auto& [type, images, parts] : {std::tuple{ConvolutionType::kFp32, 512u, 1u},
                                            {ConvolutionType::kFp32, 2048u, 3u},
                                            {ConvolutionType::kTf32, 2048u, 1u}}) {
    const auto plan =
        Convolution::Plan(*contexts_[0], {images, 64, 32, 64, 3, 1}, ConvolutionPass::kDataGradient, type, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ((*plan)->part_count(), parts) << images;
  }
  options.max_workspace_bytes = 1 << 20;  // too small for 8 images
  const auto plan = Convolution::Plan(*contexts_[0], {32, 64, 32, 64, 3, 1}, ConvolutionPass::kDataGradient,
                                      ConvolutionType::kFp32, options);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ((*plan)->part_count(), 1u);
}

TEST_F(ConvolutionGpuTest, RefusesWhatCannotBePlanned) {
  const auto plan = [&](const ConvolutionShape& shape, const ConvolutionOptions& options) {
    return Convolution::Plan(*contexts_[0], shape, ConvolutionPass::kForward, ConvolutionType::kBf16, options)
        .status()
        .code();
  };
  EXPECT_EQ(plan({3, 8, 7, 64, 3, 2}, {}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(plan(kShapes[0], {true, false, 0}), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(plan(kShapes[0], {}), absl::StatusCode::kFailedPrecondition);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(streams_[0], &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

// x and y of this shape have 128 MiB each; only 64 MiB are free.
TEST_F(ConvolutionGpuTest, TensorsThatDoNotFitAreOutOfMemory) {
  size_t free_bytes = 0, total_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &total_bytes), cudaSuccess);
  ASSERT_GT(free_bytes, size_t{64} << 20);
  void* most = nullptr;
  ASSERT_EQ(cudaMalloc(&most, free_bytes - (size_t{64} << 20)), cudaSuccess);
  const auto plan = Convolution::Plan(*contexts_[0], {1024, 64, 32, 64, 1, 1}, ConvolutionPass::kForward,
                                      ConvolutionType::kBf16, {true, false, 1});
  EXPECT_EQ(cudaFree(most), cudaSuccess);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kResourceExhausted) << plan.status();
  EXPECT_NE(plan.status().message().find("out of memory"), std::string::npos) << plan.status();
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(ConvolutionGpuTest, RefusesPointersThatItCannotUse) {
  const std::unique_ptr<Convolution> plan =
      Plan(kShapes[0], ConvolutionPass::kForward, ConvolutionType::kBf16, {true, false, 1});
  ASSERT_NE(plan, nullptr);
  DeviceArray<uint8_t> memory(1024);
  const auto run = [&](const void* a, void* workspace) {
    return plan->Run(*contexts_[0], a, memory.data(), memory.data(), workspace).code();
  };
  EXPECT_EQ(run(nullptr, memory.data()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run(memory.data() + 8, memory.data()), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(run(memory.data(), memory.data() + 128), absl::StatusCode::kInvalidArgument);
}

TEST(ConvolutionTest, ADefaultStreamIsRefused) {
  EXPECT_EQ(ConvolutionContext::Make(nullptr).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ConvolutionContext::Make(cudaStreamPerThread).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ConvolutionTest, AnEngineIsTakenOnlyForTheTypesWhosePromiseItKeeps) {
  const auto allowed = [](cudnnBackendNumericalNote_t note, ConvolutionType type, bool deterministic) {
    return NotesAllowed({CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP, note}, {.type = type, .deterministic = deterministic});
  };
  EXPECT_FALSE(allowed(CUDNN_NUMERICAL_NOTE_TENSOR_CORE, ConvolutionType::kFp32, false));
  EXPECT_TRUE(allowed(CUDNN_NUMERICAL_NOTE_TENSOR_CORE, ConvolutionType::kTf32, false));
  EXPECT_TRUE(allowed(CUDNN_NUMERICAL_NOTE_TENSOR_CORE, ConvolutionType::kBf16, true));
  EXPECT_TRUE(allowed(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, ConvolutionType::kBf16, false));
  EXPECT_FALSE(allowed(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC, ConvolutionType::kBf16, true));
  EXPECT_FALSE(allowed(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, ConvolutionType::kTf32, false));
  EXPECT_FALSE(allowed(CUDNN_NUMERICAL_NOTE_WINOGRAD, ConvolutionType::kFp32, false));
  EXPECT_TRUE(NotesAllowed({}, {.type = ConvolutionType::kFp32, .deterministic = true}));
}

// Shows that the fp32 bound would detect a TF32 engine.
TEST(ConvolutionTest, TheBoundOfFp32IsTooTightForTf32) {
  for (const ConvolutionShape& shape : kShapes) {
    for (const ConvolutionPass pass : kPasses) {
      const Problem<float> problem(shape, pass);
      const auto cut = [](std::vector<float> values) {
        for (float& value : values) {
          uint32_t bits;
          std::memcpy(&bits, &value, sizeof(bits));
          bits &= ~0x1FFFu;  // clears the last 13 bits of the mantissa
          std::memcpy(&value, &bits, sizeof(bits));
        }
        return values;
      };
      std::vector<double> tf32(problem.exact.size());
      ConvolutionReference(shape, pass, cut(problem.a).data(), cut(problem.b).data(), tf32.data());
      EXPECT_NE(Violation(shape, pass, ConvolutionType::kFp32, problem, tf32), "")
          << DescribeConvolution(shape, pass, ConvolutionType::kFp32);
      EXPECT_EQ(Violation(shape, pass, ConvolutionType::kTf32, problem, tf32), "");
    }
  }
}

// One image of 2x2 with one channel, x = 1 2 / 3 4; the filter is 1 at its centre and 10 at its right neighbour.
TEST(ConvolutionReferenceTest, AgreesWithHandChecks) {
  const ConvolutionShape shape = {1, 1, 2, 1, 3, 1};
  const std::vector<double> x = {1, 2, 3, 4}, w = {0, 0, 0, 0, 1, 10, 0, 0, 0}, dy = {1, 0, 0, 2};
  std::vector<double> y(4), dx(4), dw(9);
  ConvolutionReference(shape, ConvolutionPass::kForward, x.data(), w.data(), y.data());
  EXPECT_EQ(y, (std::vector<double>{21, 2, 43, 4}));
  ConvolutionReference(shape, ConvolutionPass::kDataGradient, dy.data(), w.data(), dx.data());
  EXPECT_EQ(dx, (std::vector<double>{1, 10, 0, 2}));
  ConvolutionReference(shape, ConvolutionPass::kWeightGradient, dy.data(), x.data(), dw.data());
  EXPECT_EQ(dw, (std::vector<double>{2, 4, 0, 6, 1 + 8, 2, 0, 3, 4}));
}

// A stride of 2 without padding selects every second pixel: here of a 4x4 image with two channels.
TEST(ConvolutionReferenceTest, AStridedOneByOneFilterPicksPixels) {
  const ConvolutionShape shape = {1, 2, 4, 1, 1, 2};
  std::vector<double> x(32), y(4), dx(32);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<double>(i);
  }
  const std::vector<double> w = {1, 100};
  ConvolutionReference(shape, ConvolutionPass::kForward, x.data(), w.data(), y.data());
  EXPECT_EQ(y, (std::vector<double>{100, 504, 1716, 2120}));
  ConvolutionReference(shape, ConvolutionPass::kDataGradient, std::vector<double>{1, 0, 0, 0}.data(), w.data(),
                       dx.data());
  std::vector<double> expected(32, 0.0);
  expected[0] = 1;
  expected[1] = 100;
  EXPECT_EQ(dx, expected);
}

}  // namespace
}  // namespace lockstep
