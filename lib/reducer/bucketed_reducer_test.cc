#include "lib/reducer/bucketed_reducer.h"

#include <ATen/Functions.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/fake_communicator_testing.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::FakeCommunicator;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Three parameters of 3, 4 and 2 floats with the loss x * (sum(a) + 2 sum(b) + 4 sum(c)): the gradients are x, 2x and
// 4x in every element. Forward uses b first and c last, so in backward c is ready first, then a, then b. The order of
// registration is a, b, c.
class SmallModel {
 public:
  SmallModel() {
    for (const auto& [name, size] : std::vector<std::pair<std::string, int64_t>>{{"a", 3}, {"b", 4}, {"c", 2}}) {
      parameters_.push_back({name, at::zeros({size}).requires_grad_()});
    }
  }
  const std::vector<NamedParameter>& parameters() const { return parameters_; }
  const at::Tensor& operator[](size_t i) const { return parameters_[i].tensor; }

  // Runs one forward and one backward. Parameters from `first_missing` on do not take part.
  absl::Status Step(BucketedReducer& reducer, double x, size_t first_missing = 3,
                    const std::vector<size_t>& forward = {1, 0, 2}) {
    at::Tensor loss = at::zeros({});
    for (const size_t i : forward) {
      if (i < first_missing) {
        loss = loss.add(parameters_[i].tensor.sum(), x * (1 << i));
      }
    }
    RETURN_IF_ERROR(reducer.BeforeBackward());
    loss.backward();
    return reducer.AfterBackward();
  }

 private:
  std::vector<NamedParameter> parameters_;
};

std::string Show(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  return absl::StrJoin(flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel(), " ");
}

// --- Tasks of the ranks ---

constexpr BucketCaps kOneEach = {0, 0};

absl::StatusOr<std::unique_ptr<Communicator>> Gloo(RankContext& context) {
  return MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout);
}

absl::StatusOr<std::string> Average(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Gloo(context));
  SmallModel model;
  ReducerOptions options;
  options.caps = kOneEach;
  options.overlap = context.payload != "no overlap";
  options.all_reduce = context.payload != "ablated";
  options.communication_dtype = context.payload == "bf16" ? CommunicationDtype::kBf16 : CommunicationDtype::kFp32;
  ASSIGN_OR_RETURN(const std::unique_ptr<BucketedReducer> reducer,
                   BucketedReducer::Create(model.parameters(), *communicator, options));
  std::vector<std::string> steps;
  for (int step = 0; step < 3; ++step) {
    RETURN_IF_ERROR(model.Step(*reducer, (context.rank + 1) * (step + 1)));
    steps.push_back(Show(reducer->Gradients()));
  }
  return absl::StrCat(absl::StrJoin(steps, " | "), " | hooks ", reducer->hook_count());
}

// Rank 1 has its gradients ready in another order than rank 0: all ranks must follow rank 0.
absl::StatusOr<std::string> ForeignOrder(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Gloo(context));
  const at::Tensor p = at::ones({1}).requires_grad_();
  const at::Tensor q = at::ones({1}).requires_grad_();
  ReducerOptions options;
  options.caps = kOneEach;
  ASSIGN_OR_RETURN(const std::unique_ptr<BucketedReducer> reducer,
                   BucketedReducer::Create({{"p", p}, {"q", q}}, *communicator, options));
  std::string gradients;
  for (int step = 0; step < 3; ++step) {
    const at::Tensor x = at::full({1}, 10.0f);
    // The parameter that forward uses last is ready first: p on rank 0, q on rank 1.
    const at::Tensor loss = context.rank == 0 ? x.mul(q).add(1).mul(p) : x.mul(p).add(1).mul(q);
    RETURN_IF_ERROR(reducer->BeforeBackward());
    loss.backward();
    RETURN_IF_ERROR(reducer->AfterBackward());
    absl::StrAppend(&gradients, Show(reducer->Gradients()), ", ");
  }
  return absl::StrCat(gradients, "first ", reducer->buckets()[0][0]);
}

