// Tests that two ranks with half a batch each have the gradients of one rank with the whole batch: real models, real
// processes.

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/all_reduce_probe.h"
#include "lib/communicator/broadcast_tensors.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/nn/model.h"
#include "lib/reducer/all_reduce_cost_probe.h"
#include "lib/reducer/bucketed_reducer.h"
#include "lib/reducer/counted_broadcast.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::Each;

constexpr int64_t kImages = 32;

struct Examples {
  at::Tensor images;  // fp32 (n, 3, 32, 32)
  at::Tensor labels;  // int64 (n)

  Examples Part(int64_t from, int64_t count) const {
    return {images.narrow(0, from, count), labels.narrow(0, from, count)};
  }
};

// Returns the examples, which are equal in every process.
Examples MakeExamples() {
  const at::Tensor i = at::arange(kImages * 3072, at::kDouble);
  return {i.mul(0.7).sin().add(i.mul(0.0011).cos()).to(at::kFloat).reshape({kImages, 3, 32, 32}),
          at::arange(kImages, at::kLong).remainder(10)};
}

// Returns the gradients of the mean loss over the examples, by parameter.
std::vector<at::Tensor> Gradients(Model& model, const Examples& examples) {
  model.zero_grad();
  at::cross_entropy_loss(model.forward(examples.images), examples.labels).backward();
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : model.parameters()) {
    gradients.push_back(parameter.grad().clone());
  }
  return gradients;
}

// Runs one step of data-parallel training on this rank's share of the examples and returns the reduced gradients.
absl::StatusOr<std::vector<at::Tensor>> ReducedGradients(RankContext& context, Model& model, const Examples& mine) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  RETURN_IF_ERROR(BroadcastTensors(*communicator, model.parameters(), 0));
  std::vector<NamedParameter> parameters;
  for (const auto& parameter : model.named_parameters()) {
    parameters.push_back({parameter.key(), parameter.value()});
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<BucketedReducer> reducer,
                   BucketedReducer::Create(parameters, *communicator, {}));
  RETURN_IF_ERROR(reducer->BeforeBackward());
  at::cross_entropy_loss(model.forward(mine.images), mine.labels).backward();
  RETURN_IF_ERROR(reducer->AfterBackward());
  std::vector<at::Tensor> gradients;
  for (const NamedParameter& parameter : parameters) {
    gradients.push_back(parameter.tensor.grad().clone());
  }
  return gradients;
}

// Returns the mean over the images of |gradient of that image alone|: the sum of a gradient's terms without
// cancellation.
std::vector<at::Tensor> Magnitudes(Model& model, const Examples& examples) {
  std::vector<at::Tensor> sums;
  for (int64_t i = 0; i < kImages; ++i) {
    const std::vector<at::Tensor> gradients = Gradients(model, examples.Part(i, 1));
    sums.resize(gradients.size());
    for (size_t p = 0; p < gradients.size(); ++p) {
      sums[p] = sums[p].defined() ? sums[p] + gradients[p].abs() : gradients[p].abs();
    }
  }
  for (at::Tensor& sum : sums) {
    sum = sum / kImages;
  }
  return sums;
}

// Returns "" if both comparisons pass:
// - Bit for bit with the mean of the two halves' gradients computed here. This shows that the computed gradients were
//   sent. Scaling by 1/2 is exact and a sum of two numbers rounds once, so the tolerance is 0.
// - With one pass over all 32 images, which adds the same terms in a different order. `roundings` n is the length of
//   the longest chain of roundings: inner products through the network, back again, and the sum of a weight's gradient
//   over images and pixels. By Higham and Mary (SIAM J. Sci. Comput. 2019, theorem 2.4) errors grow like lambda sqrt(n)
//   u times the magnitude of the layer's terms, with u = 2^-24. With lambda = 10 a larger error is practically
//   impossible (probability 2 exp(-50) per sum).
std::string Compare(Model& model, const Examples& all, const std::vector<at::Tensor>& reduced, double roundings) {
  const std::vector<at::Tensor> first = Gradients(model, all.Part(0, kImages / 2));
  const std::vector<at::Tensor> second = Gradients(model, all.Part(kImages / 2, kImages / 2));
  const std::vector<at::Tensor> whole = Gradients(model, all);
  const std::vector<at::Tensor> magnitudes = Magnitudes(model, all);
  std::string found;
  for (size_t p = 0; p < reduced.size(); ++p) {
    if (!reduced[p].equal(first[p].mul(0.5).add(second[p].mul(0.5)))) {
      absl::StrAppend(&found, "parameter ", p, " is not the mean of the halves; ");
    }
    const double error = (reduced[p] - whole[p]).abs().max().item<double>();
    const double tolerance = 10 * std::sqrt(roundings) * std::ldexp(1.0, -24) * magnitudes[p].max().item<double>();
    if (!(error <= tolerance) || !(magnitudes[p].max().item<double>() > 0)) {
      absl::StrAppend(&found, "parameter ", p, " is off by ", error, ", tolerance ", tolerance, "; ");
    }
  }
  return found;
}

