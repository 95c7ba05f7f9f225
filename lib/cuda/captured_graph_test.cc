#include "lib/cuda/captured_graph.h"

#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/device_array_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;

constexpr size_t kStreams = 4;
constexpr uint32_t kOperations = 300;

#define EXPECT_CUDA(call) EXPECT_EQ(call, cudaSuccess)

// Streams that copy between slots and wait for each other at random, together with the operations that each copy must
// follow.
class RandomCopies {
 public:
  RandomCopies(uint32_t seed, uint32_t* places) : random_(seed), places_(places) {
    for (cudaStream_t& stream : streams_) {
      EXPECT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
  }
  ~RandomCopies() {
    for (const cudaStream_t stream : streams_) {
      EXPECT_CUDA(cudaStreamDestroy(stream));
    }
    for (const cudaEvent_t event : events_) {
      EXPECT_CUDA(cudaEventDestroy(event));
    }
  }

  cudaStream_t stream() const { return streams_[0]; }

  // Slot 0 is the origin. Operation i copies to slot i from one of the slots that it follows, whether recent or old.
  absl::Status Enqueue() {
    follows_ = {};
    for (size_t s = 1; s < kStreams; ++s) {
      Wait(s, 0);
    }
    for (uint32_t i = 1; i <= kOperations; ++i) {
      const size_t s = random_() % kStreams;
      for (uint32_t waits = random_() % 3; waits > 0; --waits) {
        Wait(s, random_() % kStreams);
      }
      const uint32_t from = Choose(follows_[s]);
      EXPECT_CUDA(
          cudaMemcpyAsync(places_ + i, places_ + from, sizeof(uint32_t), cudaMemcpyDeviceToDevice, streams_[s]));
      follows_[s].insert(i);
    }
    for (size_t s = 1; s < kStreams; ++s) {
      Wait(0, s);
    }
    return CudaStatus(cudaGetLastError(), "copies");
  }

 private:
  void Wait(size_t stream, size_t for_what) {
    events_.emplace_back();
    EXPECT_CUDA(cudaEventCreateWithFlags(&events_.back(), cudaEventDisableTiming));
    EXPECT_CUDA(cudaEventRecord(events_.back(), streams_[for_what]));
    EXPECT_CUDA(cudaStreamWaitEvent(streams_[stream], events_.back()));
    follows_[stream].insert(follows_[for_what].begin(), follows_[for_what].end());
  }

  // Returns a slot among those followed, or the origin, which precedes all of them.
  uint32_t Choose(const std::set<uint32_t>& followed) {
    const size_t n = random_() % (followed.size() + 1);
    return n == followed.size() ? 0 : *std::next(followed.begin(), static_cast<std::ptrdiff_t>(n));
  }

  std::mt19937 random_;
  uint32_t* const places_;
  std::array<cudaStream_t, kStreams> streams_ = {};
  std::array<std::set<uint32_t>, kStreams> follows_;
  std::vector<cudaEvent_t> events_;
};

class CapturedGraphTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};

// A copy that came too early would transfer the value of the previous replay.
TEST_F(CapturedGraphTest, WithoutRedundantEdgesEachCopyFollowsWhatItFollowed) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    DeviceArray<uint32_t> places(kOperations + 1);
    RandomCopies copies(seed, places.data());
    const auto graph = CaptureGraph(copies.stream(), [&] { return copies.Enqueue(); });
    ASSERT_TRUE(graph.ok()) << graph.status();
    for (uint32_t replay = 1; replay <= 20; ++replay) {
      ASSERT_EQ(cudaMemcpy(places.data(), &replay, sizeof(replay), cudaMemcpyHostToDevice), cudaSuccess);
      ASSERT_EQ(cudaGraphLaunch(graph->get(), copies.stream()), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(copies.stream()), cudaSuccess);
      ASSERT_EQ(places.ToHost(), std::vector<uint32_t>(kOperations + 1, replay)) << "seed " << seed;
    }
  }
}

size_t EdgesOf(cudaGraph_t graph) {
  size_t count = 0;
  EXPECT_CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  return count;
}

// A chain of three copies; the last copy also depends on the first.
TEST_F(CapturedGraphTest, ARedundantEdgeIsLeftOut) {
  DeviceArray<uint32_t> places(4);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphNode_t nodes[3];
  for (size_t i = 0; i < 3; ++i) {  // node i depends on all nodes before it
    ASSERT_EQ(cudaGraphAddMemcpyNode1D(&nodes[i], graph, nodes, i, places.data() + i + 1, places.data() + i,
                                       sizeof(uint32_t), cudaMemcpyDeviceToDevice),
              cudaSuccess);
  }
  EXPECT_EQ(EdgesOf(graph), 3);
  const auto left_out = LeaveOutRedundantEdges(graph);
  ASSERT_TRUE(left_out.ok()) << left_out.status();
  EXPECT_EQ(*left_out, 1);
  EXPECT_EQ(EdgesOf(graph), 2);
  EXPECT_CUDA(cudaGraphDestroy(graph));
}

TEST_F(CapturedGraphTest, AnErrorOfWhatIsLaunchedEndsTheCapture) {
  DeviceArray<uint32_t> places(kOperations + 1);
  RandomCopies copies(1, places.data());
  EXPECT_EQ(CaptureGraph(copies.stream(), [] { return absl::AbortedError("no"); }).status(), absl::AbortedError("no"));
  EXPECT_TRUE(CaptureGraph(copies.stream(), [&] { return copies.Enqueue(); }).ok());
}

}  // namespace
}  // namespace lockstep
