// Tests sums over two virtual hosts of two ranks each. With fewer than four GPUs, the ranks share them
// (LOCKSTEP_RANKS_PER_GPU). Skipped without a GPU.
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmarks/collective_terms.h"
#include "benchmarks/hierarchical_sum.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/hierarchical_communicator.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/device/device.h"
#include "lib/device/shared_gpus_testing.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/testing/matchers.h"
#include "lib/testing/scoped_variable.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ScopedVariable;
using ::lockstep::testing::SharedGpus;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int kRanks = 4;
constexpr size_t kMaxBytes = 4 << 20;

at::Tensor Terms(int64_t count, int rank, const at::TensorOptions& options) {
  const TermType type = options.dtype() == at::kBFloat16 ? TermType::kBfloat16 : TermType::kFloat;
  const int64_t max_term = MaxTerm(type, kRanks);
  return at::arange(count, options.dtype(at::kLong))
      .mul_(kTermStep)
      .add_(rank * kRankStep)
      .remainder_(max_term)
      .add_(1)
      .to(options.dtype());
}

// One way to sum `count` elements at `memory` over `ranks`.
struct Way {
  const char* name;
  uint8_t* memory;
  int64_t step;  // number of which `count` must be a multiple
  std::vector<int> ranks;
  std::function<absl::Status(size_t count, SumElement element, cudaStream_t stream)> call;
};

// Sums once by a plain call and twice by replays of a graph. Returns a text if a sum is wrong or the elements after the
// data have changed, else an empty text.
absl::StatusOr<std::string> Check(RankContext& context, const Way& way, int64_t count, at::TensorOptions options) {
  constexpr int64_t kGuard = 64;  // elements
  const auto stream = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(stream);
  const SumElement element =
      options.dtype() == at::kBFloat16 ? SumElement{ncclBfloat16, 2} : SumElement{ncclFloat32, 4};
  const at::Tensor all = at::from_blob(way.memory, {count + kGuard}, options), data = all.slice(0, 0, count);
  at::Tensor sum = at::zeros({count}, options);
  for (const int rank : way.ranks) {
    sum += Terms(count, rank, options);
  }
  const auto call = [&] { return way.call(static_cast<size_t>(count), element, stream.stream()); };
  CapturedGraph graph;
  for (int round = 0; round < 3; ++round) {
    RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));  // no rank writes into this data any more
    all.fill_(-1);
    data.copy_(Terms(count, context.rank, options));
    stream.synchronize();
    RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));
    if (round == 0) {
      RETURN_IF_ERROR(call());
    } else {
      RETURN_IF_ERROR(CudaStatus(cudaGraphLaunch(graph.get(), stream.stream()), "replaying"));
    }
    RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream.stream()), "a sum"));
    if (!data.equal(sum) || !all.slice(0, count).eq(-1).all().item<bool>()) {
      return absl::StrCat(way.name, ": wrong sum of ", count, " of ", c10::toString(options.dtype().toScalarType()),
                          " in round ", round);
    }
    if (round == 0) {
      ASSIGN_OR_RETURN(graph, CaptureGraph(stream.stream(), call));
    }
  }
  return std::string();
}

absl::StatusOr<std::string> ExactSums(RankContext& context) {
  ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cuda", context.local_rank));
  RETURN_IF_ERROR(CudaStatus(cudaSetDevice(device.index()), "taking the GPU"));
  SetNcclEnvironment();
  SetNcclHostId(context.rank, RanksPerGpu(), CountRankGpus() / RanksPerGpu());
  ASSIGN_OR_RETURN(const HostTopology hosts, GatherHosts(*context.store, context.rank, context.size));
  ASSIGN_OR_RETURN(const std::unique_ptr<HierarchicalSum> sum,
                   HierarchicalSum::Make(*context.store, context.rank, hosts, kMaxBytes, context.timeout));
  if (!sum->why_no_copies().empty()) {
    return sum->why_no_copies();
  }
  const at::Tensor own = at::empty({static_cast<int64_t>(kMaxBytes)}, at::TensorOptions(device).dtype(at::kByte));
  uint8_t* const memory = own.data_ptr<uint8_t>();
  const std::vector<int> all = {0, 1, 2, 3}, counterparts = hosts.CounterpartsOf(context.rank);
  const std::vector<Way> ways = {
      {"by nccl", memory, static_cast<int64_t>(sum->share_step()), all,
       [&](size_t count, SumElement element, cudaStream_t stream) {
         return sum->ByNccl(memory, count, element, stream);
       }},
      {"among counterparts", memory, 1, counterparts,
       [&](size_t count, SumElement element, cudaStream_t stream) {
         return sum->AmongCounterparts(memory, count, element, stream);
       }},
      {"by copies", sum->shared(), 1, all,
       [&](size_t count, SumElement element, cudaStream_t stream) { return sum->ByCopies(count, element, stream); }}};
  for (const Way& way : ways) {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
      for (int64_t count : {2, 8, 17, 1000, 65537, 700001}) {  // below and above the 16 bytes of a share's step
        count = count / way.step * way.step;
        ASSIGN_OR_RETURN(const std::string wrong, Check(context, way, count, at::TensorOptions(device).dtype(type)));
        if (!wrong.empty()) {
          return wrong;
        }
      }
    }
  }
  RETURN_IF_ERROR(sum->Health());
  RETURN_IF_ERROR(context.store->Barrier(context.rank, context.size));  // no rank still receives
  return std::string("exact");
}

TEST(HierarchicalSumTest, SumsOverVirtualHostsAreExact) {
  if (CountRankGpus() == 0) {
    GTEST_SKIP() << "needs a GPU";
  }
  const ScopedVariable hosts(kHostOfRankVariable, "0,0,1,1");
  const SharedGpus shared(kRanks);
  setenv("NCCL_SOCKET_IFNAME", "lo", /*overwrite=*/0);
  LaunchOptions options;
  options.ranks = kRanks;
  options.task = "exact sums";
  const auto results = LaunchRanks(options);
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("exact"));
}

TEST(HierarchicalSumTest, NeedsSeveralEqualHostsOfSeveralRanks) {
  EXPECT_EQ(WhyNotHierarchical(HostTopology({"a", "a", "b", "b"})), "");
  EXPECT_THAT(WhyNotHierarchical(HostTopology({"a", "a"})), HasSubstr("one host"));
  EXPECT_THAT(WhyNotHierarchical(HostTopology({"a", "b"})), HasSubstr("one rank"));
  EXPECT_THAT(WhyNotHierarchical(HostTopology({"a", "a", "b"})), HasSubstr("2 hosts of 1 to 2 ranks"));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  return lockstep::testing::RankTestMain(argc, argv, {{"exact sums", lockstep::ExactSums}});
}
