// Tests with processes on virtual hosts. LOCKSTEP_TEST_FAULTS=50 kills and stops 50 random ranks instead of 4, with the
// seed LOCKSTEP_TEST_SEED.
#include "lib/communicator/hierarchical_communicator.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<Communicator>> Make(RankContext& context) {
  ASSIGN_OR_RETURN(MadeCommunicator made,
                   MakeCpuCommunicator(*context.store, context.rank, context.size, context.timeout));
  return std::move(made.communicator);
}

absl::Status SumNow(Communicator& communicator, const at::Tensor& flat) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator.AllReduceSum(flat));
  return collective->Wait();
}

// Sums around the sizes of a cache line, of a share, of a chunk, and of a sum in place, in private memory and in that
// of the communicator. Rank r holds (r + 1) * (i % 5) in element i. All partial sums, up to 21 * 4, are exact in bf16.
absl::StatusOr<std::string> ExactSums(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  const int all = context.size * (context.size + 1) / 2;
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kDouble}) {
    for (const int64_t elements : {0, 1, 2, 7, 31, 33, 1000, 131072, 131075, 1048577}) {
      const at::Tensor numbers = at::arange(elements, at::kFloat).remainder(5).to(type);
      ASSIGN_OR_RETURN(const at::Tensor own, communicator->MakeFlat(elements, at::TensorOptions(type)));
      for (const at::Tensor& flat : {own, at::empty({elements}, type)}) {
        for (int round = 0; round < 2; ++round) {  // filled again as soon as the sum is complete
          flat.copy_(numbers.mul(context.rank + 1));
          RETURN_IF_ERROR(SumNow(*communicator, flat));
          if (!flat.equal(numbers.mul(all))) {
            return absl::StrCat("wrong sum of ", elements, " of ", c10::toString(type));
          }
        }
      }
    }
  }
  return std::string(communicator->name());
}

// FNV-1a of the bytes.
uint64_t Hash(const at::Tensor& flat) {
  uint64_t hash = 14695981039346656037u;
  const auto* const bytes = static_cast<const uint8_t*>(flat.data_ptr());
  for (size_t i = 0; i < flat.nbytes(); ++i) {
    hash = (hash ^ bytes[i]) * 1099511628211u;
  }
  return hash;
}

at::Tensor Terms(int rank, int64_t elements) {
  const at::Tensor i = at::arange(elements, at::kDouble);
  return i.mul(0.7 + 0.1 * rank).sin().mul(i.mul(0.013).cos().mul(8).exp()).to(at::kFloat);
}

// Sums numbers that need rounding. Each element takes n - 1 additions in some order. Each addition rounds by at most
// 2^-24 of a partial sum, which is at most the sum of the absolute terms, times 1 + (n - 2) 2^-24 for the roundings
// before it, which 1.001 covers. Returns a hash of the result, which must be the same on all ranks.
absl::StatusOr<std::string> RoundedSums(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  std::string hashes;
  for (const int64_t elements : {3, 1001, 700001}) {
    at::Tensor exact = at::zeros({elements}, at::kDouble), absolute = at::zeros({elements}, at::kDouble);
    for (int rank = 0; rank < context.size; ++rank) {
      exact.add_(Terms(rank, elements).to(at::kDouble));
      absolute.add_(Terms(rank, elements).to(at::kDouble).abs());
    }
    const at::Tensor flat = Terms(context.rank, elements);
    RETURN_IF_ERROR(SumNow(*communicator, flat));
    const at::Tensor excess =
        flat.to(at::kDouble).sub(exact).abs().sub(absolute.mul((context.size - 1) * 1.001 * 0x1p-24));
    if (excess.max().item<double>() > 0) {
      return absl::StrCat("above the bound by ", excess.max().item<double>());
    }
    absl::StrAppend(&hashes, Hash(flat), " ");
  }
  return hashes;
}

