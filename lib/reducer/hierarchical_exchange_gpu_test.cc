// Tests the exchange over several hosts with four ranks on two virtual hosts; skipped without a GPU. With fewer than
// four GPUs, ranks share GPUs (LOCKSTEP_RANKS_PER_GPU).
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/communicator.h"
#include "lib/communicator/hierarchical_communicator.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/cuda/follow_stream.h"
#include "lib/device/device.h"
#include "lib/device/shared_gpus_testing.h"
#include "lib/fused/addend_exchange.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/fused/shared_update.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/reducer/communicator_exchange.h"
#include "lib/testing/matchers.h"
#include "lib/testing/scoped_variable.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ScopedVariable;
using ::lockstep::testing::SharedGpus;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kRanks = 4, kHosts = 2;
constexpr uint32_t kMultiprocessors = 4;

c10::Device Gpu(const RankContext& context) { return *ResolveDevice("cuda", context.local_rank); }

absl::StatusOr<MadeExchange> Make(RankContext& context, bool shares_update) {
  ASSIGN_OR_RETURN(const HostTopology hosts, GatherHosts(*context.store, context.rank, context.size));
  HierarchicalExchangeOptions options;
  options.peers.device = Gpu(context);
  options.peers.communication_dtype = CommunicationDtype::kBf16;
  options.peers.timeout = context.timeout;
  options.peers.shares_update = shares_update;
  options.max_multiprocessors = kMultiprocessors;
  return MakeHierarchicalExchange(*context.store, context.rank, hosts, options);
}

struct Range {
  int64_t count;
  bool bf16;
  bool sharable;

  at::ScalarType type() const { return bf16 ? at::kBFloat16 : at::kFloat; }
};