// Returns the number of multiply-adds in the inner products of the longest path: forward, backward to the input, and
// the first convolution's weight gradient (32 images times its output pixels).
double Roundings(const std::string& model) {
  constexpr double kLeNet5 = (75 + 150 + 400 + 120 + 84) + (10 + 84 + 120 + 16 * 25) + 32.0 * 28 * 28;
  constexpr double kLayers = 4 * 576 + (576 + 3 * 1152) + (1152 + 3 * 2304) + (2304 + 3 * 4608);
  constexpr double kResNet18 = 2 * (27 + kLayers + 512) + 32.0 * 32 * 32;
  return model == "lenet5" ? kLeNet5 : kResNet18;
}

absl::StatusOr<std::string> CompareWithOneRank(RankContext& context) {
  at::set_num_threads(1);
  const std::string& name = context.payload;
  // Each rank begins with different weights, so only the broadcast makes them equal.
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(name, /*seed=*/1 + context.rank));
  model->eval();  // running statistics; with batch statistics, half a batch would be a different function
  const Examples all = MakeExamples();
  const int64_t share = kImages / context.size;
  ASSIGN_OR_RETURN(const std::vector<at::Tensor> reduced,
                   ReducedGradients(context, *model, all.Part(context.rank * share, share)));
  return context.rank == 0 ? Compare(*model, all, reduced, Roundings(name)) : "";
}

// Broadcasts tensors of several dtypes, shapes and strides; those of rank 1 must arrive on all ranks.
absl::StatusOr<std::string> Broadcast(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  const auto make = [](int rank) -> std::vector<at::Tensor> {
    return {at::full({2, 3, 2, 2}, 1.5 * rank).add(at::arange(2)).contiguous(at::MemoryFormat::ChannelsLast),
            at::full({}, rank, at::kLong), at::arange(5, at::kFloat).mul(rank).requires_grad_()};
  };
  const std::vector<at::Tensor> mine = make(context.rank);
  const std::vector<at::Tensor> expected = make(1);
  RETURN_IF_ERROR(BroadcastTensors(*communicator, mine, 1));
  for (size_t i = 0; i < mine.size(); ++i) {
    if (!mine[i].equal(expected[i]) || mine[i].strides() != expected[i].strides()) {
      return absl::StrCat("tensor ", i, " is wrong");
    }
  }
  const at::Tensor buffer = at::full({3}, context.rank, at::kLong);
  CountedBroadcast counted(*communicator, {buffer, at::ones({2})});
  RETURN_IF_ERROR(counted.Send());
  RETURN_IF_ERROR(counted.Send());
  const Traffic traffic = counted.TakeTraffic();
  if (buffer.sum().item<int64_t>() != 0 || traffic.calls != 2 || traffic.bytes != 2 * 32 ||
      !(traffic.busy_seconds > 0) || counted.TakeTraffic().calls != 0) {
    return absl::StrCat("counted ", traffic.calls, " of ", traffic.bytes, " bytes in ", traffic.busy_seconds, " s");
  }
  return absl::StrCat("all alike", BroadcastTensors(*communicator, {}, 0).ok() ? "" : ", but none is an error");
}

absl::StatusOr<std::string> Probe(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  ProbeOptions options;
  options.size_bytes = 1 << 20;
  ASSIGN_OR_RETURN(const std::vector<double> seconds, ProbeAllReduce(*communicator, c10::kCPU, options));
  int positive = 0;
  for (const double s : seconds) {
    positive += s > 0 && s < 30 ? 1 : 0;
  }
  options.warmup = 0;
  return absl::StrCat(positive, " of ", seconds.size(), ", ",
                      ProbeAllReduce(*communicator, c10::kCPU, options).ok() ? "taken" : "refused");
}

absl::StatusOr<std::string> ProbeCost(RankContext& context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  ASSIGN_OR_RETURN(const AllReduceSeconds cost, MeasureAllReduceCost(*communicator, c10::kCPU));
  const double seconds = cost.alpha_seconds + (16 << 20) * cost.beta_seconds_per_byte;
  const bool sane = cost.alpha_seconds >= 0 && cost.beta_seconds_per_byte > 0 && seconds < 30;
  return sane ? "a line" : absl::StrCat(cost.alpha_seconds, " s + ", cost.beta_seconds_per_byte, " s a byte");
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{
      {"compare", CompareWithOneRank}, {"broadcast", Broadcast}, {"probe", Probe}, {"probe_cost", ProbeCost}};
  return *tasks;
}

absl::StatusOr<std::vector<std::string>> RunTask(const std::string& task, const std::string& payload) {
  LaunchOptions options;
  options.ranks = 2;
  options.task = task;
  options.payload = payload;
  return LaunchRanks(options);
}

TEST(SplitBatchTest, TwoRanksOf16HaveTheGradientsOfOneOf32LeNet5) {
  const auto results = RunTask("compare", "lenet5");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

TEST(SplitBatchTest, TwoRanksOf16HaveTheGradientsOfOneOf32ResNet18) {
  const auto results = RunTask("compare", "resnet18");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

TEST(BroadcastTensorsTest, EveryTensorOfTheRootArrives) {
  const auto results = RunTask("broadcast", "");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("all alike"));
}

TEST(ProbeAllReduceTest, TimesEachRepeat) {
  const auto results = RunTask("probe", "");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("20 of 20, refused"));
}

TEST(MeasureAllReduceCostTest, FindsALine) {
  const auto results = RunTask("probe_cost", "");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each("a line"));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