// Broadcasts from every rank, and starts several sums at once, which are awaited in the opposite order.
absl::StatusOr<std::string> OtherCalls(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  for (int root = 0; root < context.size; ++root) {
    for (const int64_t elements : {0, 1, 5, 300001}) {
      const at::Tensor flat = at::full({elements}, context.rank, at::kLong);
      RETURN_IF_ERROR(communicator->Broadcast(flat, root));
      if (!flat.equal(at::full({elements}, root, at::kLong))) {
        return absl::StrCat("wrong broadcast of ", elements, " from ", root);
      }
    }
  }
  std::vector<std::pair<at::Tensor, std::shared_ptr<Collective>>> sums;
  for (int i = 0; i < 8; ++i) {
    const at::Tensor flat = at::full({10000 + i}, static_cast<float>(i));
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> sum, communicator->AllReduceSum(flat));
    sums.emplace_back(flat, sum);
  }
  for (int i = 7; i >= 0; --i) {
    RETURN_IF_ERROR(sums[i].second->Wait());
    if (!sums[i].first.equal(at::full({10000 + i}, static_cast<float>(i * context.size)))) {
      return absl::StrCat("wrong sum ", i);
    }
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> ranks, communicator->AllGather(absl::StrCat(context.rank)));
  RETURN_IF_ERROR(communicator->Barrier());
  return absl::StrCat(communicator->Broadcast(at::ones({1}), context.size).message(), "; ", ranks.back());
}

// Returns the name of the communicator, and the reason why it is no hierarchical one, after a correct sum.
absl::StatusOr<std::string> NameAndReason(RankContext& context) {
  ASSIGN_OR_RETURN(const MadeCommunicator made,
                   MakeCpuCommunicator(*context.store, context.rank, context.size, context.timeout));
  const at::Tensor flat = at::ones({1000});
  RETURN_IF_ERROR(SumNow(*made.communicator, flat));
  return flat.equal(at::full({1000}, static_cast<float>(context.size)))
             ? absl::StrCat(made.communicator->name(), ": ", made.why)
             : "wrong sum";
}

// The payload is "RANK SIGNAL CALL ELEMENTS": the rank sends itself the signal before this call.
absl::StatusOr<std::string> LoseARank(RankContext& context) {
  std::vector<int> numbers;
  for (const absl::string_view text : absl::StrSplit(context.payload, ' ')) {
    numbers.push_back(0);
    if (!absl::SimpleAtoi(text, &numbers.back())) {
      return absl::InternalError("no number");
    }
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  ASSIGN_OR_RETURN(const at::Tensor flat, communicator->MakeFlat(numbers[3], at::kFloat));
  flat.fill_(1);
  for (int call = 0; call < 100; ++call) {
    if (context.rank == numbers[0] && call == numbers[2]) {
      raise(numbers[1]);
    }
    RETURN_IF_ERROR(SumNow(*communicator, flat));
  }
  return "";
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"exact_sums", ExactSums},
                                                                 {"rounded_sums", RoundedSums},
                                                                 {"other_calls", OtherCalls},
                                                                 {"name_and_reason", NameAndReason},
                                                                 {"lose_a_rank", LoseARank}};
  return *tasks;
}

// Runs the task on the virtual hosts "0,0,1,1", with as many ranks as numbers.
absl::StatusOr<std::vector<std::string>> RunOn(const std::string& hosts, const std::string& task,
                                               const std::string& payload = "",
                                               absl::Duration timeout = absl::Seconds(60)) {
  LaunchOptions options;
  options.ranks = static_cast<int>(std::count(hosts.begin(), hosts.end(), ',')) + 1;
  options.task = task;
  options.payload = payload;
  options.timeout = timeout;
  setenv(kHostOfRankVariable, hosts.c_str(), /*overwrite=*/1);
  auto results = LaunchRanks(options);
  unsetenv(kHostOfRankVariable);
  return results;
}

class HierarchicalCommunicatorTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(VirtualHosts, HierarchicalCommunicatorTest,
                         ::testing::Values("0,0,1,1", "0,1,1,0", "0,0,1,1,2,2", "0,0,0,1,1,1"));

TEST_P(HierarchicalCommunicatorTest, SumsAreExact) {
  const auto results = RunOn(GetParam(), "exact_sums");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("hierarchical"));
}

