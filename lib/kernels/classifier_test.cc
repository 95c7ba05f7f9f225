#include "lib/kernels/classifier.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "lib/cuda/device_array_testing.h"
#include "lib/dataset/counter_random.h"
#include "lib/kernels/classifier_reference.h"
#include "lib/kernels/values_testing.h"

namespace lockstep {
namespace {

using ::lockstep::testing::DeviceArray;
using ::lockstep::testing::HaveGpu;
using ::lockstep::testing::SameBits;

constexpr double kUnit = 0x1p-24;  // relative rounding error of fp32, round to nearest: half a unit in the last place

// Relative error of rounding a result to T: half a unit in the last of 24 or, in bf16, 8 significant bits.
template <typename T>
constexpr double RoundingOf() {
  return std::is_same_v<T, float> ? kUnit : 0x1p-8;
}

// Fails at the first value that is further from `expected` than `bound` allows; NaN always fails.
template <typename T>
void ExpectWithin(const std::vector<T>& found, const std::vector<double>& expected, const std::vector<double>& bound,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    const double value = static_cast<float>(found[i]);
    ASSERT_LE(std::abs(value - expected[i]), bound[i]) << what << " " << i << ": " << value << " for " << expected[i];
  }
}

// Input of a kernel: as stored on the device (rounded to T), and as the reference reads it. Values are uniform in
// centre +- width.
template <typename T>
struct Both {
  std::vector<T> host;
  std::vector<double> values;

  Both(uint64_t seed, size_t count, double centre, double width) {
    CounterRandom random(seed, RandomPurpose::kSyntheticImage, 1, 2);
    for (size_t i = 0; i < count; ++i) {
      const double unit = static_cast<double>(random.Below(1u << 24)) / (1 << 23) - 1;
      host.push_back(T(static_cast<float>(centre + width * unit)));
      values.push_back(static_cast<float>(host.back()));
    }
  }
};

// Input of one step: activations around 0.5, logits that differ by about one.
template <typename T>
struct Case {
  ClassifierShape shape;
  Both<T> x, weight;
  Both<float> bias;
  std::vector<int64_t> labels;
  float label_smoothing = 0;

  explicit Case(const ClassifierShape& of, float smoothing = 0)
      : shape(of), x(1, static_cast<size_t>(of.images) * of.positions * of.channels, 0.5, 1),
        weight(2, static_cast<size_t>(of.classes) * of.channels, 0, 3 / std::sqrt(of.channels)),
        bias(3, of.classes, 0, 1), label_smoothing(smoothing) {
    CounterRandom random(4, RandomPurpose::kSyntheticImage, 1, 2);
    std::generate_n(std::back_inserter(labels), of.images, [&] { return random.Below(of.classes); });
  }

  ClassifierReference Reference() const {
    return ReferenceClassifier(shape, x.values, weight.values, bias.values, labels, label_smoothing);
  }
};

// Maximum differences from the reference. The error of an fp32 sum is the number of additions that a term goes through,
// times half a unit in the last place, times the sum of the terms' magnitudes; it propagates to values computed from
// the sum.
struct Bounds {
  std::vector<double> pooled, logits, losses, dlogits;  // shapes of ClassifierReference
  std::vector<double> dx, dweight, dbias;               // values before they are rounded to T
  double loss_sum = 0;

  template <typename T>
  Bounds(const Case<T>& of, const ClassifierReference& expected)
      : shape_(of.shape), label_smoothing_(of.label_smoothing) {
    AddPooled(of.x.values);
    AddLogits(of.weight.values, of.bias.values, expected);
    for (size_t image = 0; image < shape_.images; ++image) {
      AddLoss(image, of.labels[image], expected);
    }
    AddGradients(of.weight.values, expected);
  }

 private:
  bool InTiles() const { return PlanClassifier(shape_).class_tiles != 0; }

