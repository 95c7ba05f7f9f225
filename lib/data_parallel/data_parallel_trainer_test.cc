// Tests whole epochs on CPUs, compared with one device.
#include "lib/data_parallel/data_parallel_trainer.h"

#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/from_blob.h>

#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/collectives/data_parallel_star.h"
#include "lib/dataset/small_dataset_testing.h"
#include "lib/testing/matchers.h"
#include "lib/train/autograd_trainer.h"
#include "lib/train/evaluate.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::SmallImageSet;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

constexpr double kImageBytes = 3 * 32 * 32 * sizeof(float);
constexpr double kRate = 0.001;
constexpr double kMomentum = 0.9;

std::vector<c10::Device> Cpus(size_t count) { return std::vector<c10::Device>(count, c10::kCPU); }

class DataParallelTrainerTest : public ::testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(1); }

  TrainerInput Input(const std::string& model, uint32_t batch, uint32_t images) {
    images_ = SmallImageSet(proto::TRAIN, images);
    TrainerInput input;
    input.spec.set_model(model);
    input.spec.set_precision(proto::FP32);
    input.spec.set_learning_rate(kRate);
    input.spec.set_momentum(kMomentum);
    input.spec.set_repeats(2);
    input.loader.batch_size = batch;
    input.loader.workers = 0;
    input.loader.augment = false;
    EXPECT_THAT(NormalizeAsTrained(images_.info, input.loader), IsOk());
    input.images = &images_;
    input.model = *MakeModel(model, 1);
    return input;
  }

  std::unique_ptr<DataParallelTrainer> Make(TrainerInput input, size_t devices) {
    input.model = *MakeModel(input.spec.model(), 1);
    auto trainer = MakeDataParallelTrainer(input, Cpus(devices));
    EXPECT_THAT(trainer, IsOk());
    return *std::move(trainer);
  }

  // Returns the sums of one epoch.
  DataParallelTimes Trained(const TrainerInput& input, size_t devices) {
    const auto trainer = Make(input, devices);
    EXPECT_THAT(trainer->Train(0, progress_), IsOk());
    return trainer->times();
  }

  ImageSet images_;
  Progress progress_{"test", 1000, "images"};
};

using Floats = std::map<std::string, std::vector<float>>;

// Returns the weights, or the momenta ("momenta" is true). After one step from zeros without weight decay the momenta
// are the gradients.
Floats Arrays(EpochTrainer& trainer, bool momenta) {
  Floats floats;
  const TrainingArrays state = *trainer.GetState();
  for (const auto& [name, bytes] : state) {
    if (absl::StartsWith(name, "momentum/") == momenta) {
      floats[name].resize(bytes.size() / sizeof(float));
      std::memcpy(floats[name].data(), bytes.data(), bytes.size());
    }
  }
  return floats;
}

double LargestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - b[i]));
  }
  return largest;
}

// Returns for each parameter the largest element of the mean over the images of |gradient of that image alone|.
std::vector<double> Magnitudes(const TrainerInput& input) {
  LoaderOptions options = input.loader;
  options.batch_size = 1;
  BatchLoader loader(*input.images, options);
  std::vector<uint32_t> order(input.images->size());
  std::iota(order.begin(), order.end(), 0u);
  loader.StartEpoch(0, order);
  const std::shared_ptr<Model> model = *MakeModel(input.spec.model(), 1);
  std::vector<at::Tensor> sums(model->parameters().size());
  std::vector<double> largest(sums.size());
  Batch batch;
  while (*loader.Next(&batch)) {
    model->zero_grad();
    const at::Tensor logits = model->forward(at::from_blob(batch.images.data(), {1, 3, 32, 32}, at::kFloat));
    at::cross_entropy_loss(logits, at::from_blob(batch.labels.data(), {1}, at::kLong)).backward();
    for (size_t p = 0; p < sums.size(); ++p) {
      const at::Tensor gradient = model->parameters()[p].grad().abs();
      sums[p] = sums[p].defined() ? sums[p] + gradient : gradient;
      largest[p] = sums[p].max().item<double>() / static_cast<double>(order.size());
    }
  }
  return largest;
}

