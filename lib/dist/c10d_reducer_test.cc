#include "lib/dist/c10d_reducer.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/dist/bucketed_reducer.h"
#include "lib/dist/launch.h"
#include "lib/dist/rank_test_main.h"
#include "lib/nn/model.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Each;
using ::testing::HasSubstr;

// --- What the ranks of these tests do ---

// One network and the reducer of its gradients.
struct Trainee {
  std::shared_ptr<Model> model;
  std::vector<NamedParameter> parameters;
  std::unique_ptr<GradientReducer> reducer;

  explicit Trainee(const std::string& name) : model(*MakeModel(name, 3)) {
    for (const auto& parameter : model->named_parameters()) {
      parameters.push_back({parameter.key(), parameter.value()});
    }
    if (name ==
        "lenet5") {  // whose gradients become ready in reverse order: so the first buckets would be the last ones
      std::reverse(parameters.begin(), parameters.end());
    }
  }

  // A step of SGD on four images, other ones on each rank and in each step.
  absl::Status Step(int rank, int step) {
    const at::Tensor i = at::arange(4 * 3072, at::kFloat).add(4096 * (rank + 2 * step));
    const at::Tensor images = i.mul(0.7).sin().add(i.mul(0.0011).cos()).reshape({4, 3, 32, 32});
    const at::Tensor loss = at::cross_entropy_loss(model->forward(images), at::arange(4, at::kLong).add(rank + step));
    RETURN_IF_ERROR(reducer->BeforeBackward());
    loss.backward();
    RETURN_IF_ERROR(reducer->AfterBackward());
    const at::NoGradGuard no_grad;
    for (const NamedParameter& parameter : parameters) {
      parameter.tensor.sub_(parameter.tensor.grad(), 0.01);
    }
    return absl::OkStatus();
  }
};

std::string Differences(const ReducerTimes& ours, const ReducerTimes& theirs, size_t buckets) {
  std::string found;
  if (ours.steps != theirs.steps || ours.sent_calls != theirs.sent_calls || ours.sent_bytes != theirs.sent_bytes) {
    absl::StrAppend(&found, "ours sent ", ours.sent_bytes, " in ", ours.sent_calls, ", theirs ", theirs.sent_bytes,
                    " in ", theirs.sent_calls, "; ");
  }
  if (theirs.mean_bucket.size() != buckets || !(theirs.busy_seconds > 0) || !(theirs.exposed_seconds > 0)) {
    absl::StrAppend(&found, theirs.mean_bucket.size(), " buckets, busy ", theirs.busy_seconds, " s; ");
  }
  for (const BucketTimes& bucket : theirs.mean_bucket) {
    if (!(bucket.ready_seconds > 0 && bucket.begin_seconds >= bucket.ready_seconds &&
          bucket.end_seconds > bucket.begin_seconds)) {
      absl::StrAppend(&found, bucket.ready_seconds, " ", bucket.begin_seconds, " ", bucket.end_seconds, "; ");
    }
  }
  return found;
}

// Both reducers, each with a network of its own, step by step: gradients and buckets must be the same, to the bit.
absl::StatusOr<std::string> Compare(RankContext& context) {
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  ReducerOptions options;
  options.keep_local = true;
  if (context.payload == "lenet5") {
    options.caps = {16 << 10, 64 << 10};  // of 247 KB
  }
  Trainee ours(context.payload);
  Trainee theirs(context.payload);
  ASSIGN_OR_RETURN(ours.reducer, BucketedReducer::Create(ours.parameters, *communicator, options));
  ASSIGN_OR_RETURN(theirs.reducer, MakeC10dReducer(theirs.parameters, *communicator, options));
  std::string found;
  const BucketPlan first = theirs.reducer->buckets();
  for (int step = 0; step < 4; ++step) {
    RETURN_IF_ERROR(ours.Step(context.rank, step));
    RETURN_IF_ERROR(theirs.Step(context.rank, step));
    if (!theirs.reducer->Gradients().equal(ours.reducer->Gradients())) {
      absl::StrAppend(&found, "gradients of step ", step, " differ; ");
    }
    if (theirs.reducer->buckets() != ours.reducer->buckets() ||
        theirs.reducer->BucketBytes() != ours.reducer->BucketBytes()) {
      absl::StrAppend(&found, "buckets of step ", step, " differ; ");
    }
    if (step == 0 && !theirs.reducer->TakeLocalGradients().equal(ours.reducer->TakeLocalGradients())) {
      absl::StrAppend(&found, "local gradients differ; ");
    }
  }
  if (theirs.reducer->buckets() == first || theirs.reducer->buckets().size() < 3) {
    absl::StrAppend(&found, "from ", first.size(), " buckets to ", theirs.reducer->buckets().size(), "; ");
  }
  return found + Differences(ours.reducer->TakeTimes(), theirs.reducer->TakeTimes(), ours.reducer->buckets().size());
}

absl::StatusOr<std::string> Ablated(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  ReducerOptions options;
  options.all_reduce = false;
  options.keep_local = true;
  Trainee trainee("lenet5");
  ASSIGN_OR_RETURN(trainee.reducer, MakeC10dReducer(trainee.parameters, *communicator, options));
  RETURN_IF_ERROR(trainee.Step(context.rank, 0));
  const bool own = trainee.reducer->Gradients().equal(trainee.reducer->TakeLocalGradients().mul(0.5));
  RETURN_IF_ERROR(trainee.Step(context.rank, 1));
  const ReducerTimes times = trainee.reducer->TakeTimes();
  return absl::StrCat(own ? "its own, halved" : "wrong", ", ", times.sent_calls, " sums, ", times.steps, " steps");
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"compare", Compare}, {"ablated", Ablated}};
  return *tasks;
}

absl::StatusOr<std::vector<std::string>> RunTask(const std::string& task, const std::string& payload = "") {
  LaunchOptions options;
  options.ranks = 2;
  options.task = task;
  options.payload = payload;
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
  bf16.wire = Wire::kBf16;
  ReducerOptions by_time;
  by_time.rule = BucketRule::kAuto;
  for (const ReducerOptions& options : {late, bf16, by_time}) {
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