  // Roundings: a thread's positions, the rows of threads, and the division.
  void AddPooled(const std::vector<double>& x) {
    const double rows = PlanClassifier(shape_).position_rows;
    const double roundings = std::ceil(shape_.positions / rows) + rows + 1;
    pooled.resize(static_cast<size_t>(shape_.images) * shape_.channels);
    for (size_t i = 0; i < x.size(); ++i) {
      const size_t image = i / shape_.channels / shape_.positions;
      pooled[image * shape_.channels + i % shape_.channels] += roundings * kUnit * std::abs(x[i]) / shape_.positions;
    }
  }

  // Roundings: a lane's eight products for every 256 channels, five halvings of the warp, the product itself, and the
  // bias. In tiles, a sum over all channels takes the place of the first three.
  void AddLogits(const std::vector<double>& weight, const std::vector<double>& bias,
                 const ClassifierReference& expected) {
    const double roundings = InTiles() ? shape_.channels + 1 : 8 * std::ceil(shape_.channels / 256.0) + 5 + 2;
    for (size_t image = 0; image < shape_.images; ++image) {
      for (size_t k = 0; k < shape_.classes; ++k) {
        double bound = roundings * kUnit * std::abs(bias[k]);
        for (size_t c = 0; c < shape_.channels; ++c) {
          const size_t i = image * shape_.channels + c;
          const double size = std::abs(expected.pooled[i]) + pooled[i];
          bound += std::abs(weight[k * shape_.channels + c]) * (pooled[i] + roundings * kUnit * size);
        }
        logits.push_back(bound);
      }
    }
  }

  // exp and log are within 2 units in the last place (CUDA C++ Programming Guide, mathematical functions), which are 4
  // times kUnit.
  void AddLoss(size_t image, size_t label, const ClassifierReference& expected) {
    const double* logit = &expected.logits[image * shape_.classes];
    const double* bound = &logits[image * shape_.classes];
    const double largest = *std::max_element(logit, logit + shape_.classes);
    const double range = largest - *std::min_element(logit, logit + shape_.classes);
    const double of_logit = *std::max_element(bound, bound + shape_.classes);
    // `moved` bounds the error of a logit minus the largest logit: the errors of both, and that of the subtraction. The
    // relative error of its exp is `moved` plus exp's own error. `sum`, the relative error of the sum of exps, also
    // includes a lane's classes and five halvings. The factor 1.01 covers the products of errors, all of them far below
    // 1 %.
    const double moved = 2 * of_logit + kUnit * range;
    const double of_lane = std::ceil(shape_.classes / 32.0) - 1;
    const double sum = 1.01 * (moved + 4 * kUnit + (of_lane + 5) * kUnit);
    const double loss = expected.losses[image];
    // With smoothing, adds a mean over the classes with a lane's sum, five halvings, two products, the roundings of
    // their factors, and a sum.
    const double of_mean = label_smoothing_ != 0 ? (of_lane + 10) * kUnit * range : 0;
    losses.push_back(sum + moved + of_mean + 4 * kUnit * (loss + range) + kUnit * loss);
    loss_sum += losses.back();
    for (size_t k = 0; k < shape_.classes; ++k) {
      const double p = expected.probabilities[image * shape_.classes + k];
      const double of_p = 1.01 * p * (moved + 4 * kUnit + sum + kUnit);
      // The target's own three roundings, its subtraction, and the division by the number of images.
      const double target = (k == label ? 1 - label_smoothing_ : 0) + label_smoothing_ / shape_.classes;
      const double of_target = label_smoothing_ != 0 ? 3 * kUnit * target : 0;
      dlogits.push_back((of_p + of_target + 2 * kUnit * std::abs(p - target)) / shape_.images);
    }
  }

