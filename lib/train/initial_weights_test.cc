#include "lib/train/initial_weights.h"

#include <ATen/ops/equal.h>

#include <memory>

#include "lib/nn/checkpoint.h"
#include "lib/record/digest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

proto::Normalization Normalization(double mean) {
  proto::Normalization normalization;
  for (int channel = 0; channel < 3; ++channel) {
    normalization.add_mean(mean);
    normalization.add_std(0.25);
  }
  return normalization;
}

TEST(InitialWeightsTest, FillsTheModelAndNamesTheFile) {
  const std::string path = TempPath("weights.pt");
  const std::shared_ptr<Model> saved = *MakeModel("lenet5", 1), model = *MakeModel("lenet5", 2);
  ASSERT_THAT(SaveCheckpoint(*saved, Normalization(0.5), path, ReplaceAnything()), IsOk());
  proto::TrainingSpec training;
  *training.mutable_normalization() = Normalization(0.5);
  const auto weights = ReadInitialWeights(path, training, NormalizationFlag::kAbsent, *model);
  ASSERT_THAT(weights, IsOk());
  EXPECT_TRUE(at::equal(saved->parameters()[0], model->parameters()[0]));
  EXPECT_EQ(weights->input.sha256(), *Sha256HexOfFile(path));
  EXPECT_EQ(weights->remark, path);
  EXPECT_THAT(weights->warnings, IsEmpty());
}

TEST(InitialWeightsTest, WarnsOfAnotherNormalization) {
  const std::string path = TempPath("weights.pt");
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 1);
  ASSERT_THAT(SaveCheckpoint(*model, Normalization(0.5), path, ReplaceAnything()), IsOk());
  proto::TrainingSpec training;
  *training.mutable_normalization() = Normalization(0.4);
  EXPECT_THAT(
      ReadInitialWeights(path, training, NormalizationFlag::kGiven, *model)->warnings,
      ElementsAre("they were trained on images normalized by mean 0.5, std 0.25, and this run normalizes by mean "
                  "0.4, std 0.25 (--normalization)"));
}

TEST(InitialWeightsTest, WarnsOfAnUnknownNormalizationUnlessTheFlagIsGiven) {
  const std::string path = TempPath("foreign.pt");
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 1);
  ASSERT_THAT(SaveCheckpoint(*model, {}, path, ReplaceAnything()), IsOk());
  proto::TrainingSpec training;
  *training.mutable_normalization() = Normalization(0.4);
  const auto assumed = ReadInitialWeights(path, training, NormalizationFlag::kAbsent, *model);
  ASSERT_THAT(assumed, IsOk());
  EXPECT_TRUE(assumed->normalization_assumed);
  EXPECT_THAT(assumed->warnings,
              ElementsAre(AllOf(HasSubstr(path + " does not contain the normalization of its images; mean 0.4, std "
                                                 "0.25 is assumed"),
                                HasSubstr("--normalization=dataset, cifar10"))));
  const auto given = ReadInitialWeights(path, training, NormalizationFlag::kGiven, *model);
  ASSERT_THAT(given, IsOk());
  EXPECT_FALSE(given->normalization_assumed);
  EXPECT_THAT(given->warnings, IsEmpty());
}

TEST(InitialWeightsTest, NamesTheModelThatTheFileFits) {
  const std::string path = TempPath("weights.pt");
  ASSERT_THAT(SaveCheckpoint(**MakeModel("lenet5", 1), {}, path, ReplaceAnything()), IsOk());
  EXPECT_THAT(ReadInitialWeights(path, {}, NormalizationFlag::kAbsent, **MakeModel("resnet18", 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("--init: checkpoint " + path), HasSubstr("expected (64, 3, 3, 3), found"),
                             HasSubstr("; it fits --model=lenet5"))));
}

TEST(InitialWeightsTest, APointRefusesAFileThatHasBeenReplaced) {
  const std::string path = TempPath("weights.pt");
  const std::shared_ptr<Model> model = *MakeModel("lenet5", 1);
  const std::string digest = *SaveCheckpoint(*model, {}, path, ReplaceAnything());
  proto::PointOrder order;
  EXPECT_THAT(LoadInitialWeights(order, *model), IsOk());  // no file
  order.set_init_path(path);
  order.mutable_spec()->mutable_training()->set_init_sha256(digest);
  EXPECT_THAT(LoadInitialWeights(order, *model), IsOk());
  ASSERT_THAT(SaveCheckpoint(**MakeModel("lenet5", 2), {}, path, ReplaceAnything()), IsOk());
  EXPECT_THAT(LoadInitialWeights(order, *model), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(path)));
}

}  // namespace
}  // namespace lockstep
