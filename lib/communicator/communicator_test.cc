#include "lib/communicator/communicator.h"

#include <ATen/Functions.h>

#include <csignal>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/shared_memory_communicator.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/testing/matchers.h"
#include "lib/testing/thread_shortage.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CanRefuseThreads;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RefuseThreads;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Makes the communicator that the payload names.
absl::StatusOr<std::unique_ptr<Communicator>> Make(RankContext& context) {
  const auto make = context.payload == "gloo" ? MakeGlooCommunicator : MakeSharedMemoryCommunicator;
  ASSIGN_OR_RETURN(std::unique_ptr<Communicator> made,
                   make(*context.store, context.rank, context.size, context.timeout));
  if (made->name() != context.payload) {
    return absl::InternalError(absl::StrCat("expected ", context.payload, ", found ", made->name()));
  }
  return made;
}

// Rank r holds (r + 1) * (0, 1, 2, ...). The sum over 3 ranks is 6 * (0, 1, 2, ...), exact in fp32.
absl::StatusOr<std::string> Sum(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  const at::Tensor numbers = at::arange(1000, at::kFloat);
  const at::Tensor flat = numbers.mul(context.rank + 1);
  ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(flat));
  RETURN_IF_ERROR(collective->Wait());
  const double seconds = collective->end().SecondsSince(collective->begin());
  return absl::StrCat(flat.equal(numbers.mul(6)) ? "equal" : "wrong",
                      seconds > 0 && seconds < 20 ? " timed" : " untimed");
}

// Sums bf16 numbers: first integers up to 6 * 41 = 246, which are exact in bf16, then numbers that need rounding.
absl::StatusOr<std::string> SumBf16(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  const at::Tensor numbers = at::arange(42, at::kBFloat16);
  const at::Tensor flat = numbers.mul(context.rank + 1);
  const at::Tensor thirds = at::full({1001}, 1.0 / (3 + context.rank), at::kBFloat16);
  for (const at::Tensor& tensor : {flat, thirds}) {
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(tensor));
    RETURN_IF_ERROR(collective->Wait());
  }
  // 1/3 + 1/4 + 1/5 with at most three roundings of 2^-8 each: one of each term, and those of one or two additions.
  const double error = thirds.to(at::kDouble).sub(47.0 / 60).abs().max().item<double>();
  return absl::StrCat(flat.equal(numbers.mul(6)) ? "equal" : "wrong",
                      error <= 47.0 / 60 * 3.02 * 0x1p-8 ? " near" : " far");
}

// Sums in the communicator's own memory, which is refilled as soon as each sum is complete, and which outlives the
// communicator.
absl::StatusOr<std::string> SumsOfItsOwn(RankContext& context) {
  ASSIGN_OR_RETURN(std::unique_ptr<Communicator> communicator, Make(context));
  std::vector<at::Tensor> flats;
  for (const int64_t elements : {7, 1000003}) {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
      ASSIGN_OR_RETURN(flats.emplace_back(), communicator->MakeFlat(elements, at::TensorOptions(type)));
    }
  }
  std::vector<std::string> wrong;
  for (int round = 0; round < 3; ++round) {
    for (const at::Tensor& flat : flats) {
      const at::Tensor numbers = at::arange(flat.numel(), at::kFloat).remainder(41 - round).to(flat.scalar_type());
      flat.copy_(numbers.mul(context.rank + 1));
      ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(flat));
      RETURN_IF_ERROR(collective->Wait());
      if (!flat.equal(numbers.mul(6))) {
        wrong.push_back(absl::StrCat(round, ": ", flat.numel(), " of ", c10::toString(flat.scalar_type())));
      }
    }
  }
  communicator.reset();
  flats.back().fill_(1);
  return wrong.empty() ? "equal" : absl::StrJoin(wrong, ", ");
}

// Starts several sums at once and waits for them in the opposite order: each must get its own sum.
absl::StatusOr<std::string> SeveralSums(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  std::vector<at::Tensor> flats;
  std::vector<std::shared_ptr<Collective>> collectives;
  for (int i = 0; i < 8; ++i) {
    flats.push_back(at::full({10000 + i}, static_cast<float>(i)));
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(flats.back()));
    collectives.push_back(collective);
  }
  std::vector<std::string> sums;
  for (int i = 7; i >= 0; --i) {
    RETURN_IF_ERROR(collectives[i]->Wait());
    sums.push_back(absl::StrCat(flats[i].min().item<float>(), "=", flats[i].max().item<float>()));
  }
  return absl::StrJoin(sums, " ");
}