// Returns the largest allowed difference between weights after `steps` steps. Each gradient is off by 10 sqrt(n) u
// times its magnitude (lib/reducer/split_batch_test.cc; n roundings with 8 images), and counts 1 + 0.9 + 0.81 + ...
// times in the later updates. Differences between the weights enlarge the differences of later gradients: at most by a
// factor of 2, as long as the curvature is below 0.7 / (rate * 41) = 17; the magnitude may double as well. Each update
// rounds a weight three times.
double WeightTolerance(double magnitude, double largest_weight, int steps) {
  constexpr double kRoundings = (75 + 150 + 400 + 120 + 84) + (10 + 84 + 120 + 16 * 25) + 8.0 * 28 * 28;
  const double u = std::ldexp(1.0, -24);
  double counted = 0;
  for (int behind = 1; behind <= steps; ++behind) {
    counted += (1 - std::pow(kMomentum, behind)) / (1 - kMomentum);
  }
  return kRate * counted * 2 * 2 * 10 * std::sqrt(kRoundings) * u * magnitude + steps * 3 * u * largest_weight;
}

void ExpectSameWeights(EpochTrainer& found, EpochTrainer& expected, const TrainerInput& input, int steps) {
  const Floats a = Arrays(found, false), b = Arrays(expected, false);
  const std::vector<double> magnitudes = Magnitudes(input);
  const auto parameters = input.model->named_parameters();
  for (size_t p = 0; p < parameters.size(); ++p) {
    const std::string& name = parameters[p].key();
    const double largest = LargestDifference(b.at(name), std::vector<float>(b.at(name).size()));
    EXPECT_LE(LargestDifference(a.at(name), b.at(name)), WeightTolerance(magnitudes[p], largest, steps)) << name;
  }
}

TEST_F(DataParallelTrainerTest, WeightsAfterTenStepsAreThoseOfOneDevice) {
  for (const bool channels_last : {false, true}) {
    TrainerInput input = Input("lenet5", 8, 80);
    input.spec.set_channels_last(channels_last);
    const auto one = MakeAutogradTrainer(input);
    const auto expected = one->Train(0, progress_);
    ASSERT_THAT(expected, IsOk());
    for (const size_t devices : {2, 3, 4}) {
      SCOPED_TRACE(absl::StrCat(devices, " devices", channels_last ? ", channels last" : ""));
      const auto trainer = Make(input, devices);
      const auto found = trainer->Train(0, progress_);
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(found->steps, 10u);
      EXPECT_EQ(found->images, 80u);
      EXPECT_NEAR(found->mean_loss, expected->mean_loss, 1e-4 * expected->mean_loss);
      ExpectSameWeights(*trainer, *one, input, 10);
    }
  }
}

TEST_F(DataParallelTrainerTest, OneDeviceChangesNoBit) {
  const TrainerInput input = Input("resnet18", 4, 10);
  const auto one = MakeAutogradTrainer(input);
  const auto trainer = Make(input, 1);
  const auto expected = one->Train(0, progress_), found = trainer->Train(0, progress_);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->mean_loss, expected->mean_loss);
  EXPECT_EQ(*trainer->GetState(), *one->GetState());
  EXPECT_EQ(trainer->times().SentBytes() + trainer->times().ReceivedBytes(), 0u);
}

TEST_F(DataParallelTrainerTest, ATailOfOneImageIsDeviceZeros) {
  const TrainerInput input = Input("lenet5", 8, 9);
  const auto one = MakeAutogradTrainer(input);
  ASSERT_THAT(one->Train(0, progress_), IsOk());
  const auto trainer = Make(input, 4);
  const auto found = trainer->Train(0, progress_);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->steps, 2u);
  EXPECT_EQ(found->images, 9u);
  ExpectSameWeights(*trainer, *one, input, 2);
  EXPECT_EQ(trainer->times().scatter_bytes, 6 * kImageBytes);  // images of the first step only
}