// Plans by time after the seventh step. An all-reduce takes one second per byte and the gradients become ready within
// microseconds, so the best plan has the first gradient alone in the first bucket. This gradient is b on rank 0, and c
// on rank 1.
absl::StatusOr<std::string> PlannedByTime(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator, Gloo(context));
  SmallModel model;
  ReducerOptions options;
  options.rule = BucketRule::kAuto;
  options.all_reduce_seconds = {0, 1};
  ASSIGN_OR_RETURN(const std::unique_ptr<BucketedReducer> reducer,
                   BucketedReducer::Create(model.parameters(), *communicator, options));
  const std::vector<size_t> forward = context.rank == 0 ? std::vector<size_t>{2, 0, 1} : std::vector<size_t>{1, 0, 2};
  std::string plans;
  for (int step = 0; step < 9; ++step) {
    RETURN_IF_ERROR(model.Step(*reducer, context.rank + 1, 3, forward));
    absl::StrAppend(&plans, BucketPlanText(reducer->buckets()), reducer->has_final_plan() ? "! " : " ");
    if (Show(reducer->Gradients()) != "1.5 1.5 1.5 3 3 3 3 6 6") {
      return absl::StrCat("step ", step, " has ", Show(reducer->Gradients()));
    }
  }
  return plans;
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{
      {"average", Average}, {"foreign_order", ForeignOrder}, {"planned_by_time", PlannedByTime}};
  return *tasks;
}

absl::StatusOr<std::vector<std::string>> RunTask(int ranks, const std::string& task, const std::string& payload = "") {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = task;
  options.payload = payload;
  options.timeout = absl::Seconds(30);
  return LaunchRanks(options);
}

// --- Several ranks ---

// x is 1 and 2 on the ranks, then 2 and 4, then 3 and 6. The means are 1.5, 3 and 4.5 (a), twice that (b) and four
// times that (c). Halves are exact in fp32.
constexpr char kMeans[] = "1.5 1.5 1.5 3 3 3 3 6 6 | 3 3 3 6 6 6 6 12 12 | 4.5 4.5 4.5 9 9 9 9 18 18 | hooks 9";

TEST(BucketedReducerTest, AveragesOverTheRanks) {
  const auto results = RunTask(2, "average");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(kMeans));
}

TEST(BucketedReducerTest, AveragesAlikeWithoutOverlap) {
  const auto results = RunTask(2, "average", "no overlap");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(kMeans));
}

TEST(BucketedReducerTest, AveragesAlikeInBf16WhereItIsExact) {
  const auto results = RunTask(2, "average", "bf16");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(kMeans));
}

TEST(BucketedReducerTest, AblatedItsHooksRunButNothingIsSent) {
  const auto results = RunTask(2, "average", "ablated");
  ASSERT_THAT(results, IsOk());
  // Each rank's own gradients, halved because they are scaled.
  EXPECT_EQ((*results)[0], "0.5 0.5 0.5 1 1 1 1 2 2 | 1 1 1 2 2 2 2 4 4 | 1.5 1.5 1.5 3 3 3 3 6 6 | hooks 9");
  EXPECT_EQ((*results)[1], "1 1 1 2 2 2 2 4 4 | 2 2 2 4 4 4 4 8 8 | 3 3 3 6 6 6 6 12 12 | hooks 9");
}

TEST(BucketedReducerTest, AllRanksFollowTheOrderOfRankZero) {
  const auto results = RunTask(2, "foreign_order");
  ASSERT_THAT(results, IsOk());
  // Rank 0: dp = 11, dq = 10; rank 1: dp = 10, dq = 11. Means 10.5, exact.
  EXPECT_THAT(*results, Each("10.5 10.5, 10.5 10.5, 10.5 10.5, first 0"));
}

TEST(BucketedReducerTest, AllRanksFollowThePlanThatRankZeroMade) {
  const auto results = RunTask(2, "planned_by_time");
  ASSERT_THAT(results, IsOk());
  // The reverse of registration in step 0, rank 0's order by size in steps 1 to 6, by time from step 7 on.
  EXPECT_THAT(*results, Each("2,1,0 1,0,2 1,0,2 1,0,2 1,0,2 1,0,2 1,0,2 1;0,2! 1;0,2! "));
}

// --- One rank, in this process ---

class OneRankReducerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.is_host = true;
    store_ = *Store::Open(options);
    communicator_ = *MakeGlooCommunicator(*store_, 0, 1, absl::Seconds(30));
  }
  std::unique_ptr<BucketedReducer> Make(const std::vector<NamedParameter>& parameters, ReducerOptions options = {}) {
    return *BucketedReducer::Create(parameters, *communicator_, options);
  }

  std::unique_ptr<Store> store_;
  std::unique_ptr<Communicator> communicator_;
};

TEST_F(OneRankReducerTest, ItsOwnGradientIsTheAverage) {
  SmallModel model;
  const auto reducer = Make(model.parameters());
  ASSERT_THAT(model.Step(*reducer, 3), IsOk());
  EXPECT_EQ(Show(reducer->Gradients()), "3 3 3 6 6 6 6 12 12");
}

