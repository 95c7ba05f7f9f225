#include "lib/train/recipes.h"

#include <cstdint>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/given_flags.h"
#include "lib/testing/matchers.h"

ABSL_FLAG(std::vector<std::string>, batch_size, {}, "");
ABSL_FLAG(bool, drop_last, false, "");
ABSL_FLAG(uint32_t, epochs, 0, "");
ABSL_FLAG(std::string, optimizer, "sgd", "");
ABSL_FLAG(double, learning_rate, 0, "");
ABSL_FLAG(double, momentum, 0.5, "");
ABSL_FLAG(double, weight_decay, 0.25, "");
ABSL_FLAG(double, label_smoothing, 0.25, "");
ABSL_FLAG(std::string, schedule, "constant", "");
ABSL_FLAG(double, lr_warmup_share, 0, "");
ABSL_FLAG(double, lr_warmup_start, 0, "");
ABSL_FLAG(bool, augment, true, "");
ABSL_FLAG(std::string, border, "zero", "");
ABSL_FLAG(std::string, flip, "alternating", "");
ABSL_FLAG(uint32_t, cutout, 3, "");
ABSL_FLAG(std::string, normalization, "dataset", "");
ABSL_FLAG(bool, evaluate, true, "");
ABSL_FLAG(bool, evaluate_mirrored, false, "");

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ValueOfFlag(const char* name) { return absl::FindCommandLineFlag(name)->CurrentValue(); }

// Returns the values of the flags that only some recipes set, after the recipe.
std::vector<std::string> Special(const std::string& recipe, const std::vector<std::string>& left_out = {}) {
  EXPECT_THAT(ApplyRecipe(recipe, left_out), IsOk());
  std::vector<std::string> values;
  for (const char* name : {"epochs", "learning_rate", "lr_warmup_share", "lr_warmup_start", "border", "cutout"}) {
    values.push_back(ValueOfFlag(name));
  }
  return values;
}

