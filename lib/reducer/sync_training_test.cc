// Tests that N ranks that share a batch, with synchronised batch norm, train ResNet-18 like one process with the whole
// batch.

#include <ATen/Functions.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <cstdio>
#include <future>
#include <map>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/status_macros.h"
#include "lib/launch/launch.h"
#include "lib/launch/rank_main_testing.h"
#include "lib/nn/model.h"
#include "lib/record/digest.h"
#include "lib/reducer/bucketed_reducer.h"
#include "lib/reducer/sync_batch_norm.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr int64_t kImages = 6;  // images of all ranks per step

// Returns ten in fp64 and one in fp32, in which later steps enlarge the roundings of the first: see Compare.
int StepsOf(at::ScalarType dtype) { return dtype == at::kDouble ? 10 : 1; }

constexpr double kLearningRate = 0.001;

struct Examples {
  at::Tensor images;  // (n, 3, 32, 32)
  at::Tensor labels;  // int64 (n)
};

// Returns the examples, which are equal in every process. Brightness and contrast differ by image, so that the
// statistics of the parts differ.
Examples MakeExamples(int step, at::ScalarType dtype) {
  const at::Tensor i = at::arange(kImages * 3072, at::kDouble).add(977 * step);
  const at::Tensor n = at::arange(kImages, at::kDouble).view({-1, 1, 1, 1});
  const at::Tensor noise = i.mul(0.7).sin().add(i.mul(0.0011).cos()).reshape({kImages, 3, 32, 32});
  return {noise.mul(n.mul(0.1).add(0.5)).add(n.mul(0.2)).to(dtype),
          at::arange(kImages, at::kLong).add(step).remainder(10)};
}

// Ranks have different numbers of images, like in the tail of an epoch: 2 and 4, or 1, 1, 2 and 2.
Examples PartOf(const Examples& all, int rank, int size) {
  const std::vector<int64_t> counts = size == 2 ? std::vector<int64_t>{2, 4} : std::vector<int64_t>{1, 1, 2, 2};
  const int64_t first = std::accumulate(counts.begin(), counts.begin() + rank, int64_t{0});
  return {all.images.narrow(0, first, counts[rank]), all.labels.narrow(0, first, counts[rank])};
}

std::shared_ptr<Model> MakeNetwork(at::ScalarType dtype) {
  std::shared_ptr<Model> model = *MakeModel("resnet18", 5);
  model->to(dtype);
  return model;
}

// Returns the network with every weight changed by one rounding.
std::shared_ptr<Model> MakeSecondReference(at::ScalarType dtype) {
  std::shared_ptr<Model> model = MakeNetwork(dtype);
  for (const at::Tensor& weight : model->parameters()) {
    const at::Tensor signs = at::arange(weight.numel(), dtype).remainder(2).mul(2).sub(1);
    weight.detach().mul_(signs.mul(0x1p-52).add(1).view_as(weight));
  }
  return model;
}

void Update(Model& model) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : model.parameters()) {
    parameter.sub_(parameter.grad(), kLearningRate);
    parameter.mutable_grad().reset();
  }
}

using Tensors = std::map<std::string, at::Tensor>;

// Result of a training run in double: the losses of its steps, its parameters and its running statistics.
struct Trained {
  std::vector<double> losses;
  Tensors weights;
  Tensors statistics;
};

Tensors Doubles(const torch::OrderedDict<std::string, at::Tensor>& named) {
  Tensors tensors;
  for (const auto& item : named) {
    tensors[item.key()] = item.value().detach().to(at::kDouble).clone();
  }
  return tensors;
}

Trained StateOf(const Model& model) { return {{}, Doubles(model.named_parameters()), Doubles(model.named_buffers())}; }

// Trains in one process with all images of each step.
Trained TrainAlone(const std::shared_ptr<Model>& model, at::ScalarType dtype) {
  std::vector<double> losses;
  for (int step = 0; step < StepsOf(dtype); ++step) {
    const Examples all = MakeExamples(step, dtype);
    const at::Tensor loss = at::cross_entropy_loss(model->forward(all.images), all.labels);
    loss.backward();
    losses.push_back(loss.item<double>());
    Update(*model);
  }
  Trained trained = StateOf(*model);
  trained.losses = losses;
  return trained;
}