TEST_P(HierarchicalCommunicatorTest, RoundingStaysBelowItsBoundAndIsTheSameOnAllRanks) {
  const auto results = RunOn(GetParam(), "rounded_sums");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT((*results)[0], ::testing::Not(HasSubstr("above")));
  EXPECT_THAT(*results, Each((*results)[0]));
}

TEST_P(HierarchicalCommunicatorTest, OtherCallsWork) {
  const auto results = RunOn(GetParam(), "other_calls");
  ASSERT_THAT(results, IsOk());
  const size_t ranks = results->size();
  EXPECT_THAT(*results, Each(absl::StrCat("expected a root below ", ranks, ", found ", ranks, "; ", ranks - 1)));
}

std::string NameOn(const std::string& hosts) {
  const auto results = RunOn(hosts, "name_and_reason");
  EXPECT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each((*results)[0]));
  return (*results)[0];
}

TEST(CpuCommunicatorTest, FitsTheHosts) {
  EXPECT_EQ(NameOn("0,0"), "shared_memory: ");
  EXPECT_EQ(NameOn("0,1"), "gloo: ");
  EXPECT_EQ(NameOn("0,0,1"),
            "gloo: shared memory within hosts needs equally many ranks on each, found 2 hosts of 1 to 2 ranks");
}

TEST(CpuCommunicatorTest, AWrongListIsAnErrorOfTheRanks) {
  EXPECT_THAT(RunOn("0,2", "name_and_reason"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("LOCKSTEP_HOST_OF_RANK is '0,2', expected each number from 0 to 2")));
}

// Loses a rank and expects that the error names it.
void ExpectNamed(const std::string& hosts, int rank, int signal, int call, int elements) {
  // Long enough for the start of six processes on a busy machine, which wait for each other there.
  const absl::Duration timeout = absl::Seconds(signal == SIGSTOP ? 8 : 20);
  const auto ranks = static_cast<int>(std::count(hosts.begin(), hosts.end(), ',')) + 1;
  const std::string payload = absl::StrCat(rank, " ", signal, " ", call, " ", elements);
  const MonotonicTime start = MonotonicTime::Now();
  const std::string name = absl::StrCat("rank ", rank, " of ", ranks);
  EXPECT_THAT(RunOn(hosts, "lose_a_rank", payload, timeout),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr(signal == SIGSTOP ? absl::StrCat(name, " did not answer the other ranks for 8s")
                                                   : absl::StrCat(name, " was killed by signal 9"))))
      << hosts << ": " << payload;
  // A start takes seconds on a busy machine. A rank that is not detected would block the test for the 100 calls.
  EXPECT_LT(MonotonicTime::Now() - start, 2 * timeout + absl::Seconds(30)) << hosts << ": " << payload;
}

TEST(LostRankTest, AKilledRankOfEitherHostIsNamed) {
  ExpectNamed("0,0,1,1", 0, SIGKILL, 50, 1000);
  ExpectNamed("0,0,1,1", 3, SIGKILL, 50, 400000);
}

TEST(LostRankTest, AStoppedRankOfEitherHostIsNamed) {
  ExpectNamed("0,0,1,1", 1, SIGSTOP, 50, 400000);
  ExpectNamed("0,0,1,1,2,2", 4, SIGSTOP, 50, 1000);
}

int NumberOf(const char* variable, int otherwise) {
  const char* const text = std::getenv(variable);
  int number = otherwise;
  return text != nullptr && absl::SimpleAtoi(text, &number) ? number : otherwise;
}

TEST(LostRankTest, RandomRanksAreNamed) {
  std::mt19937 random(static_cast<uint32_t>(NumberOf("LOCKSTEP_TEST_SEED", 1)));
  for (int fault = NumberOf("LOCKSTEP_TEST_FAULTS", 4); fault > 0; --fault) {
    const bool three = random() % 2 == 0;
    const int rank = static_cast<int>(random() % (three ? 6 : 4));
    const int signal = random() % 2 == 0 ? SIGKILL : SIGSTOP;
    const int elements = random() % 2 == 0 ? 400000 : 1 + static_cast<int>(random() % 5000);
    ExpectNamed(three ? "0,0,1,1,2,2" : "0,0,1,1", rank, signal, static_cast<int>(random() % 100), elements);
  }
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