TEST_F(DataParallelTrainerTest, GoesOnFromAStateOfEitherTrainer) {
  const TrainerInput input = Input("lenet5", 8, 20);
  const auto whole = Make(input, 2);
  ASSERT_THAT(whole->Train(0, progress_), IsOk());
  const TrainingArrays after_first = *whole->GetState();
  ASSERT_THAT(whole->Train(1, progress_), IsOk());
  const auto other = Make(input, 2);
  ASSERT_THAT(other->SetState(after_first), IsOk());
  ASSERT_THAT(other->Train(1, progress_), IsOk());
  EXPECT_EQ(*other->GetState(), *whole->GetState());
  EXPECT_THAT(MakeAutogradTrainer(input)->SetState(after_first), IsOk());
}

// The input's model is the trained one, and an evaluation between epochs does not change the training.
TEST_F(DataParallelTrainerTest, EvaluationMayComeBetweenEpochs) {
  const TrainerInput input = Input("resnet18", 4, 4);
  const auto trainer = MakeDataParallelTrainer(input, Cpus(2));
  ASSERT_THAT(trainer, IsOk());
  const auto undisturbed = Make(input, 2);
  ASSERT_THAT((*trainer)->Train(0, progress_), IsOk());
  Evaluator evaluator(images_, input.loader.mean, input.loader.std, 4, c10::kCPU);
  ASSERT_THAT((*trainer)->UpdateModel(), IsOk());
  ASSERT_THAT(evaluator.CountCorrect(*input.model), IsOk());
  input.model->eval();  // state after any evaluation
  ASSERT_THAT((*trainer)->Train(1, progress_), IsOk());
  ASSERT_THAT(undisturbed->Train(0, progress_), IsOk());
  ASSERT_THAT(undisturbed->Train(1, progress_), IsOk());
  EXPECT_EQ(*(*trainer)->GetState(), *undisturbed->GetState());
}

// bf16 keeps 8 bits, so two roundings to bf16 differ by 2^-8 of the number. Each of five layers, forward and backward,
// may be off by that much.
TEST_F(DataParallelTrainerTest, Bf16) {
  TrainerInput input = Input("lenet5", 8, 8);
  input.spec.set_precision(proto::BF16);
  const auto one = MakeAutogradTrainer(input);
  ASSERT_THAT(one->Train(0, progress_), IsOk());
  const auto trainer = Make(input, 2);
  ASSERT_THAT(trainer->Train(0, progress_), IsOk());
  EXPECT_EQ(trainer->times().gather_bytes, 4u * kClasses * 2);  // logits in bf16
  EXPECT_EQ(trainer->times().output_gradient_bytes, 4u * kClasses * 2);
  EXPECT_EQ(trainer->times().reduce_bytes, trainer->times().replicate_bytes);  // gradients in fp32
  const Floats found = Arrays(*trainer, true), expected = Arrays(*one, true);
  const std::vector<double> magnitudes = Magnitudes(input);
  ASSERT_EQ(found.size(), magnitudes.size());
  for (size_t p = 0; p < magnitudes.size(); ++p) {
    const std::string name = absl::StrCat("momentum/", p);
    EXPECT_LE(LargestDifference(found.at(name), expected.at(name)), 10 * std::ldexp(1.0, -8) * magnitudes[p]) << name;
  }
}

// Returns the cost of the star by lib/collectives for a step of `images` images.
StarCost Star(Model& model, uint32_t devices, double images) {
  DataParallelStep step;
  step.ranks = devices;
  for (const at::Tensor& parameter : model.parameters()) {
    step.parameter_bytes += static_cast<double>(parameter.nbytes());
  }
  for (const at::Tensor& buffer : model.buffers()) {
    step.buffer_bytes += static_cast<double>(buffer.nbytes());
  }
  step.input_bytes = images * kImageBytes;
  step.output_bytes = images * kClasses * sizeof(float);
  return DataParallelStarCost(step, LinkCost());
}

TEST_F(DataParallelTrainerTest, MovesTheBytesOfTheStarsFormula) {
  const TrainerInput lenet5 = Input("lenet5", 8, 16);  // two steps
  for (const uint32_t devices : {2, 4}) {
    const DataParallelTimes times = Trained(lenet5, devices);
    EXPECT_EQ(times.steps, 2u);
    EXPECT_EQ(times.SentBytes(), 2 * Star(*lenet5.model, devices, 8).sent_bytes);
    EXPECT_EQ(times.ReceivedBytes(), 2 * Star(*lenet5.model, devices, 8).received_bytes);
  }
  const TrainerInput resnet18 = Input("resnet18", 4, 4);  // resnet18 has buffers
  const DataParallelTimes times = Trained(resnet18, 2);
  EXPECT_EQ(times.SentBytes(), Star(*resnet18.model, 2, 4).sent_bytes);
  EXPECT_EQ(times.ReceivedBytes(), Star(*resnet18.model, 2, 4).received_bytes);
  EXPECT_GT(times.replicate_bytes, times.reduce_bytes);
}