// Sizes below, at and above a vector of 16 bytes, a share, and the limit of a small range of the peer exchange. A step
// ends with small ranges, like that of a network.
std::vector<Range> RangesOfStep() {
  return {{1'000'003, true, true}, {300'000, true, true}, {100'000, false, false},
          {65'537, true, false},   {9'600, false, false}, {1'728, true, false},
          {17, false, false},      {8, true, false},      {1, true, false}};
}

// Returns the numbers of one rank. All ranks can make those of every rank.
at::Tensor NumbersOf(int rank, size_t range, const Range& what) {
  at::Generator generator = at::detail::createCPUGenerator(static_cast<uint64_t>(rank) * 100 + range);
  return at::randn({what.count}, generator, at::kFloat).to(what.type());
}

// Sums in fp32 in the order given, rounded once.
at::Tensor RoundedSum(const std::vector<at::Tensor>& addends) {
  at::Tensor sum = addends[0].to(at::kFloat);
  for (size_t i = 1; i < addends.size(); ++i) {
    sum = sum.add(addends[i].to(at::kFloat));
  }
  return sum.to(addends[0].scalar_type());
}

// Returns the exact bits of the exchange: sums within hosts, each rounded once, and their sum, rounded once. NCCL's sum
// over two hosts is one addition.
at::Tensor ExpectedSum(size_t range, const Range& what) {
  std::vector<at::Tensor> of_hosts;
  for (int host = 0; host < kHosts; ++host) {
    std::vector<at::Tensor> addends;
    for (int rank = host * kRanks / kHosts; rank < (host + 1) * kRanks / kHosts; ++rank) {
      addends.push_back(NumbersOf(rank, range, what));
    }
    of_hosts.push_back(RoundedSum(addends));
  }
  return RoundedSum(of_hosts);
}

// Steps of one rank like those of the fused step, whose SGD is a copy of the share to the weights of the host's ranks.
class Steps {
 public:
  Steps(const MadeExchange& made, c10::Device device)
      : exchange_(*made.exchange), main_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, device.index())),
        update_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device.index())), device_(device) {}
  ~Steps() { cudaEventDestroy(event_); }

  absl::Status Init(int rank) {
    for (size_t i = 0; i < ranges_.size(); ++i) {
      inputs_.push_back(NumbersOf(rank, i, ranges_[i]).to(device_));
      data_.push_back(at::empty_like(inputs_[i]));
    }
    RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "making the numbers"));
    return CudaStatus(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event");
  }

  // Queues a step on stream(). May be captured.
  absl::Status Queue() {
    size_t offset = 0;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const size_t bytes = data_[i].nbytes();
      RETURN_IF_ERROR(CudaStatus(
          cudaMemcpyAsync(data_[i].data_ptr(), inputs_[i].data_ptr(), bytes, cudaMemcpyDeviceToDevice, main_.stream()),
          "copying the numbers"));
      RETURN_IF_ERROR(QueueRange(ranges_[i], data_[i].data_ptr(), offset));
      offset += static_cast<size_t>(ranges_[i].count);
    }
    RETURN_IF_ERROR(FollowStream(event_, update_.stream(), main_.stream()));
    return exchange_.EndStep(main_.stream());
  }

  cudaStream_t stream() const { return main_.stream(); }

  absl::Status Wait() { return CudaStatus(cudaStreamSynchronize(main_.stream()), "waiting for a step"); }

  void ChangeSigns() {
    const c10::cuda::CUDAStreamGuard guard(main_);
    for (at::Tensor& input : inputs_) {
      input.neg_();
    }
  }

  // Returns the ranges that are not `sign` times the expected sums, bit for bit; of a shared range, the weights of the
  // whole host.
  std::string Faults(float sign) const {
    std::string found;
    size_t offset = 0;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const at::Tensor expected = ExpectedSum(i, ranges_[i]).mul(sign);
      const at::Tensor sum = IsShared(ranges_[i]) ? WeightsAt(offset, ranges_[i]) : data_[i];
      if (!sum.cpu().equal(expected)) {
        absl::StrAppend(&found, "range ", i, " differs in ", sum.cpu().ne(expected).sum().item<int64_t>(), " of ",
                        ranges_[i].count, "; ");
      }
      offset += static_cast<size_t>(ranges_[i].count);
    }
    return found;
  }

  // Compares with the sums of a flat all-reduce of all ranks. Each of at most kRanks roundings of either sum is at most
  // `unit` of the sum of magnitudes (sum_check.h).
  absl::StatusOr<std::string> FaultsNextTo(Communicator& flat) const {
    std::string found;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      if (IsShared(ranges_[i])) {
        continue;
      }
      const at::Tensor sum = inputs_[i].clone();
      const at::Tensor magnitudes = inputs_[i].to(at::kFloat).abs();
      for (const at::Tensor& one : {sum, magnitudes}) {
        ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, flat.AllReduceSum(one));
        RETURN_IF_ERROR(collective->Wait());
      }
      const double unit = ranges_[i].bf16 ? std::ldexp(1, -8) : std::ldexp(1, -24);
      const at::Tensor bound = magnitudes.to(at::kDouble).mul(2 * (std::pow(1 + unit, kRanks + 1) - 1));
      const at::Tensor difference = sum.to(at::kDouble).sub(data_[i].to(at::kDouble)).abs();
      if (difference.gt(bound).any().item<bool>()) {
        absl::StrAppend(&found, "range ", i, " is not NCCL's; ");
      }
    }
    return found;
  }

 private:
  bool IsShared(const Range& range) const { return range.sharable && exchange_.shared_update() != nullptr; }

  at::Tensor WeightsAt(size_t offset, const Range& range) const {
    return at::from_blob(exchange_.shared_update()->Weights() + offset, {range.count},
                         at::TensorOptions(device_).dtype(at::kBFloat16));
  }

  absl::Status QueueRange(const Range& what, void* data, size_t offset) {
    RangeToSum range = {data, static_cast<size_t>(what.count),
                        what.bf16 ? CommunicationDtype::kBf16 : CommunicationDtype::kFp32, main_.stream(),
                        update_.stream()};
    range.sharable = what.sharable;
    if (exchange_.addend_exchange() == nullptr) {
      return exchange_.Sum(range);
    }
    ASSIGN_OR_RETURN(const RangeSum sum, exchange_.addend_exchange()->Gather(range));
    if (sum.shared != IsShared(what) || sum.ranks != (sum.shared ? 1 : 0)) {
      return absl::InternalError(absl::StrCat(sum.ranks, " addends, shared: ", sum.shared));
    }
    return sum.shared ? UpdateShare(sum, offset) : absl::OkStatus();
  }

  absl::Status UpdateShare(const RangeSum& sum, size_t offset) {
    SharedUpdate& shared = *exchange_.shared_update();
    std::vector<__nv_bfloat16*> all = shared.OtherWeights();
    all.push_back(shared.Weights());
    for (__nv_bfloat16* const weights : all) {
      RETURN_IF_ERROR(CudaStatus(
          cudaMemcpyAsync(weights + offset + sum.share.begin,
                          static_cast<const __nv_bfloat16*>(sum.of_rank[0]) + sum.share.begin,
                          sum.share.count * sizeof(__nv_bfloat16), cudaMemcpyDeviceToDevice, update_.stream()),
          "writing weights"));
    }
    return shared.WeightsWritten(update_.stream());
  }

  GradientExchange& exchange_;
  const c10::cuda::CUDAStream main_, update_;
  const c10::Device device_;
  const std::vector<Range> ranges_ = RangesOfStep();
  std::vector<at::Tensor> inputs_, data_;
  cudaEvent_t event_ = nullptr;
};