  void AddGradients(const std::vector<double>& weight, const ClassifierReference& expected) {
    // dx: classes, product, division. dweight: thread, warp, all warps, product; in tiles, a sum over all images.
    // dbias: thread, warp, all warps; in tiles, thread, and the 16 threads of a class.
    const double of_dx = std::max(kClassifierBlockClasses, shape_.classes) + 2;
    const double of_dweight = InTiles() ? shape_.images : std::ceil(shape_.images / 64.0) + 2 + 16 + 1;
    const double of_dbias = InTiles() ? std::ceil(shape_.images / 16.0) + 16 : std::ceil(shape_.images / 32.0) + 1 + 16;
    dx.resize(static_cast<size_t>(shape_.images) * shape_.positions * shape_.channels);
    dweight.resize(weight.size());
    dbias.resize(shape_.classes);
    for (size_t image = 0; image < shape_.images; ++image) {
      std::vector<double> of_pooled(shape_.channels);
      for (size_t k = 0; k < shape_.classes; ++k) {
        const double error = dlogits[image * shape_.classes + k];
        const double size = std::abs(expected.dlogits[image * shape_.classes + k]) + error;
        dbias[k] += error + of_dbias * kUnit * size;
        for (size_t c = 0; c < shape_.channels; ++c) {
          const size_t i = image * shape_.channels + c;
          const size_t w = k * shape_.channels + c;
          const double value = std::abs(expected.pooled[i]) + pooled[i];
          dweight[w] += error * value + size * pooled[i] + of_dweight * kUnit * size * value;
          of_pooled[c] += std::abs(weight[w]) * (error + of_dx * kUnit * size) / shape_.positions;
        }
      }
      for (size_t position = 0; position < shape_.positions; ++position) {
        std::copy(of_pooled.begin(), of_pooled.end(),
                  dx.begin() + static_cast<std::ptrdiff_t>((image * shape_.positions + position) * shape_.channels));
      }
    }
  }

  const ClassifierShape shape_;
  const double label_smoothing_;
};

// Adds the rounding to T to a bound; the extra 1 % is for the bound's own share of the rounded value.
template <typename T>
std::vector<double> AndRounding(std::vector<double> bound, const std::vector<double>& expected) {
  for (size_t i = 0; i < bound.size(); ++i) {
    bound[i] += 1.01 * RoundingOf<T>() * std::abs(expected[i]);
  }
  return bound;
}

// Number of images whose label certainly is, and possibly is, the largest logit.
struct CorrectRange {
  uint32_t min_correct = 0;
  uint32_t max_correct = 0;

  CorrectRange(const ClassifierShape& shape, const std::vector<int64_t>& labels, const std::vector<double>& logits,
               const std::vector<double>& bound) {
    for (size_t image = 0; image < shape.images; ++image) {
      const size_t label = image * shape.classes + static_cast<size_t>(labels[image]);
      bool sure = true;
      bool possible = true;
      for (size_t k = image * shape.classes; k < (image + 1) * shape.classes; ++k) {
        const double slack = bound[label] + bound[k];
        sure = sure && (k == label || logits[label] > logits[k] + slack);
        possible = possible && logits[label] >= logits[k] - slack;
      }
      min_correct += sure;
      max_correct += possible;
    }
  }
};

// Input and all outputs of a case on the device.
template <typename T>
class OnDevice {
 public:
  explicit OnDevice(const Case<T>& of)
      : shape_(of.shape), label_smoothing_(of.label_smoothing), x_(of.x.host), weight_(of.weight.host),
        bias_(of.bias.host), labels_(of.labels), workspace_(ClassifierWorkspaceBytes(of.shape)), dx(of.x.host.size()),
        dweight(of.weight.host.size()), dbias(of.shape.classes),
        logits(static_cast<size_t>(of.shape.images) * of.shape.classes), loss_sum(std::vector<double>{0}),
        correct(std::vector<uint32_t>{0}) {}

  ClassifierInput<T> Input() { return {x_.data(), weight_.data(), bias_.data(), labels_.data(), label_smoothing_}; }
  ClassifierCounts Counts() { return {loss_sum.data(), correct.data()}; }