// The formula assumes that device 0 keeps 1/N of the batch, and that every device gets a part. But torch.chunk rounds
// the parts up, so device 0 keeps more, and some devices may get no part and no replica. Then the count is right, and
// is below the formula.
TEST_F(DataParallelTrainerTest, MovesLessThanTheFormulaWhereTheBatchDoesNotDivide) {
  const TrainerInput ten = Input("lenet5", 10, 10);
  const DataParallelTimes uneven = Trained(ten, 4);  // 3 + 3 + 3 + 1
  EXPECT_EQ(uneven.scatter_bytes, 7 * kImageBytes);
  EXPECT_EQ(uneven.SentBytes(), Star(*ten.model, 4, 10).sent_bytes - 0.5 * (kImageBytes + kClasses * sizeof(float)));
  const TrainerInput five = Input("lenet5", 5, 5);
  const DataParallelTimes fewer = Trained(five, 4);  // 2 + 2 + 1
  EXPECT_EQ(fewer.scatter_bytes, 3 * kImageBytes);
  EXPECT_EQ(fewer.reduce_bytes, 2 * (uneven.reduce_bytes / 3));
  EXPECT_LT(fewer.SentBytes(), Star(*five.model, 4, 5).sent_bytes);
}

TEST_F(DataParallelTrainerTest, PartsAddUpToTheStep) {
  const auto trainer = Make(Input("lenet5", 9, 36), 3);
  const auto epoch = trainer->Train(0, progress_);
  ASSERT_THAT(epoch, IsOk());
  const DataParallelTimes& times = trainer->times();
  double sum = 0;
  for (const double part :
       {times.scatter_seconds, times.replicate_seconds, times.forward_seconds, times.gather_seconds, times.loss_seconds,
        times.output_gradient_seconds, times.backward_seconds, times.reduce_seconds, times.update_seconds}) {
    EXPECT_GT(part, 0);
    sum += part;
  }
  // The phases do not cover the copy, which does nothing on a CPU, and the reset of the old gradients; a busy machine
  // may suspend the process.
  EXPECT_LE(sum, epoch->step_seconds);
  EXPECT_NEAR(sum, epoch->step_seconds, 0.05);
  proto::SweepPoint point;
  trainer->Describe(point);
  EXPECT_EQ(point.timing_method(), "steady clock");
  EXPECT_GT(point.timed_peak_memory_bytes(), 0u);
}

TEST_F(DataParallelTrainerTest, RefusesWhatItCannotDo) {
  const auto refusal = [&](const std::function<void(TrainerInput&)>& change, std::vector<c10::Device> devices) {
    TrainerInput input = Input("lenet5", 4, 4);
    change(input);
    return MakeDataParallelTrainer(input, devices).status();
  };
  const auto unchanged = [](TrainerInput&) {};
  const auto invalid = [](const std::string& words) {
    return StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(words));
  };
  EXPECT_THAT(refusal([](TrainerInput& input) { input.spec.set_step(proto::FUSED); }, Cpus(2)),
              invalid("--step=fused"));
  EXPECT_THAT(refusal([](TrainerInput& input) { input.spec.set_cuda_graph(true); }, Cpus(2)),
              invalid("--cuda_graph=false"));
  EXPECT_THAT(refusal([](TrainerInput& input) { input.spec.set_accumulate(4); }, Cpus(2)), invalid("--accumulate=4"));
  EXPECT_THAT(refusal(unchanged, {}), invalid("expected devices that begin with cpu, found none"));
  EXPECT_THAT(refusal(unchanged, {c10::Device(c10::kCPU), c10::Device(c10::kCUDA, 0)}), invalid("cpu and cuda:0"));
}

}  // namespace
}  // namespace lockstep