// Queues steps, or replays one, with numbers of changing signs; returns the wrong ranges.
absl::StatusOr<std::string> Sums(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const MadeExchange made, Make(context, absl::StrContains(context.payload, "shared")));
  Steps steps(made, Gpu(context));
  RETURN_IF_ERROR(steps.Init(context.rank));
  CapturedGraph graph;
  if (absl::StrContains(context.payload, "graph")) {
    ASSIGN_OR_RETURN(graph, CaptureGraph(steps.stream(), [&] { return steps.Queue(); }));
  }
  std::string found;
  for (int step = 0; step < 4; ++step) {
    RETURN_IF_ERROR(graph == nullptr ? steps.Queue()
                                     : CudaStatus(cudaGraphLaunch(graph.get(), steps.stream()), "replaying a step"));
    RETURN_IF_ERROR(steps.Wait());
    absl::StrAppend(&found, steps.Faults(step % 2 == 0 ? 1.0f : -1.0f));
    steps.ChangeSigns();
    RETURN_IF_ERROR(steps.Wait());
  }
  RETURN_IF_ERROR(made.exchange->Health());
  return found;
}

// Returns the ranges whose sums are too far from those of NCCL over all ranks.
absl::StatusOr<std::string> NextToNccl(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> flat,
                   MakeNcclCommunicator(*context.store, context.rank, context.size,
                                        {Gpu(context).index(), context.timeout, kMultiprocessors}));
  ASSIGN_OR_RETURN(const MadeExchange made, Make(context, /*shares_update=*/false));
  Steps steps(made, Gpu(context));
  RETURN_IF_ERROR(steps.Init(context.rank));
  RETURN_IF_ERROR(steps.Queue());
  RETURN_IF_ERROR(steps.Wait());
  return steps.FaultsNextTo(*flat);
}

// Returns what is known about a step that sends nothing: its ranges and sums, and the ranks that the step sees.
absl::StatusOr<std::string> LeftOut(RankContext& context) {
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const HostTopology hosts, GatherHosts(*context.store, context.rank, context.size));
  HierarchicalExchangeOptions options;
  options.peers.device = Gpu(context);
  options.peers.shares_update = true;
  options.peers.sends = false;
  ASSIGN_OR_RETURN(const MadeExchange made, MakeHierarchicalExchange(*context.store, context.rank, hosts, options));
  Steps steps(made, Gpu(context));
  RETURN_IF_ERROR(steps.Init(context.rank));
  RETURN_IF_ERROR(steps.Queue());
  RETURN_IF_ERROR(steps.Wait());
  const ExchangeCount count = made.counter->CountOfStep();
  return absl::StrCat(count.range_bytes.size(), " ranges, ", count.calls, " sums, ", made.exchange->ranks(), " rank");
}

