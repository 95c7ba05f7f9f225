// Tests that ranks that share each batch train like one process with the whole batch: LeNet-5 and a network of the
// user's own, ten steps with momentum and weight decay, through the classes with which a rank of scale_run trains
// (TrainStep, PointGroup).

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/nn/model.h"
#include "lib/scale_run/point_group.h"
#include "lib/testing/matchers.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::Each;

constexpr int kSteps = 10;
constexpr int64_t kImages = 32;  // images of all ranks per step
constexpr double kRate = 0.01;
constexpr double kMomentum = 0.9;
constexpr double kWeightDecay = 5e-4;
constexpr int kFaultyStep = 4;

struct Examples {
  at::Tensor images;  // double (n, 3, 32, 32)
  at::Tensor labels;  // int64 (n)
};

// Returns the examples, which are equal in every process.
Examples MakeExamples(int step) {
  const at::Tensor i = at::arange(kImages * 3072, at::kDouble).add(977 * step);
  const at::Tensor n = at::arange(kImages, at::kDouble).view({-1, 1, 1, 1});
  return {i.mul(0.7).sin().add(i.mul(0.0011).cos()).reshape({kImages, 3, 32, 32}).mul(n.mul(0.03).add(0.5)),
          at::arange(kImages, at::kLong).mul(7).add(step).remainder(10)};
}

// Returns the smallest fault that must be detected: one of 320 images is replaced by its neighbour.
Examples WithOneImageWrong(Examples all) {
  all.images[kImages - 1].copy_(all.images[kImages - 2].clone());
  all.labels[kImages - 1].fill_(all.labels[kImages - 2].item<int64_t>());
  return all;
}

at::Tensor Weights(const Model& model) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& parameter : model.parameters()) {
    flat.push_back(parameter.detach().to(at::kDouble).flatten());
  }
  return at::cat(flat);
}

double Distance(const at::Tensor& a, const at::Tensor& b) { return (a - b).norm().item<double>(); }

// Payload of the ranks that train the TorchScript module instead of LeNet-5.
constexpr char kOwnNetwork[] = "own network";

// Payload of ranks on two virtual hosts.
constexpr char kTwoHosts[] = "two hosts";

std::string ModelOf(const std::string& payload) {
  return payload == kOwnNetwork ? "data/testdata/own_network.pt" : "lenet5";
}

std::shared_ptr<Model> MakeNetwork(const std::string& payload) { return *MakeModel(ModelOf(payload), 5); }

// --- fp64, in which rounding is negligible ---

// Trains with the gradient over `size` parts of each batch, averaged, by the rule of torch.optim.SGD.
at::Tensor TrainInFp64(int size, bool one_image_wrong, const std::string& payload = "") {
  const std::shared_ptr<Model> model = MakeNetwork(payload);
  model->to(at::kDouble);
  std::vector<at::Tensor> momenta;
  for (int step = 0; step < kSteps; ++step) {
    Examples all = MakeExamples(step);
    all = one_image_wrong && step == kFaultyStep ? WithOneImageWrong(all) : all;
    for (int part = 0; part < size; ++part) {
      const int64_t share = kImages / size;
      const at::Tensor logits = model->forward(all.images.narrow(0, part * share, share));
      at::cross_entropy_loss(logits, all.labels.narrow(0, part * share, share)).div(size).backward();  // adds up
    }
    const at::NoGradGuard no_grad;
    const std::vector<at::Tensor> parameters = model->parameters();
    momenta.resize(parameters.size());
    for (size_t p = 0; p < parameters.size(); ++p) {
      const at::Tensor gradient = parameters[p].grad().add(parameters[p], kWeightDecay);
      momenta[p] = momenta[p].defined() ? momenta[p].mul(kMomentum).add(gradient) : gradient.clone();
      parameters[p].sub_(momenta[p], kRate);
      parameters[p].mutable_grad().reset();
    }
  }
  return Weights(*model);
}

// --- fp32, through the classes of scale_run ---

Batch PartOf(const Examples& all, int rank, int size) {
  const int64_t share = kImages / size;
  const at::Tensor images = all.images.narrow(0, rank * share, share).to(at::kFloat).contiguous();
  const at::Tensor labels = all.labels.narrow(0, rank * share, share).contiguous();
  Batch batch;
  batch.size = static_cast<uint32_t>(share);
  batch.images.assign(images.data_ptr<float>(), images.data_ptr<float>() + images.numel());
  batch.labels.assign(labels.data_ptr<int64_t>(), labels.data_ptr<int64_t>() + labels.numel());
  return batch;
}

