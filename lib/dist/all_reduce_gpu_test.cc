// Our sums over GPUs, rank by rank a process and a GPU: what kernels' tests on one GPU cannot show. Skipped where there are
// not two.

#include <ATen/ops/arange.h>
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
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/device/device.h"
#include "lib/dist/communicator.h"
#include "lib/kernels/captured_graph.h"
#include "lib/kernels/cuda_status.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_test_main.h"
#include "lib/peer/device_all_reduce.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr uint32_t kWays = 3;
constexpr int64_t kMaxCount = int64_t{1} << 21;  // elements of a call
constexpr size_t kHalfBytes = kMaxCount * sizeof(float) + 1024;
constexpr size_t kMaxOffset = 16;  // elements

// A sum in place is in the first half of shared(), another from there to the second.
struct Call {
  AllReduceWay way = AllReduceWay::kOneShot;
  bool bf16 = false, in_place = false;
  int64_t count = 1, offset = 0;
};

class Summing {
 public:
  static absl::StatusOr<std::unique_ptr<Summing>> Make(RankContext& context, Communicator& communicator,
                                                       absl::Duration timeout = absl::Seconds(60)) {
    std::unique_ptr<Summing> summing(new Summing);
    DeviceAllReduceOptions options;
    options.rank = context.rank;
    options.size = context.size;
    options.timeout = timeout;
    options.shared_bytes = 2 * kHalfBytes;
    options.max_one_shot_bytes = kHalfBytes;
    ASSIGN_OR_RETURN(
        summing->all_reduce_,
        DeviceAllReduce::Make([&](absl::string_view own) { return communicator.AllGather(own); }, options));
    return summing;
  }

  at::Tensor From(const Call& call) const { return At(call, 0); }
  at::Tensor To(const Call& call) const { return At(call, call.in_place ? 0 : kHalfBytes); }

  absl::Status Sum(const Call& call, cudaStream_t stream) {
    return call.bf16 ? SumOf<__nv_bfloat16>(call, stream) : SumOf<float>(call, stream);
  }

  absl::Status Health() const { return all_reduce_->Health(); }

 private:
  at::Tensor At(const Call& call, size_t begin) const {
    const auto options =
        at::TensorOptions(at::kCUDA, c10::cuda::current_device()).dtype(call.bf16 ? at::kBFloat16 : at::kFloat);
    const size_t offset = begin + static_cast<size_t>(call.offset) * (call.bf16 ? 2 : 4);
    return at::from_blob(all_reduce_->shared() + offset, {call.count}, options);
  }

  template <typename W>
  absl::Status SumOf(const Call& call, cudaStream_t stream) {
    const W* const from = static_cast<const W*>(From(call).data_ptr());
    W* const to = static_cast<W*>(To(call).data_ptr());
    const auto count = static_cast<size_t>(call.count);
    return all_reduce_->Sum(call.way, from, to, count, stream);
  }

  std::unique_ptr<DeviceAllReduce> all_reduce_;
};

absl::StatusOr<std::unique_ptr<Communicator>> Nccl(RankContext& context) {
  ASSIGN_OR_RETURN(const c10::Device device, ResolveDevice("cuda", context.local_rank));
  RETURN_IF_ERROR(CudaStatus(cudaSetDevice(device.index()), "taking the GPU"));
  return MakeNcclCommunicator(*context.store, context.rank, context.size, {device.index(), context.timeout, 0});
}

// Whole numbers below 31, whose sums over up to eight ranks are exact in bf16: a rank's are values[begin + i].
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

Call RandomCall(std::mt19937& random) {
  Call call;
  call.way = static_cast<AllReduceWay>(random() % kWays);
  call.bf16 = random() % 2 == 0;
  call.in_place = random() % 2 == 0;
  call.count = 1 + static_cast<int64_t>(random()) % (int64_t{1} << (random() % 22));
  const auto aligned = static_cast<int64_t>(16 / (call.bf16 ? 2 : 4));
  call.offset = call.way == AllReduceWay::kCopies ? aligned * (static_cast<int64_t>(random()) % (kMaxOffset / aligned))
                                                  : static_cast<int64_t>(random() % kMaxOffset);
  return call;
}

// A call of a set of ranks, and what comes of it.
struct Running {
  Call call;
  at::Tensor expected;
};

// Pairs of calls of all ways, one of either set of ranks and both at once, each on a stream of its own, in the
// same order on all ranks; some come late. Payload: how many pairs. Returns what is wrong.
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
      call = RandomCall(random);
      const int64_t begin = static_cast<int64_t>(random()) % kMaxCount;
      sets[set]->From(call).copy_(values[static_cast<size_t>(context.rank)].slice(0, begin, begin + call.count));
      running[set].expected = values[0].slice(0, begin, begin + call.count).clone();
      for (size_t rank = 1; rank < values.size(); ++rank) {
        running[set].expected += values[rank].slice(0, begin, begin + call.count);
      }
    }
    if (lateness() % 64 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(lateness() % 2000));
    }
    const size_t first = random() % 2;
    for (const size_t set : {first, 1 - first}) {
      RETURN_IF_ERROR(sets[set]->Sum(running[set].call, streams[set].stream()));
    }
    for (size_t set = 0; set < 2; ++set) {
      const c10::cuda::CUDAStreamGuard guard(streams[set]);
      const Call& call = running[set].call;
      if (sets[set]->To(call).to(at::kFloat).ne(running[set].expected).any().item<bool>()) {
        return absl::StrCat("call ", n, " from the last: way ", static_cast<int>(call.way), ", bf16 ", call.bf16,
                            ", count ", call.count, ", offset ", call.offset, ", in place ", call.in_place, "; ",
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

// A graph of five calls, an odd number, of all ways, of random fp32 numbers out of place. A
// thousand replays, whose bits are summed up to one number that all ranks must have; nothing waits between replays.
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
                       RETURN_IF_ERROR(set->Sum(call, stream.stream()));
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

// Rank 1 stays away from a sum by copies.
absl::StatusOr<std::string> Missing(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Nccl(context));
  ASSIGN_OR_RETURN(const std::unique_ptr<Summing> set, Summing::Make(context, *communicator, absl::Seconds(3)));
  if (context.rank != 1) {
    Call call;
    call.way = AllReduceWay::kCopies;
    call.count = kMaxCount;
    RETURN_IF_ERROR(set->Sum(call, c10::cuda::getStreamFromPool().stream()));
    RETURN_IF_ERROR(CudaStatus(cudaDeviceSynchronize(), "a sum"));
  }
  RETURN_IF_ERROR(communicator->Barrier());  // rank 1's memory is there until nobody reaches for it
  return set->Health().ToString();
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks =
      new std::map<std::string, RankTask>{{"random calls", RandomCalls}, {"replays", Replays}, {"missing", Missing}};
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

TEST_F(AllReduceGpuTest, ARankThatDoesNotComeIsNamed) {
  const auto health = Run("missing");
  ASSERT_THAT(health, IsOk());
  EXPECT_THAT((*health)[0], HasSubstr("rank 1"));
  EXPECT_EQ((*health)[1], "OK");
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
