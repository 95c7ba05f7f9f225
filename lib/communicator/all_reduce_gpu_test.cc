// Tests the all-reduce over peer memory, its halves and broadcasts with one process and one GPU per rank, which the
// kernels' tests on one GPU cannot cover. Skipped without two GPUs.

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/communicator.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"
#include "lib/device/device.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/peer/device_all_reduce.h"
#include "lib/peer/rank_share.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr uint32_t kWays = kAllReduceWays + 1;   // number of ways, including kAuto
constexpr int64_t kMaxCount = int64_t{1} << 21;  // maximum number of elements in a call
constexpr size_t kHalfBytes = kMaxCount * sizeof(float) + 1024;
constexpr size_t kMaxOffset = 16;  // offset in elements

enum class Kind { kSum, kReduceScatter, kAllGather, kBroadcast };
constexpr uint32_t kKinds = 4;

// One call. A call in place works in the first half of shared(); another call reads there and writes to the second
// half. A broadcast is always in place. A share has its own position within the `count` elements on either side.
struct Call {
  Kind kind = Kind::kSum;
  AllReduceWay way = AllReduceWay::kOneShot;
  bool bf16 = false, in_place = false;
  int64_t count = 1, offset = 0;
  int root = 0;

  size_t element_bytes() const { return bf16 ? 2 : 4; }
};

// Returns the rank's share of `all`, a tensor with the elements of the call.
at::Tensor ShareIn(const at::Tensor& all, const Call& call, size_t rank, size_t ranks) {
  const ShareRange share = ShareOf(static_cast<size_t>(call.count), call.element_bytes(), static_cast<uint32_t>(rank),
                                   static_cast<uint32_t>(ranks));
  return all.slice(0, static_cast<int64_t>(share.begin), static_cast<int64_t>(share.begin + share.count));
}

class Summing {
 public:
  static absl::StatusOr<std::unique_ptr<Summing>> Make(RankContext& context, Communicator& communicator,
                                                       absl::Duration timeout = absl::Seconds(60)) {
    std::unique_ptr<Summing> summing(new Summing(context));
    DeviceAllReduceOptions options;
    options.rank = context.rank;
    options.size = context.size;
    options.timeout = timeout;
    options.shared_bytes = 2 * kHalfBytes;
    options.max_one_shot_bytes = kHalfBytes;
    options.crossovers = {4 << 10, 64 << 10};  // crossovers at which each way is taken often
    ASSIGN_OR_RETURN(
        summing->all_reduce_,
        DeviceAllReduce::Make([&](absl::string_view own) { return communicator.AllGather(own); }, options));
    return summing;
  }

  at::Tensor From(const Call& call) const { return At(call, 0); }
  at::Tensor To(const Call& call) const { return At(call, call.in_place ? 0 : kHalfBytes); }

  absl::Status Run(const Call& call, cudaStream_t stream) {
    return call.bf16 ? RunOf<__nv_bfloat16>(call, stream) : RunOf<float>(call, stream);
  }

  // Returns this rank's result of the call.
  at::Tensor Result(const Call& call) const {
    return call.kind == Kind::kReduceScatter ? ShareIn(To(call), call, rank_, ranks_) : To(call);
  }

  // Returns the expected result of the call. `from` must be the inputs of all ranks.
  at::Tensor Expected(const Call& call, const std::vector<at::Tensor>& from) const {
    if (call.kind == Kind::kBroadcast) {
      return from[static_cast<size_t>(call.root)];
    }
    if (call.kind == Kind::kAllGather) {
      std::vector<at::Tensor> shares;
      for (size_t rank = 0; rank < ranks_; ++rank) {
        shares.push_back(ShareIn(from[rank], call, rank, ranks_));
      }
      return at::cat(shares);
    }
    at::Tensor sum = from[0].clone();
    for (size_t rank = 1; rank < ranks_; ++rank) {
      sum += from[rank];
    }
    return call.kind == Kind::kReduceScatter ? ShareIn(sum, call, rank_, ranks_) : sum;
  }

  absl::Status Health() const { return all_reduce_->Health(); }

 private:
  explicit Summing(const RankContext& context)
      : rank_(static_cast<size_t>(context.rank)), ranks_(static_cast<size_t>(context.size)) {}