  cudaError_t Train(bool with_logits = true) {
    const ClassifierOutput<T> output = {dx.data(), dweight.data(), dbias.data(), with_logits ? logits.data() : nullptr,
                                        Counts()};
    const cudaError_t error = ClassifierTrain(shape_, Input(), output, workspace_.data(), nullptr);
    return error != cudaSuccess ? error : ClassifierParameters(shape_, output, workspace_.data(), nullptr);
  }
  cudaError_t Evaluate(bool with_logits = true) {
    return ClassifierEvaluate(shape_, Input(), Counts(), with_logits ? logits.data() : nullptr, workspace_.data(),
                              nullptr);
  }

 private:
  const ClassifierShape shape_;
  const float label_smoothing_;
  DeviceArray<T> x_, weight_;
  DeviceArray<float> bias_;
  DeviceArray<int64_t> labels_;
  DeviceArray<uint8_t> workspace_;

 public:
  DeviceArray<T> dx, dweight;
  DeviceArray<float> dbias;
  DeviceArray<float> logits;
  DeviceArray<double> loss_sum;
  DeviceArray<uint32_t> correct;
};

// Checks logits and counts after one launch. The losses are fp32 values added in double: 1e-11 is more than 32,768
// roundings of 2^-53.
template <typename T>
void ExpectForward(const Case<T>& of, const ClassifierReference& expected, const Bounds& bounds, OnDevice<T>& device) {
  ExpectWithin(device.logits.ToHost(), expected.logits, bounds.logits, "logits");
  EXPECT_NEAR(device.loss_sum.ToHost()[0], expected.loss_sum, bounds.loss_sum + 1e-11 * expected.loss_sum);
  const CorrectRange range(of.shape, of.labels, expected.logits, bounds.logits);
  EXPECT_LE(range.min_correct, device.correct.ToHost()[0]);
  EXPECT_GE(range.max_correct, device.correct.ToHost()[0]);
  EXPECT_LE(range.max_correct - range.min_correct, 1 + of.shape.images / 1000) << "the case's labels decide too little";
}

template <typename T>
void CheckTrain(const ClassifierShape& shape, float label_smoothing = 0) {
  SCOPED_TRACE(::testing::Message() << shape.images << " images of " << shape.positions << " x " << shape.channels
                                    << ", " << shape.classes << " classes, " << sizeof(T) << " bytes, smoothed by "
                                    << label_smoothing);
  const Case<T> of(shape, label_smoothing);
  const ClassifierReference expected = of.Reference();
  const Bounds bounds(of, expected);
  OnDevice<T> device(of);
  ASSERT_EQ(device.Train(), cudaSuccess);
  ExpectForward(of, expected, bounds, device);
  ExpectWithin(device.dx.ToHost(), expected.dx, AndRounding<T>(bounds.dx, expected.dx), "dx");
  ExpectWithin(device.dweight.ToHost(), expected.dweight, AndRounding<T>(bounds.dweight, expected.dweight), "dweight");
  ExpectWithin(device.dbias.ToHost(), expected.dbias, AndRounding<float>(bounds.dbias, expected.dbias), "dbias");
}

std::vector<ClassifierShape> Shapes() {
  return {{1, 1, 8, 1},     {2, 16, 512, 10}, {32, 16, 512, 10},  {65, 3, 64, 16},
          {33, 5, 1544, 7}, {3, 2, 4096, 10}, {300, 16, 128, 10}, {32'768, 1, 64, 10}};
}

// More classes than a block of classifier.cu has warps. Some tiles are partly filled in each dimension, and some depths
// are no multiple of what a block loads at once.
std::vector<ClassifierShape> ManyClasses() {
  return {{1, 1, 8, 17},    {128, 16, 512, 17}, {33, 3, 40, 32},    {130, 16, 512, 100}, {31, 1, 512, 101},
          {67, 5, 72, 300}, {3, 2, 4096, 65},   {37, 1, 512, 1000}, {260, 4, 64, 1000}};
}

class ClassifierGpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveGpu()) {
      GTEST_SKIP() << "no CUDA device";
    }
  }
};

TEST_F(ClassifierGpuTest, TrainEqualsTheReferenceInFp32) {
  for (const ClassifierShape& shape : Shapes()) {
    CheckTrain<float>(shape);
  }
}