absl::StatusOr<std::string> Broadcast(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  const at::Tensor flat = at::full({5}, static_cast<float>(context.rank));
  RETURN_IF_ERROR(communicator->Broadcast(flat, 1));
  return absl::StrCat(flat.sum().item<float>());
}

absl::StatusOr<std::string> DieInTheMiddle(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  const at::Tensor flat = at::ones({1000});
  for (int i = 0; i < 100; ++i) {
    if (context.rank == 1 && i == 50) {
      raise(SIGKILL);
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(flat));
    RETURN_IF_ERROR(collective->Wait());
  }
  return "";
}

absl::StatusOr<std::string> HangInTheMiddle(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  if (context.rank == 1) {
    raise(SIGSTOP);
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(at::ones({1000})));
  RETURN_IF_ERROR(collective->Wait());
  return "";
}

absl::StatusOr<std::string> Leave(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Make(context));
  if (context.rank == 1) {
    return "";
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator->AllReduceSum(at::ones({1000})));
  RETURN_IF_ERROR(collective->Wait());
  return "";
}

absl::StatusOr<std::string> MakeWithoutThreads(RankContext& context) {
  RefuseThreads();
  return Make(context).status();
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"sum", Sum},
                                                                 {"sum_bf16", SumBf16},
                                                                 {"sums_of_its_own", SumsOfItsOwn},
                                                                 {"several_sums", SeveralSums},
                                                                 {"broadcast", Broadcast},
                                                                 {"die_in_the_middle", DieInTheMiddle},
                                                                 {"leave", Leave},
                                                                 {"make_without_threads", MakeWithoutThreads},
                                                                 {"hang_in_the_middle", HangInTheMiddle}};
  return *tasks;
}

// Each test runs with both communicators.
class CommunicatorTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(OnCpus, CommunicatorTest, ::testing::Values("gloo", "shared_memory"),
                         [](const auto& info) { return info.param; });

LaunchOptions Options(int ranks, const std::string& task, const std::string& communicator) {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = task;
  options.payload = communicator;
  options.timeout = absl::Seconds(20);
  return options;
}

TEST_P(CommunicatorTest, SumsOverThreeRanks) {
  const auto results = LaunchRanks(Options(3, "sum", GetParam()));
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("equal timed"));
}

TEST_P(CommunicatorTest, SumsBf16) {
  const auto results = LaunchRanks(Options(3, "sum_bf16", GetParam()));
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("equal near"));
}

TEST_P(CommunicatorTest, SumsInMemoryOfItsOwn) {
  const auto results = LaunchRanks(Options(3, "sums_of_its_own", GetParam()));
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("equal"));
}

TEST_P(CommunicatorTest, SeveralAllReducesRunAtOnce) {
  const auto results = LaunchRanks(Options(2, "several_sums", GetParam()));
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("14=14 12=12 10=10 8=8 6=6 4=4 2=2 0=0"));
}

TEST_P(CommunicatorTest, OneRankIsItsOwnSum) {
  const auto results = LaunchRanks(Options(1, "several_sums", GetParam()));
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("7=7 6=6 5=5 4=4 3=3 2=2 1=1 0=0"));
}

TEST_P(CommunicatorTest, BroadcastsFromAnyRank) {
  const auto results = LaunchRanks(Options(2, "broadcast", GetParam()));
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("5"));
}

TEST_P(CommunicatorTest, ARankKilledInTheMiddleIsNamed) {
  EXPECT_THAT(LaunchRanks(Options(2, "die_in_the_middle", GetParam())),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 was killed by signal 9")));
}

// Rank 1 ends without an error and without taking part in the sum for which rank 0 waits.
TEST_P(CommunicatorTest, ARankThatIsLeftAloneReportsItselfOnce) {
  LaunchOptions options = Options(2, "leave", GetParam());
  options.timeout = absl::Seconds(2);
  const absl::Status status = LaunchRanks(options).status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable,
                               StartsWith(absl::StrCat("rank 0 of 2: ", GetParam() == "gloo" ? "gloo" : "shared-memory",
                                                       " all-reduce number 1: "))));
}

TEST_P(CommunicatorTest, NoThreadToBeHadIsAnError) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  EXPECT_THAT(LaunchRanks(Options(1, "make_without_threads", GetParam())),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Resource temporarily unavailable")));
}

TEST_P(CommunicatorTest, ARankThatHangsIsNamed) {
  LaunchOptions options = Options(2, "hang_in_the_middle", GetParam());
  options.timeout = absl::Seconds(2);
  EXPECT_THAT(LaunchRanks(options),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 did not answer the other ranks for 2s")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
