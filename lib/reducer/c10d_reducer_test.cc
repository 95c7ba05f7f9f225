#include "lib/reducer/c10d_reducer.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <csignal>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/reducer/reducer_comparison_testing.h"
#include "lib/testing/matchers.h"
#include "lib/testing/thread_shortage.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CanRefuseThreads;
using ::lockstep::testing::CompareReducers;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::RefuseThreads;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::Trainee;
using ::testing::Each;
using ::testing::HasSubstr;

// --- Tasks of the ranks ---

absl::StatusOr<std::string> Compare(RankContext& context) {
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  return CompareReducers(*communicator, c10::kCPU, context.payload);
}

absl::StatusOr<std::string> Ablated(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  ReducerOptions options;
  options.all_reduce = false;
  options.keep_local = true;
  Trainee trainee("lenet5", c10::kCPU);
  ASSIGN_OR_RETURN(trainee.reducer, MakeC10dReducer(trainee.parameters, *communicator, options));
  RETURN_IF_ERROR(trainee.Step(context.rank, 0));
  const bool own = trainee.reducer->Gradients().equal(trainee.reducer->TakeLocalGradients().mul(0.5));
  RETURN_IF_ERROR(trainee.Step(context.rank, 1));
  const ReducerTimes times = trainee.reducer->TakeTimes();
  return absl::StrCat(own ? "its own, halved" : "wrong", ", ", times.sent_calls, " sums, ", times.steps.size(),
                      " steps");
}

// Tests that sums with a hanging rank end with the timeout, within backward, and that the step returns the error.
absl::StatusOr<std::string> Hang(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  Trainee trainee("lenet5", c10::kCPU);
  ASSIGN_OR_RETURN(trainee.reducer, MakeC10dReducer(trainee.parameters, *communicator, {}));
  for (int step = 0; step < 4; ++step) {
    if (context.rank == 1 && step == 2) {
      raise(SIGSTOP);
    }
    RETURN_IF_ERROR(trainee.Step(context.rank, step));
  }
  return "";
}

// Tests that the first step returns an error if the thread that waits for sums cannot be started.
absl::StatusOr<std::string> StepWithoutThreads(RankContext& context) {
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  Trainee trainee("lenet5", c10::kCPU);
  RefuseThreads();
  ASSIGN_OR_RETURN(trainee.reducer, MakeC10dReducer(trainee.parameters, *communicator, {}));
  return trainee.Step(context.rank, 0);
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{
      {"compare", Compare}, {"ablated", Ablated}, {"hang", Hang}, {"step_without_threads", StepWithoutThreads}};
  return *tasks;
}

absl::StatusOr<std::vector<std::string>> RunTask(const std::string& task, const std::string& payload = "",
                                                 absl::Duration timeout = absl::Seconds(60)) {
  LaunchOptions options;
  options.ranks = 2;
  options.task = task;
  options.payload = payload;
  options.timeout = timeout;
  return LaunchRanks(options);
}

TEST(C10dReducerTest, HasTheGradientsOfOursToTheBitLeNet5) {
  const auto results = RunTask("compare", "lenet5");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

TEST(C10dReducerTest, HasTheGradientsOfOursToTheBitResNet18) {
  const auto results = RunTask("compare", "resnet18");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

TEST(C10dReducerTest, AblatedNothingIsSent) {
  const auto results = RunTask("ablated");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("its own, halved, 0 sums, 2 steps"));
}

TEST(C10dReducerTest, NoThreadToBeHadIsAnError) {
  if (!CanRefuseThreads()) {
    GTEST_SKIP() << "the kernel has no seccomp filters";
  }
  EXPECT_THAT(RunTask("step_without_threads"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("cannot start a thread")));
}

TEST(C10dReducerTest, ARankThatHangsIsNamed) {
  EXPECT_THAT(RunTask("hang", "", absl::Seconds(5)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("rank 1 of 2 did not answer")));
}

// --- One process ---

// One rank whose all-reduces all fail.
class CutCable : public Communicator {
 public:
  explicit CutCable(Store& store) : Communicator(store, 0, 1) {}
  int launched() const { return launched_; }

  absl::string_view name() const override { return "cut"; }
  absl::StatusOr<std::shared_ptr<Collective>> AllReduceSum(const at::Tensor&) override {
    ++launched_;
    return absl::UnavailableError("the cable is cut");
  }
  absl::Status Broadcast(const at::Tensor&, int) override { return absl::OkStatus(); }

 private:
  int launched_ = 0;
};

class OneRankC10dReducerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.is_host = true;
    store_ = *Store::Open(options);
    communicator_ = *MakeGlooCommunicator(*store_, 0, 1, absl::Seconds(30));
  }

  std::unique_ptr<Store> store_;
  std::unique_ptr<Communicator> communicator_;
  const at::Tensor p_ = at::ones({2}).requires_grad_();
  const at::Tensor q_ = at::ones({2}).requires_grad_();
};

TEST_F(OneRankC10dReducerTest, AFailureComesBackAfterBackward) {
  CutCable cut(*store_);
  ReducerOptions options;
  options.caps = {0, 0};
  const auto reducer = *MakeC10dReducer({{"p", p_}, {"q", q_}}, cut, options);
  ASSERT_THAT(reducer->BeforeBackward(), IsOk());
  p_.sum().add(q_.sum()).backward();
  EXPECT_THAT(reducer->AfterBackward(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("cable")));
  EXPECT_EQ(cut.launched(), 1);
}

TEST_F(OneRankC10dReducerTest, NamesAParameterWithoutAGradient) {
  const auto reducer = *MakeC10dReducer({{"p", p_}, {"q", q_}}, *communicator_, {});
  ASSERT_THAT(reducer->BeforeBackward(), IsOk());
  p_.sum().backward();
  EXPECT_THAT(reducer->AfterBackward(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("parameter q")));
}

TEST_F(OneRankC10dReducerTest, RefusesWhatItCannotDo) {
  ReducerOptions late;
  late.overlap = false;
  ReducerOptions bf16;
  bf16.communication_dtype = CommunicationDtype::kBf16;
  ReducerOptions by_time;
  by_time.rule = BucketRule::kAuto;
  ReducerOptions given;
  given.plan = {{0}};
  for (const ReducerOptions& options : {late, bf16, by_time, given}) {
    EXPECT_THAT(MakeC10dReducer({{"p", p_}}, *communicator_, options),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("c10d::Reducer")));
  }
  EXPECT_THAT(MakeC10dReducer({}, *communicator_, {}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("")));
}

TEST_F(OneRankC10dReducerTest, TakesItsHooksOffInTheEnd) {
  MakeC10dReducer({{"p", p_}, {"q", q_}}, *communicator_, {}).value().reset();
  p_.sum().backward();
  EXPECT_TRUE(p_.grad().equal(at::ones({2})));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