TEST_F(ClassifierGpuTest, TrainEqualsTheReferenceInBf16) {
  for (const ClassifierShape& shape : Shapes()) {
    CheckTrain<__nv_bfloat16>(shape);
  }
}

TEST_F(ClassifierGpuTest, SmoothedTrainEqualsTheReference) {
  for (const ClassifierShape& shape : Shapes()) {
    CheckTrain<float>(shape, 0.1f);
    CheckTrain<float>(shape, 1);
    CheckTrain<__nv_bfloat16>(shape, 0.1f);
  }
}

TEST_F(ClassifierGpuTest, ManyClassesTrainLikeTheReferenceInFp32) {
  for (const ClassifierShape& shape : ManyClasses()) {
    CheckTrain<float>(shape);
  }
}

TEST_F(ClassifierGpuTest, ManyClassesTrainLikeTheReferenceInBf16) {
  for (const ClassifierShape& shape : ManyClasses()) {
    CheckTrain<__nv_bfloat16>(shape);
  }
}

TEST_F(ClassifierGpuTest, ManySmoothedClassesTrainLikeTheReference) {
  for (const ClassifierShape& shape : ManyClasses()) {
    CheckTrain<float>(shape, 0.1f);
    CheckTrain<float>(shape, 1);
    CheckTrain<__nv_bfloat16>(shape, 0.1f);
  }
}

void ExpectEvaluateIsTrain(const ClassifierShape& shape) {
  const Case<__nv_bfloat16> of(shape, 0.1f);
  OnDevice<__nv_bfloat16> train(of), evaluate(of);
  ASSERT_EQ(train.Train(), cudaSuccess);
  ASSERT_EQ(evaluate.Evaluate(), cudaSuccess);
  EXPECT_TRUE(SameBits(evaluate.logits.ToHost(), train.logits.ToHost()));
  EXPECT_TRUE(SameBits(evaluate.loss_sum.ToHost(), train.loss_sum.ToHost()));
  EXPECT_EQ(evaluate.correct.ToHost(), train.correct.ToHost());
}

TEST_F(ClassifierGpuTest, EvaluateGivesTheLogitsAndCountsOfTrain) {
  for (const ClassifierShape& shape : Shapes()) {
    ExpectEvaluateIsTrain(shape);
  }
}

TEST_F(ClassifierGpuTest, ManyClassesEvaluateToTheLogitsAndCountsOfTrain) {
  for (const ClassifierShape& shape : ManyClasses()) {
    ExpectEvaluateIsTrain(shape);
  }
}

// A second launch on the workspace as the first left it must give the same bits, and counts that are twice those of the
// first.
void ExpectRunsAreEqual(const ClassifierShape& shape) {
  const Case<__nv_bfloat16> of(shape);
  OnDevice<__nv_bfloat16> device(of);
  ASSERT_EQ(device.Train(), cudaSuccess);
  const auto dx = device.dx.ToHost(), dweight = device.dweight.ToHost();
  const std::vector<float> dbias = device.dbias.ToHost();
  const double loss_sum = device.loss_sum.ToHost()[0];
  const uint32_t correct = device.correct.ToHost()[0];
  ASSERT_EQ(device.Train(/*with_logits=*/false), cudaSuccess);
  EXPECT_TRUE(SameBits(device.dx.ToHost(), dx));
  EXPECT_TRUE(SameBits(device.dweight.ToHost(), dweight));
  EXPECT_TRUE(SameBits(device.dbias.ToHost(), dbias));
  EXPECT_EQ(device.loss_sum.ToHost()[0], 2 * loss_sum);
  EXPECT_EQ(device.correct.ToHost()[0], 2 * correct);
}

TEST_F(ClassifierGpuTest, RunsAreEqualBitForBitAndCountsAddUp) { ExpectRunsAreEqual({300, 16, 512, 10}); }

TEST_F(ClassifierGpuTest, RunsOfManyClassesAreEqualBitForBitAndCountsAddUp) {
  ExpectRunsAreEqual({300, 16, 512, 100});
  ExpectRunsAreEqual({1030, 1, 512, 1000});
}