  at::Tensor At(const Call& call, size_t begin) const {
    const auto options =
        at::TensorOptions(at::kCUDA, c10::cuda::current_device()).dtype(call.bf16 ? at::kBFloat16 : at::kFloat);
    const size_t offset = begin + static_cast<size_t>(call.offset) * (call.bf16 ? 2 : 4);
    return at::from_blob(all_reduce_->shared() + offset, {call.count}, options);
  }

  template <typename W>
  absl::Status RunOf(const Call& call, cudaStream_t stream) {
    W* const from = static_cast<W*>(From(call).data_ptr());
    W* const to = static_cast<W*>(To(call).data_ptr());
    const auto count = static_cast<size_t>(call.count);
    const size_t share = ShareOf(count, sizeof(W), static_cast<uint32_t>(rank_), static_cast<uint32_t>(ranks_)).begin;
    switch (call.kind) {
      case Kind::kReduceScatter:
        return all_reduce_->ReduceScatter<W>(from, to + share, count, stream);
      case Kind::kAllGather:
        return all_reduce_->AllGather(from + share, to, count * sizeof(W), stream);
      case Kind::kBroadcast:
        return all_reduce_->Broadcast(to, count * sizeof(W), call.root, stream);
      case Kind::kSum:
        break;
    }
    return all_reduce_->Sum<W>(call.way, from, to, count, stream);
  }

  const size_t rank_, ranks_;
  std::unique_ptr<DeviceAllReduce> all_reduce_;
};

absl::StatusOr<std::unique_ptr<Communicator>> Nccl(RankContext& context) {
  ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cuda", context.local_rank));
  RETURN_IF_ERROR(CudaStatus(cudaSetDevice(device.index()), "taking the GPU"));
  return MakeNcclCommunicator(*context.store, context.rank, context.size, {device.index(), context.timeout, 0});
}

// Returns whole numbers below 31, whose sums over up to eight ranks are exact in bf16. A rank's input is values[begin +
// i].
std::vector<at::Tensor> Values(int ranks) {
  std::vector<at::Tensor> values;
  for (int rank = 0; rank < ranks; ++rank) {
    values.push_back(at::arange(2 * kMaxCount, at::TensorOptions(at::kCUDA).dtype(at::kLong))
                         .mul_(2654435761)
                         .add_(rank * 40503)
                         .remainder_(31)
                         .to(at::kFloat));
  }
  return values;
}

// Returns a random call. At least half of the calls are sums.
Call RandomCall(std::mt19937& random, int ranks) {
  Call call;
  call.kind = random() % 2 == 0 ? Kind::kSum : static_cast<Kind>(random() % kKinds);
  call.way = static_cast<AllReduceWay>(random() % kWays);
  call.root = static_cast<int>(random() % static_cast<uint32_t>(ranks));
  call.bf16 = random() % 2 == 0;
  call.in_place = random() % 2 == 0 || call.kind == Kind::kBroadcast;
  call.count = 1 + static_cast<int64_t>(random()) % (int64_t{1} << (random() % 22));
  const auto aligned = static_cast<int64_t>(16 / call.element_bytes());
  const bool by_copies = call.way == AllReduceWay::kCopies || call.way == AllReduceWay::kAuto;
  call.offset = call.kind == Kind::kSum && by_copies
                    ? aligned * (static_cast<int64_t>(random()) % (kMaxOffset / aligned))
                    : static_cast<int64_t>(random() % kMaxOffset);
  return call;
}

// A call of a set of ranks, and its expected result.
struct Running {
  Call call;
  at::Tensor expected;
};