// One test only, because given flags are recorded for the whole process: each part gives one flag more.
TEST(RecipesTest, ARecipeSetsTheFlagsThatAreNotGiven) {
  {
    const absl::FlagSaver saver;
    EXPECT_THAT(ApplyRecipe(""), IsOk());
    EXPECT_EQ(ValueOfFlag("momentum"), "0.5");
    EXPECT_THAT(ApplyRecipe("short"), StatusIs(absl::StatusCode::kInvalidArgument,
                                               HasSubstr("--recipe=short: expected short26, short80 or cosine200")));
  }
  {
    const absl::FlagSaver saver;
    EXPECT_THAT(Special("short26"), ElementsAre("26", "0.2", "0.2", "0.04", "reflect", "12"));
    EXPECT_THAT(absl::GetFlag(FLAGS_batch_size), ElementsAre("500"));
    EXPECT_TRUE(absl::GetFlag(FLAGS_drop_last));
    EXPECT_EQ(absl::GetFlag(FLAGS_optimizer), "nesterov");
    EXPECT_EQ(absl::GetFlag(FLAGS_momentum), 0.9);
    EXPECT_EQ(absl::GetFlag(FLAGS_weight_decay), 5e-4);
    EXPECT_EQ(absl::GetFlag(FLAGS_label_smoothing), 0);
    EXPECT_EQ(absl::GetFlag(FLAGS_schedule), "linear");
    EXPECT_EQ(absl::GetFlag(FLAGS_flip), "random");
    EXPECT_EQ(absl::GetFlag(FLAGS_normalization), "0.4914,0.4822,0.4465/0.2470,0.2435,0.2616");
    EXPECT_TRUE(absl::GetFlag(FLAGS_evaluate_mirrored));
    EXPECT_THAT(Special("short26"), ElementsAre("26", "0.2", "0.2", "0.04", "reflect", "12"));  // a second call
  }
  {
    const absl::FlagSaver saver;
    EXPECT_THAT(Special("short80", {"batch_size"}), ElementsAre("80", "0.2", "0.2", "0.04", "reflect", "12"));
    EXPECT_THAT(absl::GetFlag(FLAGS_batch_size), IsEmpty());
  }
  {
    const absl::FlagSaver saver;
    EXPECT_THAT(Special("cosine200"), ElementsAre("200", "0.1", "0", "0", "zero", "0"));
    EXPECT_THAT(absl::GetFlag(FLAGS_batch_size), ElementsAre("128"));
    EXPECT_FALSE(absl::GetFlag(FLAGS_drop_last));
    EXPECT_EQ(absl::GetFlag(FLAGS_optimizer), "sgd");
    EXPECT_EQ(absl::GetFlag(FLAGS_momentum), 0.9);
    EXPECT_EQ(absl::GetFlag(FLAGS_weight_decay), 5e-4);
    EXPECT_EQ(absl::GetFlag(FLAGS_schedule), "cosine");
    EXPECT_EQ(absl::GetFlag(FLAGS_flip), "random");
    EXPECT_EQ(absl::GetFlag(FLAGS_normalization), "cifar10");
    EXPECT_FALSE(absl::GetFlag(FLAGS_evaluate_mirrored));
  }
  NoteGivenFlag("optimizer");
  {
    const absl::FlagSaver saver;
    EXPECT_THAT(ApplyRecipe("short26"), IsOk());
    EXPECT_EQ(absl::GetFlag(FLAGS_optimizer), "sgd");
    absl::SetFlag(&FLAGS_optimizer, "adam");
    EXPECT_THAT(ApplyRecipe("short26"),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "--recipe=short26 has a learning rate of sgd, found --optimizer=adam; give --learning_rate, "
                         "too, or leave one out"));
  }
  NoteGivenFlag("learning_rate");
  {
    const absl::FlagSaver saver;
    absl::SetFlag(&FLAGS_optimizer, "adam");
    absl::SetFlag(&FLAGS_learning_rate, 0.5);  // the warm-up starts at a fifth
    EXPECT_THAT(Special("short26"), ElementsAre("26", "0.5", "0.2", "0.1", "reflect", "12"));
  }
  NoteGivenFlag("schedule");
  {
    const absl::FlagSaver saver;
    absl::SetFlag(&FLAGS_schedule, "cosine");
    EXPECT_THAT(Special("short26"), ElementsAre("26", "0", "0", "0", "reflect", "12"));
    absl::SetFlag(&FLAGS_schedule, "linear");
    EXPECT_THAT(Special("short26")[2], "0.2");
  }
  NoteGivenFlag("lr_warmup_epochs");
  NoteGivenFlag("repeats");
  NoteGivenFlag("min_batch");
  NoteGivenFlag("augment");
  NoteGivenFlag("evaluate");
  {
    const absl::FlagSaver saver;
    absl::SetFlag(&FLAGS_schedule, "linear");
    EXPECT_THAT(Special("short26"), ElementsAre("0", "0", "0", "0", "reflect", "12"));  // augment and evaluate are true
    EXPECT_THAT(absl::GetFlag(FLAGS_batch_size), IsEmpty());
    EXPECT_TRUE(absl::GetFlag(FLAGS_evaluate_mirrored));
  }
  absl::SetFlag(&FLAGS_augment, false);
  absl::SetFlag(&FLAGS_evaluate, false);
  EXPECT_THAT(Special("short26"), ElementsAre("0", "0", "0", "0", "zero", "3"));
  EXPECT_FALSE(absl::GetFlag(FLAGS_evaluate_mirrored));
}

TEST(RecipesTest, TheHelpListsWhatEachRecipeSets) {
  EXPECT_THAT(RecipeWords(), ElementsAre("short26", "short80", "cosine200"));
  EXPECT_THAT(RecipeHelp(), HasSubstr("short80 (ResNet-18 of KellerJordan/cifar10-zoo): --batch_size=500 "
                                      "--drop_last=true --epochs=80 --optimizer=nesterov --learning_rate=0.2 "));
  EXPECT_THAT(RecipeHelp(), HasSubstr("cosine200 (kuangliu/pytorch-cifar): --batch_size=128 --epochs=200 "));
}

}  // namespace
}  // namespace lockstep