// Returns a case in which x, and thus every logit without its bias, is 0.
Case<float> OnlyBias(const std::vector<float>& bias, const std::vector<int64_t>& labels) {
  Case<float> of({static_cast<uint32_t>(labels.size()), 2, 8, static_cast<uint32_t>(bias.size())});
  std::fill(of.x.host.begin(), of.x.host.end(), 0.0f);
  of.bias.host = bias;
  of.labels = labels;
  return of;
}

// Each loss is log(exp(-1) + 2 exp(3)) - 3; the tolerance covers a few roundings of values below 4.
TEST_F(ClassifierGpuTest, OfEqualLogitsTheFirstClassIsTaken) {
  OnDevice<float> device(OnlyBias({-1, 3, 3}, {1, 2, 1, 1}));
  ASSERT_EQ(device.Evaluate(/*with_logits=*/false), cudaSuccess);
  EXPECT_EQ(device.correct.ToHost()[0], 3u);
  EXPECT_NEAR(device.loss_sum.ToHost()[0], 4 * std::log(2 + std::exp(-4)), 4 * 8 * kUnit);
}

// Returns `first`, then the same value for all classes up to `classes`.
std::vector<float> AndOthers(std::vector<float> first, float other, size_t classes) {
  first.resize(classes, other);
  return first;
}

// The equal logits are in different lanes and iterations of a warp. Each loss is log(2 exp(3) + 298 exp(-1)) - 3.
TEST_F(ClassifierGpuTest, OfManyEqualLogitsTheFirstClassIsTaken) {
  std::vector<float> bias = AndOthers({}, -1, 300);
  bias[200] = bias[259] = 3;
  OnDevice<float> device(OnlyBias(bias, {200, 259, 200}));
  ASSERT_EQ(device.Evaluate(/*with_logits=*/false), cudaSuccess);
  EXPECT_EQ(device.correct.ToHost()[0], 2u);
  EXPECT_NEAR(device.loss_sum.ToHost()[0], 3 * std::log(2 + 298 * std::exp(-4)), 3 * 40 * kUnit);
}

// exp(-1000) is 0 in fp32, exp(1000) infinite: the losses are 0 and 1000 only because the largest logit is subtracted.
TEST_F(ClassifierGpuTest, LargeLogitsDoNotOverflow) {
  OnDevice<float> device(OnlyBias({1000, 0}, {0, 1}));
  ASSERT_EQ(device.Train(), cudaSuccess);
  EXPECT_EQ(device.loss_sum.ToHost()[0], 1000);
  EXPECT_EQ(device.correct.ToHost()[0], 1u);
  EXPECT_EQ(device.dbias.ToHost(), std::vector<float>({0.5f, -0.5f}));  // (0 + 1) / 2 and (0 - 1) / 2
}

TEST_F(ClassifierGpuTest, ALabelThatIsNoClassMakesTheLossNaN) {
  for (const int64_t label : {int64_t{-1}, int64_t{2}, int64_t{1} << 32}) {
    OnDevice<float> device(OnlyBias({0, 0}, {0, label}));
    ASSERT_EQ(device.Train(), cudaSuccess);
    EXPECT_TRUE(std::isnan(device.loss_sum.ToHost()[0])) << label;
    EXPECT_EQ(device.correct.ToHost()[0], 1u) << label;
  }
}

// The other image's label is the last class. An invalid label changes neither its loss nor memory after the logits.
TEST_F(ClassifierGpuTest, ALabelThatIsNoneOfManyClassesMakesTheLossNaN) {
  for (const int64_t label : {int64_t{-1}, int64_t{300}, int64_t{1} << 32}) {
    OnDevice<float> device(OnlyBias(AndOthers({}, 0, 300), {299, label}));
    ASSERT_EQ(device.Train(), cudaSuccess);
    EXPECT_TRUE(std::isnan(device.loss_sum.ToHost()[0])) << label;
    EXPECT_EQ(device.correct.ToHost()[0], 0u) << label;  // the first of the equal logits counts
    EXPECT_NEAR(device.dbias.ToHost()[299], (2.0 / 300 - 1) / 2, 4 * kUnit) << label;
  }
}