// The payload names the fault, or is "".
absl::StatusOr<at::Tensor> TrainInFp32(RankContext& context) {
  proto::ScaleSpec spec;
  spec.set_backend(context.payload == kTwoHosts ? proto::HIERARCHICAL : proto::GLOO);
  spec.set_reducer("own");
  spec.set_gradient_compression("none");
  spec.set_bucket_plan("ddp");
  spec.set_overlap(true);
  spec.set_buffers("local");
  proto::TrainingSpec& training = *spec.mutable_training();
  training.set_model(ModelOf(context.payload));
  training.set_step(proto::AUTOGRAD);
  training.set_precision(proto::FP32);
  training.set_learning_rate(kRate);
  training.set_momentum(kMomentum);
  training.set_weight_decay(kWeightDecay);
  training.set_accumulate(1);
  proto::ScalePoint point;
  point.set_reduction(context.size == 1                   ? proto::PLAIN
                      : context.payload == "not averaged" ? proto::ABLATED
                                                          : proto::ALL_REDUCE);
  ASSIGN_OR_RETURN(const std::unique_ptr<PointGroup> group,
                   PointGroup::Join(context, spec, point, c10::kCPU, ReducerSource::kNamed));
  if (context.payload == kTwoHosts && group->communicator()->name() != "hierarchical") {
    return absl::InternalError(absl::StrCat("expected hierarchical, found ", group->communicator()->name()));
  }
  const std::shared_ptr<Model> model = MakeNetwork(context.payload);
  RETURN_IF_ERROR(group->ShareModel(*model));
  TrainStep step(model, training, c10::kCPU);
  ASSIGN_OR_RETURN(GradientHook* const hook, group->MakeHook(step.model()));
  RETURN_IF_ERROR(group->BeginEpoch(0));
  step.BeginEpoch();
  for (int i = 0; i < kSteps; ++i) {
    const bool wrong = context.payload == "one image wrong" && i == kFaultyStep;
    RETURN_IF_ERROR(step.Run(
        PartOf(wrong ? WithOneImageWrong(MakeExamples(i)) : MakeExamples(i), context.rank, context.size), hook));
  }
  RETURN_IF_ERROR(step.EndEpoch().status());
  RETURN_IF_ERROR(group->EndEpoch(0));
  return Weights(*model);
}

// Returns the distance of rank 0's weights from the fp64 weights.
absl::StatusOr<std::string> Train(RankContext& context) {
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const at::Tensor weights, TrainInFp32(context));
  return context.rank == 0 ? absl::StrCat(Distance(weights, TrainInFp64(1, false, context.payload))) : "";
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"train", Train}};
  return *tasks;
}

double DistanceOf(int ranks, const std::string& payload = "") {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = "train";
  options.payload = payload;
  const auto results = LaunchRanks(options);
  EXPECT_THAT(results, IsOk());
  double distance = std::nan("");
  EXPECT_TRUE(results.ok() && absl::SimpleAtod((*results)[0], &distance));
  std::printf("%d ranks%s%s: %.3g from fp64\n", ranks, payload.empty() ? "" : ", ", payload.c_str(), distance);
  return distance;
}

// Returns the effect of one wrong image of 320 on the weights.
double OneImage() {
  static const double distance = Distance(TrainInFp64(1, false), TrainInFp64(1, true));
  std::printf("one wrong image: %.3g\n", distance);
  return distance;
}

// In fp64 the parts of a batch add up to the whole except for rounding. Each weight is rounded by 2^-53 three times per
// step. Its gradient is off by the bound of data_parallel_trainer_test.cc, 10 sqrt(n) 2^-53 of its terms with n below
// 27,000 roundings: 2e-13. The weights' norm is 12, and rate / (1 - momentum) * ten steps is 1, so 1e-12 is five times
// the total.
TEST(TenStepsTest, PartsOfABatchAddUpInFp64) {
  at::set_num_threads(1);
  const at::Tensor whole = TrainInFp64(1, false);
  EXPECT_LT(whole.norm().item<double>(), 12);
  for (const int size : {2, 4}) {
    const double distance = Distance(TrainInFp64(size, false), whole);
    std::printf("%d parts in fp64: %.3g from one, whose norm is %.3g\n", size, distance, whole.norm().item<double>());
    EXPECT_LT(distance, 1e-12) << size;
  }
  EXPECT_GT(OneImage(), 1e-6);
}

// In fp32 the distance from the fp64 weights must stay below a tenth of the effect of one wrong image of 320.
//
// Rounding alone is far less: 2^-24 of a weight of norm 12, some thirty times at random, is 4e-6. But of two million
// values before a ReLU or a maximum one may be so close to the threshold that a rounding moves it across. This changes
// the gradient by that unit's share in one image, at most 1/84 of its layer. So a tenth of one image leaves room for
// seven such units.
void ExpectAsInFp64(int ranks) { EXPECT_LT(DistanceOf(ranks), OneImage() / 10) << ranks; }

TEST(TenStepsTest, OneRankTrainsAsInFp64) { ExpectAsInFp64(1); }
TEST(TenStepsTest, TwoRanksTrainAsInFp64) { ExpectAsInFp64(2); }
TEST(TenStepsTest, FourRanksTrainAsInFp64) { ExpectAsInFp64(4); }

// The sums over two hosts add the gradients in another order than those over four ranks.
TEST(TenStepsTest, TwoHostsOfTwoRanksTrainAsInFp64) {
  setenv(kHostOfRankVariable, "0,0,1,1", /*overwrite=*/1);
  const double distance = DistanceOf(4, kTwoHosts);
  unsetenv(kHostOfRankVariable);
  EXPECT_LT(distance, OneImage() / 10);
}

// The network's few values before a ReLU or a maximum leave more room than LeNet-5's.
TEST(TenStepsTest, ANetworkOfTheUsersOwnTrainsAsInFp64) {
  const double one_image = Distance(TrainInFp64(1, false, kOwnNetwork), TrainInFp64(1, true, kOwnNetwork));
  EXPECT_GT(one_image, 1e-6);
  for (const int ranks : {1, 2}) {
    EXPECT_LT(DistanceOf(ranks, kOwnNetwork), one_image / 10) << ranks;
  }
}

// The bound must detect these faults.
TEST(TenStepsTest, GradientsThatAreNotAveragedAreFound) { EXPECT_GT(DistanceOf(2, "not averaged"), 2 * OneImage()); }
TEST(TenStepsTest, OneWrongImageIsFound) {
  EXPECT_GT(DistanceOf(2, "one image wrong"), OneImage() / 2);
  EXPECT_GT(DistanceOf(4, "one image wrong"), OneImage() / 2);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