// Averages gradients and loss after backward with one sum each. Used for fp64, which the reducer does not support.
absl::Status Average(Communicator& communicator, const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& tensor : tensors) {
    tensor.div_(communicator.size());
    ASSIGN_OR_RETURN(const std::shared_ptr<Collective> collective, communicator.AllReduceSum(tensor));
    RETURN_IF_ERROR(collective->Wait());
  }
  return absl::OkStatus();
}

// Each rank's loss is the sum over its images times N / (number of all images), so the mean of the losses over the
// ranks is the mean over all images.
absl::StatusOr<Trained> TrainTogether(RankContext& context, Communicator& communicator, at::ScalarType dtype, bool sync,
                                      std::string& found) {
  const std::shared_ptr<Model> model = MakeNetwork(dtype);
  SyncBatchNorm batch_norm(*model, communicator, sync);
  std::unique_ptr<BucketedReducer> reducer;
  if (dtype == at::kFloat) {
    std::vector<NamedParameter> parameters;
    for (const auto& parameter : model->named_parameters()) {
      parameters.push_back({parameter.key(), parameter.value()});
    }
    ASSIGN_OR_RETURN(reducer, BucketedReducer::Create(parameters, communicator, {}));
  }
  std::vector<double> losses;
  for (int step = 0; step < StepsOf(dtype); ++step) {
    const Examples mine = PartOf(MakeExamples(step, dtype), context.rank, context.size);
    const at::Tensor loss = at::cross_entropy_loss(model->forward(mine.images), mine.labels, {}, at::Reduction::Sum)
                                .mul(static_cast<double>(context.size) / kImages);
    RETURN_IF_ERROR(reducer != nullptr ? reducer->BeforeBackward() : absl::OkStatus());
    loss.backward();
    std::vector<at::Tensor> to_average = {loss.detach()};
    for (const at::Tensor& parameter : model->parameters()) {
      if (reducer == nullptr) {
        to_average.push_back(parameter.grad());
      }
    }
    RETURN_IF_ERROR(reducer != nullptr ? reducer->AfterBackward() : absl::OkStatus());
    RETURN_IF_ERROR(batch_norm.status());
    RETURN_IF_ERROR(Average(communicator, to_average));
    losses.push_back(loss.item<double>());
    Update(*model);
  }
  // 20 layers with 4800 channels.
  const Traffic traffic = batch_norm.TakeTraffic();
  const uint64_t bytes = static_cast<uint64_t>(StepsOf(dtype)) * at::elementSize(dtype) *
                         (static_cast<uint64_t>(context.size) * (2 * 4800 + 20) + 2 * 4800);
  if (traffic.calls != (sync ? static_cast<uint64_t>(StepsOf(dtype)) * 40 : 0) || traffic.bytes != (sync ? bytes : 0)) {
    found = absl::StrCat("counted ", traffic.calls, " sums of ", traffic.bytes, " bytes; ");
  }
  Trained trained = StateOf(*model);
  trained.losses = losses;
  return trained;
}

// Returns the norm of the difference.
double Distance(const Tensors& a, const Tensors& b) {
  double sum = 0;
  for (const auto& [name, tensor] : a) {
    sum += (tensor - b.at(name)).square().sum().item<double>();
  }
  return std::sqrt(sum);
}

void Check(absl::string_view what, double error, double tolerance, std::string& found) {
  std::printf("%s: off by %.3g, tolerance %.3g\n", std::string(what).c_str(), error, tolerance);
  if (!(error <= tolerance)) {
    absl::StrAppend(&found, what, " off by ", error, ", tolerance ", tolerance, "; ");
  }
}