TEST_F(OneRankReducerTest, BeginsInReverseAndThenFollowsReadiness) {
  SmallModel model;
  ReducerOptions options;
  options.caps = kOneEach;
  const auto reducer = Make(model.parameters(), options);
  EXPECT_THAT(reducer->buckets(), ElementsAre(ElementsAre(2), ElementsAre(1), ElementsAre(0)));
  ASSERT_THAT(model.Step(*reducer, 1), IsOk());
  ASSERT_THAT(model.Step(*reducer, 1), IsOk());
  EXPECT_THAT(reducer->buckets(), ElementsAre(ElementsAre(2), ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(reducer->BucketBytes(), ElementsAre(8, 12, 16));
}

TEST_F(OneRankReducerTest, EveryBucketIsLaunchedBeforeBackwardIsOver) {
  FakeCommunicator fake(*store_, 1, 0);
  const at::Tensor p = at::ones({2}).requires_grad_();
  ReducerOptions options;
  options.caps = kOneEach;
  const auto reducer = *BucketedReducer::Create({{"p", p}}, fake, options);
  ASSERT_THAT(reducer->BeforeBackward(), IsOk());
  p.sum().backward();
  EXPECT_EQ(fake.launched(), 1);
  ASSERT_THAT(reducer->AfterBackward(), IsOk());
  EXPECT_EQ(fake.launched(), 1);
}

TEST_F(OneRankReducerTest, WithoutOverlapNothingIsLaunchedBeforeBackwardIsOver) {
  FakeCommunicator fake(*store_, 1, 0);
  const at::Tensor p = at::ones({2}).requires_grad_();
  ReducerOptions options;
  options.overlap = false;
  const auto reducer = *BucketedReducer::Create({{"p", p}}, fake, options);
  ASSERT_THAT(reducer->BeforeBackward(), IsOk());
  p.sum().backward();
  EXPECT_EQ(fake.launched(), 0);
  ASSERT_THAT(reducer->AfterBackward(), IsOk());
  EXPECT_EQ(fake.launched(), 1);
}

TEST_F(OneRankReducerTest, ALaunchThatFailsInAHookComesBackAfterBackward) {
  SmallModel model;
  FakeCommunicator fake(*store_, 1, 2);
  ReducerOptions options;
  options.caps = kOneEach;
  const auto reducer = *BucketedReducer::Create(model.parameters(), fake, options);
  EXPECT_THAT(model.Step(*reducer, 1), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("cable")));
  EXPECT_EQ(fake.launched(), 2);  // no launch after the failure
}

TEST_F(OneRankReducerTest, AnOldGradientIsNotAddedTo) {
  SmallModel model;
  const auto reducer = Make(model.parameters());
  for (int step = 0; step < 3; ++step) {
    ASSERT_THAT(model.Step(*reducer, 1), IsOk());
    EXPECT_EQ(Show(model[0].grad()), "1 1 1");
  }
}

TEST_F(OneRankReducerTest, GradientsLieInTheBucketAndStayThere) {
  SmallModel model;
  const auto reducer = Make(model.parameters());
  ASSERT_THAT(model.Step(*reducer, 1), IsOk());
  ASSERT_THAT(model.Step(*reducer, 1), IsOk());  // adopts the order and new buckets
  const float* const c = model[2].grad().data_ptr<float>();
  EXPECT_EQ(model[0].grad().data_ptr<float>(), c + 2);  // one bucket: first c, then a
  model[0].mutable_grad().reset();                      // same as zero_grad(set_to_none)
  ASSERT_THAT(model.Step(*reducer, 1), IsOk());
  EXPECT_EQ(model[0].grad().data_ptr<float>(), c + 2);
}

TEST_F(OneRankReducerTest, KeepsBucketsThatAreGiven) {
  for (const BucketRule rule : {BucketRule::kDdp, BucketRule::kAuto}) {
    SmallModel model;
    ReducerOptions options;
    options.rule = rule;
    options.plan = {{1}, {0, 2}};
    const auto reducer = Make(model.parameters(), options);
    EXPECT_TRUE(reducer->has_final_plan());
    for (int step = 0; step < 9; ++step) {
      ASSERT_THAT(model.Step(*reducer, 3), IsOk());
      EXPECT_EQ(reducer->buckets(), options.plan);
      EXPECT_EQ(Show(reducer->Gradients()), "3 3 3 6 6 6 6 12 12");
    }
    options.plan = {{1}, {0}};
    EXPECT_THAT(BucketedReducer::Create(model.parameters(), *communicator_, options),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'1;0' do not hold each of 3")));
  }
}

TEST_F(OneRankReducerTest, CountsWhatItSends) {
  for (const auto& [dtype, bytes] :
       std::map<CommunicationDtype, uint64_t>{{CommunicationDtype::kFp32, 36}, {CommunicationDtype::kBf16, 18}}) {
    SmallModel model;
    ReducerOptions options;
    options.caps = kOneEach;
    options.communication_dtype = dtype;
    const auto reducer = Make(model.parameters(), options);
    for (int step = 0; step < 2; ++step) {
      ASSERT_THAT(model.Step(*reducer, 1), IsOk());
    }
    const ReducerTimes times = reducer->TakeTimes();
    EXPECT_EQ(times.sent_calls, 2 * 3u);
    EXPECT_EQ(times.sent_bytes, 2 * bytes);
    EXPECT_EQ(reducer->TakeTimes().sent_bytes, 0u);
  }
}

TEST_F(OneRankReducerTest, RoundsToNearestIfBf16IsSent) {
  const at::Tensor p = at::ones({3}).requires_grad_();
  ReducerOptions options;
  options.communication_dtype = CommunicationDtype::kBf16;
  const auto reducer = Make({{"p", p}}, options);
  ASSERT_THAT(reducer->BeforeBackward(), IsOk());
  p.mul(at::full({3}, 1 + 0x1.8p-8f)).sum().backward();
  ASSERT_THAT(reducer->AfterBackward(), IsOk());
  EXPECT_TRUE(p.grad().equal(at::full({3}, 1 + 0x1p-7f)));  // 1 + 1.5 * 2^-8, between 1 and 1 + 2^-7
  EXPECT_EQ(p.grad().scalar_type(), at::kFloat);
}

TEST_F(OneRankReducerTest, KeepsTheStridesOfTheParameter) {
  const at::Tensor weight = at::zeros({2, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast).requires_grad_();
  const at::Tensor x = at::arange(24, at::kFloat).reshape({2, 3, 2, 2});
  const auto reducer = Make({{"weight", weight}});
  ASSERT_THAT(reducer->BeforeBackward(), IsOk());
  weight.mul(x).sum().backward();
  ASSERT_THAT(reducer->AfterBackward(), IsOk());
  EXPECT_EQ(weight.grad().strides(), weight.strides());
  EXPECT_TRUE(weight.grad().equal(x));
}

TEST_F(OneRankReducerTest, KeepsTheLocalGradientsOfTheFirstStep) {
  SmallModel model;
  ReducerOptions options;
  options.keep_local = true;
  const auto reducer = Make(model.parameters(), options);
  ASSERT_THAT(model.Step(*reducer, 5), IsOk());
  EXPECT_EQ(Show(reducer->TakeLocalGradients()), "5 5 5 10 10 10 10 20 20");
}

TEST_F(OneRankReducerTest, NamesAParameterWithoutAGradient) {
  SmallModel model;
  const auto reducer = Make(model.parameters());
  EXPECT_THAT(model.Step(*reducer, 1, 2), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("parameter c")));
}

TEST_F(OneRankReducerTest, RefusesWhatItCannotReduce) {
  EXPECT_THAT(BucketedReducer::Create({}, *communicator_, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("")));
  for (const at::Tensor& bad :
       {at::zeros({2}), at::zeros({2}, at::kDouble).requires_grad_(), at::zeros({2}).requires_grad_().mul(2)}) {
    EXPECT_THAT(BucketedReducer::Create({{"bad", bad}}, *communicator_, {}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("parameter bad")));
  }
}

TEST_F(OneRankReducerTest, TakesItsHooksOffInTheEnd) {
  SmallModel model;
  Make(model.parameters()).reset();
  model[0].sum().backward();
  EXPECT_EQ(Show(model[0].grad()), "1 1 1");
}

TEST_F(OneRankReducerTest, TimesAreInOrderAndTakenOnce) {
  SmallModel model;
  ReducerOptions options;
  options.caps = kOneEach;
  const auto reducer = Make(model.parameters(), options);
  for (int step = 0; step < 4; ++step) {
    ASSERT_THAT(model.Step(*reducer, 1), IsOk());
  }
  const ReducerTimes times = reducer->TakeTimes();
  ASSERT_EQ(times.steps.size(), 4u);
  for (const StepSummary& step : times.steps) {
    EXPECT_GT(step.backward_seconds, 0);
    EXPECT_GT(step.busy_seconds, 0);
  }
  ASSERT_EQ(times.mean_bucket.size(), 3u);
  for (const BucketTimes& bucket : times.mean_bucket) {
    EXPECT_GT(bucket.ready_seconds, 0);
    EXPECT_GE(bucket.begin_seconds, bucket.ready_seconds);
    EXPECT_GT(bucket.end_seconds, bucket.begin_seconds);
  }
  EXPECT_GE(times.mean_bucket[1].ready_seconds, times.mean_bucket[0].ready_seconds);
  EXPECT_EQ(reducer->TakeTimes().steps.size(), 0u);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