// Runs pairs of calls of all ways at once, one on each set of ranks and on a stream of its own, in the same order on
// all ranks; some ranks are late. The payload is the number of pairs. Returns the first error.
absl::StatusOr<std::string> RandomCalls(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  const std::vector<at::Tensor> values = Values(context.size);
  std::vector<std::unique_ptr<Summing>> sets(2);
  for (std::unique_ptr<Summing>& set : sets) {
    ASSIGN_OR_RETURN(set, Summing::Make(context, *communicator));
  }
  const std::vector<c10::cuda::CUDAStream> streams = {c10::cuda::getStreamFromPool(), c10::cuda::getStreamFromPool()};
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "filling"));
  std::mt19937 random(1), lateness(static_cast<uint32_t>(context.rank));  // calls are the same on all ranks
  for (int n = std::stoi(context.payload); n > 0; --n) {
    Running running[2];
    for (size_t set = 0; set < 2; ++set) {
      const c10::cuda::CUDAStreamGuard guard(streams[set]);
      Call& call = running[set].call;
      call = RandomCall(random, context.size);
      const int64_t begin = static_cast<int64_t>(random()) % kMaxCount;
      std::vector<at::Tensor> from;
      for (const at::Tensor& value : values) {
        from.push_back(value.slice(0, begin, begin + call.count));
      }
      sets[set]->From(call).copy_(from[static_cast<size_t>(context.rank)]);
      running[set].expected = sets[set]->Expected(call, from);
    }
    if (lateness() % 64 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(lateness() % 2000));
    }
    const size_t first = random() % 2;
    for (const size_t set : {first, 1 - first}) {
      RETURN_IF_ERROR(sets[set]->Run(running[set].call, streams[set].stream()));
    }
    for (size_t set = 0; set < 2; ++set) {
      const c10::cuda::CUDAStreamGuard guard(streams[set]);
      const Call& call = running[set].call;
      if (sets[set]->Result(call).to(at::kFloat).ne(running[set].expected).any().item<bool>()) {
        return absl::StrCat("call ", n, " from the last: kind ", static_cast<int>(call.kind), ", way ",
                            static_cast<int>(call.way), ", root ", call.root, ", bf16 ", call.bf16, ", count ",
                            call.count, ", offset ", call.offset, ", in place ", call.in_place, "; ",
                            sets[set]->Health().ToString());
      }
    }
  }
  std::string found;
  for (const std::unique_ptr<Summing>& set : sets) {
    const absl::Status health = set->Health();
    absl::StrAppend(&found, health.ok() ? "" : health.ToString());
  }
  return found;
}

// Captures a graph of five calls (an odd number) of all ways, with random fp32 numbers out of place, and replays it a
// thousand times without waiting between replays. Returns one number computed from the results' bits, which must be
// equal on all ranks.
absl::StatusOr<std::string> Replays(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Summing> set, Summing::Make(context, *communicator));
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(stream);
  at::Tensor bits = at::zeros({}, at::TensorOptions(at::kCUDA).dtype(at::kLong));
  Call call;
  call.count = 100'003;
  at::Tensor from = set->From(call), to = set->To(call);
  from.copy_(at::rand({call.count}, from.options()).add_(static_cast<double>(context.rank)));
  at::Tensor as_integers = at::empty({call.count}, bits.options());
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "filling"));
  ASSIGN_OR_RETURN(const CapturedGraph graph, CaptureGraph(stream.stream(), [&]() -> absl::Status {
                     for (uint32_t n = 0; n < 5; ++n) {
                       call.way = static_cast<AllReduceWay>(n % kWays);
                       RETURN_IF_ERROR(set->Run(call, stream.stream()));
                     }
                     return absl::OkStatus();
                   }));
  for (int replay = 0; replay < 1000; ++replay) {
    from.mul_(1.001).add_(0.125 * context.rank).remainder_(7.0);
    RETURN_IF_ERROR(CudaStatus(cudaGraphLaunch(graph.get(), stream.stream()), "replaying"));
    as_integers.copy_(to.view(at::kInt));
    bits.mul_(31).add_(as_integers.sum());
  }
  const auto total = bits.item<int64_t>();
  RETURN_IF_ERROR(set->Health());
  return absl::StrCat(total);
}