// Returns "" if the trained states agree.
//
// In fp64 the tolerance is measured: a second reference starts with every weight changed by one rounding, and shows the
// effect on the final state. A run has such roundings in each operation: about 60 in a pass (convolution, statistics,
// normalisation, ReLU, addition), forward and backward, in ten steps. So the difference is at most 1,200 times that of
// the second reference, which assumes that all roundings have the same direction.
//
// In fp32 there is more than rounding: of five million values before a ReLU some are so close to 0 that a rounding
// changes their sign, and so changes the gradient by the share of that value. So here weights and statistics may differ
// by a twentieth of their change in the step; the fp64 test excludes other causes.
std::string Compare(const Trained& together, at::ScalarType dtype) {
  const std::shared_ptr<Model> network = MakeNetwork(dtype);  // made before the thread: the seed is global
  std::future<Trained> second_reference;
  if (dtype == at::kDouble) {
    second_reference = std::async(std::launch::async, TrainAlone, MakeSecondReference(dtype), dtype);
  }
  const Trained alone = TrainAlone(network, dtype);
  Trained other = StateOf(*MakeNetwork(dtype));  // initial network in fp32
  double times = 0.05;
  double loss_tolerance = 0.001 * alone.losses[0];
  if (second_reference.valid()) {
    other = second_reference.get();
    times = 1200;
    loss_tolerance = times * std::max(0x1p-52, std::abs(alone.losses.back() - other.losses.back()));
  }
  std::string found;
  for (int step = 0; step < StepsOf(dtype); ++step) {
    Check("loss", std::abs(together.losses[step] - alone.losses[step]), loss_tolerance, found);
  }
  Check("weights", Distance(together.weights, alone.weights), times * Distance(alone.weights, other.weights), found);
  Check("statistics", Distance(together.statistics, alone.statistics),
        times * Distance(alone.statistics, other.statistics), found);
  return found;
}

// Returns a digest of a rank's parameters and running statistics.
std::string DigestOf(const Trained& trained) {
  std::string bytes;
  for (const Tensors* tensors : {&trained.weights, &trained.statistics}) {
    for (const auto& [name, tensor] : *tensors) {
      bytes.append(static_cast<const char*>(tensor.contiguous().data_ptr()), tensor.nbytes());
    }
  }
  return Sha256Hex(bytes);
}

// The payload is "fp64" or "fp32", with " local" added to skip the sums of the batch norms.
absl::StatusOr<std::string> Train(RankContext& context) {
  at::set_num_threads(1);
  ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                   MakeGlooCommunicator(*context.store, context.rank, context.size, context.timeout));
  std::string found;
  const bool sync = !absl::StrContains(context.payload, "local");
  const at::ScalarType dtype = absl::StrContains(context.payload, "fp64") ? at::kDouble : at::kFloat;
  ASSIGN_OR_RETURN(const Trained together, TrainTogether(context, *communicator, dtype, sync, found));
  ASSIGN_OR_RETURN(const std::vector<std::string> digests, communicator->AllGather(DigestOf(together)));
  if ((digests[0] == digests[context.rank]) != (sync || context.rank == 0)) {
    absl::StrAppend(&found, "rank ", context.rank, sync ? " differs from rank 0; " : " is as rank 0; ");
  }
  return context.rank == 0 ? found + Compare(together, dtype) : found;
}

const std::map<std::string, RankTask>& Tasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{"train", Train}};
  return *tasks;
}

absl::StatusOr<std::vector<std::string>> RunTrain(int ranks, const std::string& payload) {
  LaunchOptions options;
  options.ranks = ranks;
  options.task = "train";
  options.payload = payload;
  options.timeout = absl::Seconds(300);
  return LaunchRanks(options);
}

TEST(SyncTrainingTest, TwoRanksTrainAsOneProcess) {
  const auto results = RunTrain(2, "fp64");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

TEST(SyncTrainingTest, FourRanksTrainAsOneProcess) {
  const auto results = RunTrain(4, "fp64");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

TEST(SyncTrainingTest, TwoRanksWithTheReducerTrainAsOneProcess) {
  const auto results = RunTrain(2, "fp32");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT(*results, Each(""));
}

// The wide tolerance still detects statistics that were not shared.
TEST(SyncTrainingTest, WithLocalStatisticsTheyDoNot) {
  const auto results = RunTrain(2, "fp32 local");
  ASSERT_THAT(results, IsOk());
  EXPECT_THAT((*results)[0], AllOf(HasSubstr("weights off"), HasSubstr("statistics off")));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) { return lockstep::testing::RankTestMain(argc, argv, lockstep::Tasks()); }