// Rank 3 takes part in no step. Returns the state of the other ranks at the end of their waits.
absl::StatusOr<std::string> LoseRank3(RankContext& context) {
  constexpr absl::Duration kLimit = absl::Seconds(120);
  const c10::DeviceGuard guard(Gpu(context));
  ASSIGN_OR_RETURN(const MadeExchange made, Make(context, /*shares_update=*/true));
  if (context.rank == 3) {
    return context.store->Wait({"ended 0", "ended 1", "ended 2"}, kLimit).ok() ? "" : "a rank still waits";
  }
  Steps steps(made, Gpu(context));
  RETURN_IF_ERROR(steps.Init(context.rank));
  absl::Status status = steps.Queue();
  status.Update(CudaStatus(cudaDeviceSynchronize(), "waiting for a step"));
  const absl::Status health = made.exchange->Health();
  RETURN_IF_ERROR(context.store->Set(absl::StrCat("ended ", context.rank), "1"));
  return health.ok() ? status.ToString() : health.ToString();
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{
      {"sums", Sums}, {"next to nccl", NextToNccl}, {"left out", LeftOut}, {"lose rank 3", LoseRank3}};
  return *tasks;
}

// Runs the task on four ranks. `hosts`: virtual host of each rank.
absl::StatusOr<std::vector<std::string>> RunOn(const char* hosts, const std::string& task, const std::string& payload,
                                               absl::Duration timeout = absl::Seconds(60)) {
  LaunchOptions options;
  options.ranks = kRanks;
  options.task = task;
  options.payload = payload;
  options.timeout = timeout;
  const ScopedVariable host_of_rank(kHostOfRankVariable, hosts);
  const SharedGpus shared(kRanks);
  return LaunchRanks(options);
}

class HierarchicalExchangeGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (CountRankGpus() == 0) {
      GTEST_SKIP() << "needs a CUDA device";
    }
  }

  static void ExpectNothingFound(const std::string& task, const std::string& payload) {
    const auto results = RunOn("0,0,1,1", task, payload);
    ASSERT_THAT(results, IsOk());
    EXPECT_THAT(*results, Each(""));
  }
};

TEST_F(HierarchicalExchangeGpuTest, SumsInPlaceAreThoseOfTheHostToTheBit) {
  ExpectNothingFound("sums", "eager");
  ExpectNothingFound("sums", "graph");
}

TEST_F(HierarchicalExchangeGpuTest, WeightsOfSharesReachTheRanksOfTheHost) {
  ExpectNothingFound("sums", "shared, eager");
  ExpectNothingFound("sums", "shared, graph");
}

TEST_F(HierarchicalExchangeGpuTest, SumsAreNextToThoseOfNccl) { ExpectNothingFound("next to nccl", ""); }

TEST_F(HierarchicalExchangeGpuTest, WithoutSumsEveryRangeIsHandledAllTheSame) {
  const auto results = RunOn("0,0,1,1", "left out", "");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(absl::StrCat(RangesOfStep().size(), " ranges, 0 sums, 1 rank")));
}

TEST_F(HierarchicalExchangeGpuTest, UnequalHostsAreRefusedOnAllRanks) {
  EXPECT_THAT(RunOn("0,0,0,1", "sums", "").status().message(), HasSubstr("found 2 hosts of 1 to 3 ranks"));
}

// Rank 1 waits for rank 3 over the network, rank 2 in its host's memory, and rank 0 for these two.
TEST_F(HierarchicalExchangeGpuTest, NoRankWaitsForeverForALostRank) {
  const MonotonicTime start = MonotonicTime::Now();
  const auto results = RunOn("0,0,1,1", "lose rank 3", "", absl::Seconds(10));
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT((*results)[1], StartsWith("UNAVAILABLE: nccl all-reduce of ranks with index 1"));
  EXPECT_THAT((*results)[2], StartsWith("UNAVAILABLE: rank 3 sent no gradients within 10s"));
  EXPECT_EQ((*results)[3], "");
  EXPECT_LT(MonotonicTime::Now() - start, absl::Seconds(120));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