// Captures a graph of a reduce-scatter, an all-gather of its result, and a broadcast: an odd number of calls, with a
// number of elements that the ranks do not divide. Replays it with new numbers each time, sometimes after sums outside
// the graph, without waiting between replays. Returns the number of wrong elements.
absl::StatusOr<std::string> Halves(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Summing> set, Summing::Make(context, *communicator));
  const std::vector<at::Tensor> values = Values(context.size);
  const c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
  const c10::cuda::CUDAStreamGuard guard(stream);
  Call sum;
  sum.in_place = true;
  sum.count = 100'003;
  Call scatter = sum, gather = sum, cast = sum, one = sum;
  scatter.kind = Kind::kReduceScatter;
  gather.kind = Kind::kAllGather;
  cast.kind = Kind::kBroadcast;
  cast.root = context.size - 1;
  cast.offset = 1'000'000;
  one.count = 1;
  one.offset = 1'500'000;
  at::Tensor wrong = at::zeros({}, at::TensorOptions(at::kCUDA).dtype(at::kLong));
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "filling"));
  ASSIGN_OR_RETURN(const CapturedGraph graph, CaptureGraph(stream.stream(), [&]() -> absl::Status {
                     for (const Call& call : {scatter, gather, cast}) {
                       RETURN_IF_ERROR(set->Run(call, stream.stream()));
                     }
                     return absl::OkStatus();
                   }));
  for (int replay = 0; replay < 500; ++replay) {
    std::vector<at::Tensor> from;
    for (const at::Tensor& value : values) {
      from.push_back(value.slice(0, 997 * replay, 997 * replay + sum.count));
    }
    set->From(sum).copy_(from[static_cast<size_t>(context.rank)]);
    set->From(cast).copy_(from[static_cast<size_t>(context.rank)]);
    for (int n = 0; n < replay % 3; ++n) {
      RETURN_IF_ERROR(set->Run(one, stream.stream()));
    }
    RETURN_IF_ERROR(CudaStatus(cudaGraphLaunch(graph.get(), stream.stream()), "replaying"));
    wrong.add_(set->Result(gather).ne(set->Expected(sum, from)).sum());
    wrong.add_(set->Result(cast).ne(set->Expected(cast, from)).sum());
  }
  const auto total = wrong.item<int64_t>();
  RETURN_IF_ERROR(set->Health());
  return absl::StrCat(total);
}

// Makes one call of each kind without rank 1, each on its own set of ranks. Returns one line per kind with its outcome.
absl::StatusOr<std::string> Missing(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  std::vector<std::unique_ptr<Summing>> sets(kKinds);
  for (std::unique_ptr<Summing>& set : sets) {
    ASSIGN_OR_RETURN(set, Summing::Make(context, *communicator, absl::Seconds(2)));
  }
  for (uint32_t kind = 0; context.rank != 1 && kind < kKinds; ++kind) {
    Call call;
    call.kind = static_cast<Kind>(kind);
    call.way = AllReduceWay::kCopies;
    call.in_place = true;
    call.count = kMaxCount;
    RETURN_IF_ERROR(sets[kind]->Run(call, c10::cuda::getStreamFromPool().stream()));
  }
  RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "calls"));
  RETURN_IF_ERROR(communicator->Barrier());  // keeps rank 1's memory until no rank accesses it
  std::string found;
  for (const std::unique_ptr<Summing>& set : sets) {
    absl::StrAppend(&found, found.empty() ? "" : "\n", set->Health().ToString());
  }
  return found;
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{
      {"random calls", RandomCalls}, {"replays", Replays}, {"halves", Halves}, {"missing", Missing}};
  return *tasks;
}

class AllReduceGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!ResolveDevice("cuda", 1).ok()) {
      GTEST_SKIP() << "needs 2 CUDA devices";
    }
  }

  static absl::StatusOr<std::vector<std::string>> Run(const std::string& task, const std::string& payload = "") {
    LaunchOptions options;
    options.ranks = ResolveDevice("cuda", 3).ok() ? 4 : 2;
    options.task = task;
    options.payload = payload;
    return LaunchRanks(options);
  }
};

TEST_F(AllReduceGpuTest, TenThousandRandomCallsOfTwoSetsAtOnce) {
  const auto found = Run("random calls", "5000");
  ASSERT_THAT(found, IsOk());
  EXPECT_THAT(*found, Each(""));
}

TEST_F(AllReduceGpuTest, AThousandReplaysHaveTheSameBitsOnAllRanks) {
  const auto bits = Run("replays");
  ASSERT_THAT(bits, IsOk());
  EXPECT_THAT(*bits, Each((*bits)[0]));
  EXPECT_NE((*bits)[0], "0");
}

TEST_F(AllReduceGpuTest, HalvesAndBroadcastsAreExactInReplays) {
  const auto wrong = Run("halves");
  ASSERT_THAT(wrong, IsOk());
  EXPECT_THAT(*wrong, Each("0"));
}

TEST_F(AllReduceGpuTest, ARankThatDoesNotComeIsNamed) {
  const auto health = Run("missing");
  ASSERT_THAT(health, IsOk());
  const std::vector<std::string> first = absl::StrSplit((*health)[0], '\n');
  EXPECT_EQ(first.size(), kKinds);
  EXPECT_THAT(first, Each(HasSubstr("rank 1")));
  EXPECT_EQ((*health)[1], "OK\nOK\nOK\nOK");
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