TEST_F(ClassifierGpuTest, ManyLargeLogitsDoNotOverflow) {
  OnDevice<float> device(OnlyBias(AndOthers({1000}, 0, 40), {0, 39}));
  ASSERT_EQ(device.Train(), cudaSuccess);
  EXPECT_EQ(device.loss_sum.ToHost()[0], 1000);
  EXPECT_EQ(device.correct.ToHost()[0], 1u);
  EXPECT_EQ(device.dbias.ToHost()[0], 0.5f);
  EXPECT_EQ(device.dbias.ToHost()[39], -0.5f);
}

TEST_F(ClassifierGpuTest, AnActivationThatIsNaNMakesTheLossNaN) {
  Case<float> of = OnlyBias({0, 1}, {0, 1});
  of.x.host[5] = std::nanf("");
  OnDevice<float> device(of);
  ASSERT_EQ(device.Train(), cudaSuccess);
  EXPECT_TRUE(std::isnan(device.loss_sum.ToHost()[0]));
  EXPECT_EQ(device.correct.ToHost()[0], 1u);
}

TEST(ClassifierTest, RefusesShapesItCannotHandle) {
  for (const ClassifierShape& shape :
       {ClassifierShape{0, 16, 512, 10}, ClassifierShape{1, 0, 512, 10}, ClassifierShape{1, 16, 0, 10},
        ClassifierShape{1, 16, 12, 10}, ClassifierShape{1, 16, 4104, 10}, ClassifierShape{1, 16, 512, 0},
        ClassifierShape{1, 16, 512, 1001}}) {
    EXPECT_EQ(ClassifierTrain<float>(shape, {}, {}, nullptr, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(ClassifierParameters<float>(shape, {}, nullptr, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(ClassifierEvaluate<float>(shape, {}, {}, nullptr, nullptr, nullptr), cudaErrorInvalidValue);
    EXPECT_EQ(PlanClassifier(shape).image_blocks, 0u);
  }
}

// 512 threads of 8 channels each: ResNet-18's 512 channels take 64 threads, so there are 8 rows of threads.
TEST(ClassifierTest, TheLaunch) {
  const ClassifierLaunch resnet18 = PlanClassifier({32, 16, 512, 10});
  EXPECT_EQ(resnet18.image_blocks, 32u);
  EXPECT_EQ(resnet18.position_rows, 8u);
  EXPECT_EQ(resnet18.channel_blocks, 64u);
  EXPECT_EQ(resnet18.parameter_blocks, 66u);
  EXPECT_EQ(PlanClassifier({1, 3, 64, 10}).position_rows, 3u);     // at most the number of positions
  EXPECT_EQ(PlanClassifier({1, 16, 4096, 10}).position_rows, 1u);  // all 512 threads in one row
  EXPECT_EQ(PlanClassifier({1, 16, 1544, 10}).position_rows, 2u);  // 193 threads per row: 126 threads are idle
  EXPECT_EQ(resnet18.class_tiles, 0u);
  EXPECT_EQ(PlanClassifier({32, 16, 512, 16}).class_tiles, 0u);
}

TEST(ClassifierTest, TheTilesOfManyClasses) {
  const ClassifierLaunch launch = PlanClassifier({33, 16, 520, 100});
  EXPECT_EQ(launch.image_blocks, 33u);
  EXPECT_EQ(launch.position_rows, 7u);
  EXPECT_EQ(launch.channel_blocks, 0u);
  EXPECT_EQ(launch.parameter_blocks, 0u);
  EXPECT_EQ(launch.image_tiles, 2u);
  EXPECT_EQ(launch.class_tiles, 4u);
  EXPECT_EQ(launch.channel_tiles, 17u);
  EXPECT_EQ(PlanClassifier({32, 16, 512, 17}).class_tiles, 1u);
  EXPECT_EQ(PlanClassifier({32, 16, 512, 1000}).class_tiles, 32u);
}

// Per image, the workspace holds 16 gradients of logits, the pooled channels and the loss, with 4 bytes each.
TEST(ClassifierTest, TheWorkspace) {
  EXPECT_EQ(ClassifierWorkspaceBytes({32, 16, 512, 10}), 32u * (16 + 512 + 1) * 4);
  EXPECT_EQ(ClassifierWorkspaceBytes({4'000'000, 1, 4096, 10}), size_t{4'000'000} * 4113 * 4);
  EXPECT_EQ(ClassifierWorkspaceBytes({32, 16, 512, 17}), 32u * (17 + 512 + 1) * 4);  // a gradient for each class
  EXPECT_EQ(ClassifierWorkspaceBytes({32, 16, 512, 1000}), 32u * (1000 + 512 + 1) * 4);
}

// x = (1, 2), (3, 6): pooled 2, 4; logits 1 * 2 and 0.5 * 4, both 2: p = 1/2, 1/2; the label is the first class.
TEST(ClassifierTest, TheReferenceByHand) {
  const auto result = ReferenceClassifier({1, 2, 2, 2}, {1, 2, 3, 6}, {1, 0, 0, 0.5}, {0, 0}, {0});
  EXPECT_EQ(result.pooled, std::vector<double>({2, 4}));
  EXPECT_EQ(result.logits, std::vector<double>({2, 2}));
  EXPECT_DOUBLE_EQ(result.loss_sum, std::log(2));
  EXPECT_EQ(result.correct, 1u);
  EXPECT_EQ(result.dlogits, std::vector<double>({-0.5, 0.5}));
  EXPECT_EQ(result.dbias, std::vector<double>({-0.5, 0.5}));
  EXPECT_EQ(result.dweight, std::vector<double>({-1, -2, 1, 2}));
  EXPECT_EQ(result.dx,
            std::vector<double>({-0.25, 0.125, -0.25, 0.125}));  // (-0.5 * 1, 0.5 * 0.5), shared by two positions
}

// Two images: each contributes half to the gradient, but fully to the sum.
TEST(ClassifierTest, TheReferencesGradientIsThatOfTheMean) {
  const auto result = ReferenceClassifier({2, 1, 1, 2}, {1, 3}, {0, 0}, {0, 0}, {0, 1});
  EXPECT_DOUBLE_EQ(result.loss_sum, 2 * std::log(2));
  EXPECT_EQ(result.correct, 1u);  // first class of equal logits
  EXPECT_EQ(result.dlogits, std::vector<double>({-0.25, 0.25, 0.25, -0.25}));
  EXPECT_EQ(result.dweight, std::vector<double>({0.5, -0.5}));  // -0.25 * 1 + 0.25 * 3
}

// Two classes with logits 0 and 0; the label is the first: targets 1 - 0.5 + 0.25 and 0.25; p = 1/2, 1/2.
TEST(ClassifierTest, TheSmoothedReferenceByHand) {
  const auto result = ReferenceClassifier({1, 1, 1, 2}, {1}, {0, 0}, {0, 0}, {0}, 0.5);
  EXPECT_DOUBLE_EQ(result.loss_sum, std::log(2));
  EXPECT_EQ(result.dlogits, std::vector<double>({-0.25, 0.25}));
  // Logits 2 and 0: p = e^2 / (e^2 + 1) for the first class. The loss is log(e^2 + 1) - 0.75 * 2.
  const auto apart = ReferenceClassifier({1, 1, 1, 2}, {1}, {2, 0}, {0, 0}, {0}, 0.5);
  EXPECT_DOUBLE_EQ(apart.loss_sum, std::log(std::exp(2) + 1) - 1.5);
  EXPECT_DOUBLE_EQ(apart.dlogits[0], std::exp(2) / (std::exp(2) + 1) - 0.75);
}

}  // namespace
}  // namespace lockstep
