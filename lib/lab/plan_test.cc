#include "lib/lab/plan.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

LabFacts Machine(uint32_t gpus, uint32_t train_images, uint32_t test_images) {
  LabFacts facts;
  facts.gpus = gpus;
  facts.has_bf16 = gpus > 0;
  facts.train_images = train_images;
  facts.test_images = test_images;
  return facts;
}

// Returns the names of the records in the order of the steps.
std::vector<std::string> Records(const LabPlan& plan) {
  std::vector<std::string> names;
  for (const LabStep& step : plan.steps) {
    const std::string name = step.record.substr(step.record.rfind('/') + 1);
    names.push_back(name.substr(0, name.size() - 4));
  }
  return names;
}

// Returns the value of a flag in the command that makes a record; "absent" if the plan has no such command or flag.
std::string Flag(const LabPlan& plan, const std::string& record, const std::string& flag) {
  for (const LabStep& step : plan.steps) {
    for (const std::string& word : step.command) {
      if (step.record == absl::StrCat("lockstep_lab/", record, ".rec") &&
          absl::StartsWith(word, absl::StrCat("--", flag, "="))) {
        return word.substr(flag.size() + 3);
      }
    }
  }
  return "absent";
}

// Plan for one machine, one row of the table in PlanTest.
struct Case {
  std::string name;
  LabFacts facts;
  double minutes;
  bool all_questions;
  std::vector<std::string> records;
  std::string ranks;         // --ranks of the first scaling run
  std::string scaled;        // --batch_size of the first scaling run
  std::string fp32_repeats;  // --repeats of scale.rec
};

std::vector<Case> Cases() {
  const std::vector<std::string> cpu = {"sweep",       "scale",     "comm_model",    "lenet5",
                                        "lenet5_bias", "quantized", "sampler_epoch", "what_is_sent",
                                        "large_batch", "scale_dp",  "comm_model_dp", "report"};
  std::vector<std::string> gpu = {"sweep_fast", "scale_fast", "comm_model_fast"};
  gpu.insert(gpu.end(), cpu.begin(), cpu.end());
  return {
      {"two cores, synthetic", Machine(0, 2048, 512), 3, false, cpu, "1,2", "32,128", "5"},
      {"two cores, all of CIFAR-10",
       Machine(0, 50000, 10000),
       3,
       false,
       {"sweep", "scale", "comm_model", "lenet5", "lenet5_bias", "quantized", "what_is_sent", "report"},
       "1,2",
       "128",
       "1"},
      {"one second of budget",
       Machine(0, 2048, 512),
       1.0 / 60,
       false,
       {"sweep", "scale", "comm_model", "report"},
       "1,2",
       "128",
       "1"},
      {"one second of budget and all questions",
       Machine(0, 2048, 512),
       1.0 / 60,
       true,
       {"sweep", "scale", "comm_model", "sampler_epoch", "what_is_sent", "large_batch", "report"},
       "1,2",
       "128",
       "1"},
      {"no end of budget on two GPUs", Machine(2, 50000, 10000), 1000, false, gpu, "1,2", "32,128,512", "5"},
      {"no end of budget on four GPUs", Machine(4, 50000, 10000), 1000, false, gpu, "1,2,4", "32,128,512", "5"},
  };
}

TEST(PlanTest, TableOfMachines) {
  for (const Case& one : Cases()) {
    SCOPED_TRACE(one.name);
    LabRequest request;
    request.minutes = one.minutes;
    request.all_questions = one.all_questions;
    const auto plan = PlanLab(request, one.facts);
    ASSERT_THAT(plan, IsOk());
    EXPECT_EQ(Records(*plan), one.records);
    const std::string first = one.facts.gpus > 0 ? "scale_fast" : "scale";
    EXPECT_EQ(Flag(*plan, first, "ranks"), one.ranks);
    EXPECT_EQ(Flag(*plan, first, "batch_size"), one.scaled);
    EXPECT_EQ(Flag(*plan, "scale", "repeats"), one.fp32_repeats);
  }
}

TEST(PlanTest, GpusFitTheDefaultBudgetAndTheFastPresetIsFirst) {
  for (const uint32_t gpus : {1, 2, 4}) {
    SCOPED_TRACE(gpus);
    const auto plan = PlanLab({}, Machine(gpus, 50000, 10000));
    ASSERT_THAT(plan, IsOk());
    EXPECT_EQ(plan->budget_seconds, 480);
    EXPECT_LE(plan->seconds, 480);
    EXPECT_EQ(Records(*plan)[0], "sweep_fast");
    EXPECT_EQ(Flag(*plan, "scale_fast", "batch_size"), gpus == 4 ? "128,512" : "32,128,512");
    EXPECT_GE(std::stoi(Flag(*plan, "scale_fast", "repeats")), 2);  // fewer cannot show that batches differ
    EXPECT_LE(plan->steps[0].seconds, 150);  // a page exists after this step: within three minutes
    EXPECT_THAT(Records(*plan), Contains("scale"));
    EXPECT_LE(std::stoi(Flag(*plan, "scale", "repeats")), std::stoi(Flag(*plan, "scale_fast", "repeats")));
  }
}

TEST(PlanTest, AllQuestionsAddStepsToTheSamePlan) {
  for (const double minutes : {0.1, 3.0, 8.0, 100.0}) {
    for (const uint32_t gpus : {0, 1, 2, 4}) {
      SCOPED_TRACE(absl::StrCat(minutes, " min, ", gpus, " GPUs"));
      LabRequest request;
      request.minutes = minutes;
      const auto without = PlanLab(request, Machine(gpus, 50000, 10000));
      request.all_questions = true;
      const auto with = PlanLab(request, Machine(gpus, 50000, 10000));
      ASSERT_THAT(without, IsOk());
      ASSERT_THAT(with, IsOk());
      for (size_t i = 0; i + 1 < without->steps.size(); ++i) {
        const std::vector<std::string>& command = without->steps[i].command;
        EXPECT_TRUE(std::any_of(with->steps.begin(), with->steps.end(),
                                [&](const LabStep& step) { return step.command == command; }));
      }
      for (const char* record : {"sampler_epoch", "what_is_sent", "large_batch"}) {
        EXPECT_THAT(Records(*with), Contains(record));
      }
    }
  }
}

TEST(PlanTest, AUnitThatDoesNotFitIsLeftOutWithItsCommands) {
  LabRequest request;
  request.minutes = 1.0 / 60;
  const auto plan = PlanLab(request, Machine(0, 2048, 512));
  ASSERT_THAT(plan, IsOk());
  const auto left_out = std::find_if(plan->left_out.begin(), plan->left_out.end(),
                                     [](const LeftOut& one) { return absl::StrContains(one.about, "Q5"); });
  ASSERT_NE(left_out, plan->left_out.end());
  ASSERT_EQ(left_out->steps.size(), 1);
  EXPECT_THAT(left_out->steps[0].command,
              ElementsAre("scale_run", "--input=lockstep_lab/dataset.rec", "--device=auto", "--ranks=2",
                          "--experiment=sampler_epoch", "--seeds=1", "--model=lenet5", "--preset=lab",
                          "--batch_size=256", "--output=lockstep_lab/sampler_epoch.rec"));
  EXPECT_THAT(PlanText(request, *plan), HasSubstr("scale_run --input=lockstep_lab/dataset.rec --device=auto --ranks=2 "
                                                  "--experiment=sampler_epoch"));
}

TEST(PlanTest, NothingIsLeftOutOfAnEndlessBudget) {
  LabRequest request;
  request.minutes = 10000;
  const auto plan = PlanLab(request, Machine(4, 50000, 10000));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->left_out, IsEmpty());
  EXPECT_THAT(PlanText(request, *plan), Not(HasSubstr("--minutes=N")));
}

TEST(PlanTest, GivenValuesAreKeptInEveryBudget) {
  for (const double minutes : {0.01, 1000.0}) {
    LabRequest request;
    request.minutes = minutes;
    request.batches = {8, 16};
    request.repeats = 2;
    request.seeds = 4;
    request.all_questions = true;
    const auto plan = PlanLab(request, Machine(0, 32, 8));
    ASSERT_THAT(plan, IsOk());
    EXPECT_EQ(Flag(*plan, "scale", "batch_size"), "8,16");
    EXPECT_EQ(Flag(*plan, "sweep", "batch_size"), "8,16,32");  // and 2 x 16, the base case of two ranks
    EXPECT_EQ(Flag(*plan, "scale", "repeats"), "2");
    EXPECT_EQ(Flag(*plan, "sampler_epoch", "seeds"), "4");
  }
}

TEST(PlanTest, TheSweepHasTheBaseCasesOfAllRanks) {
  LabRequest request;
  request.batches = {32};
  const auto plan = PlanLab(request, Machine(4, 50000, 10000));
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(Flag(*plan, "sweep_fast", "batch_size"), "32,64,128");
  EXPECT_EQ(Flag(*plan, "comm_model_fast", "fit_ranks"), "2");
}

TEST(PlanTest, ASlowCpuMeasuresLess) {
  LabFacts facts = Machine(0, 2048, 512);
  const auto fast = PlanLab({}, facts);
  facts.cpu_speed = 0.1;
  const auto slow = PlanLab({}, facts);
  ASSERT_THAT(fast, IsOk());
  ASSERT_THAT(slow, IsOk());
  EXPECT_LT(slow->steps.size(), fast->steps.size());
}

TEST(PlanTest, BatchesThatExceedTheImages) {
  LabRequest request;
  request.batches = {8, 64};
  const auto plan = PlanLab(request, Machine(0, 64, 16));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->notes, ElementsAre("batch 64 is not scaled: on 2 ranks it exceeds 64 images"));
  request.batches = {64};
  EXPECT_THAT(
      PlanLab(request, Machine(0, 64, 16)),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no --batch_size of 64 fits 64 images on 2 ranks")));
}

TEST(PlanTest, BatchesThatExceedTheImagesOfOneRank) {
  LabRequest request;
  request.batches = {8, 128};
  const auto plan = PlanLab(request, Machine(0, 64, 16));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->notes, ElementsAre("batch 128 is left out: it exceeds 64 images"));
  EXPECT_EQ(Flag(*plan, "sweep", "batch_size"), "8,16");
}

// quantize accepts ten classes of 32x32 pixels only.
TEST(PlanTest, AHundredClassesOf64x64PixelsOnACpu) {
  LabRequest request;
  request.minutes = 10000;
  LabFacts facts = Machine(0, 5000, 1000);
  facts.classes = 100;
  facts.height = facts.width = 64;
  const auto plan = PlanLab(request, facts);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(Records(*plan), ElementsAre("sweep", "scale", "comm_model", "sampler_epoch", ".few_classes",
                                          "what_is_sent", "large_batch", "scale_dp", "comm_model_dp", "report"));
  EXPECT_THAT(plan->notes, ElementsAre("left out: LeNet-5 in int8 (B1 to B5): quantize needs 10 classes of 32x32 "
                                       "pixels; the data set has 100 classes of 64x64 pixels"));
  EXPECT_EQ(Flag(*plan, "sweep", "model"), "lenet5");
  EXPECT_EQ(Flag(*plan, ".few_classes", "classes"), "100");
  EXPECT_EQ(Flag(*plan, "what_is_sent", "input"), "lockstep_lab/.few_classes.rec");
  EXPECT_THAT(Flag(*plan, "report", "input"), Not(HasSubstr("few")));
  EXPECT_THAT(PlanText(request, *plan),
              HasSubstr("\n  data set: 5000 training and 1000 test images, 100 classes of 64x64 pixels\n"));
}

TEST(PlanTest, Cifar100OnGpusHasTheFastPreset) {
  LabRequest request;
  request.minutes = 10000;
  LabFacts facts = Machine(2, 50000, 10000);
  facts.classes = 100;
  const auto plan = PlanLab(request, facts);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(Records(*plan)[0], "sweep_fast");
  EXPECT_THAT(Records(*plan), Not(Contains("quantized")));
  EXPECT_EQ(Flag(*plan, "what_is_sent", "input"), "lockstep_lab/dataset.rec");
}

TEST(PlanTest, ImagesThatTheFusedStepCannotTrainOnHaveNoFastPreset) {
  LabRequest request;
  request.minutes = 10000;
  LabFacts facts = Machine(2, 50000, 10000);
  facts.width = 40;
  facts.published = {"a.textproto"};
  const auto plan = PlanLab(request, facts);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(Records(*plan)[0], "sweep");
  EXPECT_EQ(Flag(*plan, "comm_model", "audit"), "a.textproto");
  EXPECT_EQ(Flag(*plan, "sampler_epoch", "preset"), "lab");
  EXPECT_THAT(plan->notes,
              Contains("left out: resnet18, fast preset in bf16: batches, scaling, communication (Q1 to Q3): its step "
                       "needs square images of 16 to 400 pixels in steps of 8, and at most 1000 classes; the data set "
                       "has 10 classes of 32x40 pixels"));
}

TEST(PlanTest, ImagesThatAreTooSmallForLeNet) {
  LabRequest request;
  LabFacts facts = Machine(0, 2048, 512);
  facts.height = facts.width = 8;
  const auto plan = PlanLab(request, facts);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(Flag(*plan, "sweep", "model"), "resnet18");
  EXPECT_THAT(Records(*plan), Not(Contains("quantized")));
  request.model = "lenet5";
  EXPECT_THAT(PlanLab(request, facts),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--model=lenet5: expected larger images, found 10 classes of 8x8 pixels")));
}

TEST(PlanTest, ADataSetOfFewImages) {
  LabRequest request;
  request.minutes = 10000;
  request.batches = {1};
  const auto plan = PlanLab(request, Machine(0, 3, 1));
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(Flag(*plan, "lenet5", "batch_size"), "3");
  EXPECT_THAT(plan->notes, ElementsAre("left out: large batches and remedies (Q4): 3 training images are too few for "
                                       "two batches on 2 ranks"));
}

TEST(PlanTest, ARecordOfCifarPrepIsUsedAsItIs) {
  LabRequest request;
  request.input = "sets/mine.rec";
  request.minutes = 10000;
  const auto plan = PlanLab(request, Machine(0, 2048, 512));
  ASSERT_THAT(plan, IsOk());
  for (const char* record : {"sweep", "scale", "lenet5", "quantized", "sampler_epoch", "large_batch", "scale_dp"}) {
    EXPECT_EQ(Flag(*plan, record, "input"), "sets/mine.rec") << record;
  }
  EXPECT_THAT(Flag(*plan, "report", "input"), HasSubstr("sets/mine.rec,lockstep_lab/sweep.rec"));
}

TEST(PlanTest, NumbersThatAreAssumedAreNamed) {
  LabFacts facts = Machine(0, 50000, 10000);
  facts.why_assumed = "x.zip: damaged";
  const auto plan = PlanLab({}, facts);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(PlanText({}, *plan),
              HasSubstr("  data set: 50000 training and 10000 test images, 10 classes of 32x32 pixels; assumed like "
                        "CIFAR-10, because they cannot be counted: x.zip: damaged\n"));
}

TEST(PlanTest, ASmallGpuWithoutBf16HasNoFastPreset) {
  LabFacts facts = Machine(1, 50000, 10000);
  facts.has_bf16 = false;
  const auto plan = PlanLab({}, facts);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(Records(*plan)[0], "sweep");
  EXPECT_THAT(Records(*plan), Not(Contains("sweep_fast")));
}

// Runs the plan on a machine whose steps take `factor` of the predicted time, and plans again after each step, like
// RunLab. Returns the last plan and the time at the end.
std::pair<LabPlan, double> Simulate(const LabRequest& request, const LabFacts& facts, double factor) {
  constexpr double kPreparation = 10, kPage = 2;
  LabProgress progress;
  progress.elapsed_seconds = kPreparation;
  LabPlan plan = *PlanLab(request, facts, progress);
  while (true) {
    const auto next = std::find_if(plan.steps.begin(), plan.steps.end(),
                                   [&](const LabStep& step) { return progress.made.count(step.record) == 0; });
    if (next + 1 == plan.steps.end()) {
      return {plan, progress.elapsed_seconds + kPage};
    }
    progress.made[next->record] = {next->command, true};
    progress.predicted_seconds += next->seconds;
    progress.measured_seconds += factor * next->seconds;
    progress.elapsed_seconds += factor * next->seconds + kPage;
    plan = *PlanLab(request, facts, progress);
  }
}

TEST(PlanTest, TheBudgetIsKeptWhateverTheStepsTake) {
  for (const uint32_t gpus : {1, 2, 4}) {
    for (const double factor : {0.5, 0.9, 1.0, 1.08, 1.3, 2.0, 3.0}) {
      SCOPED_TRACE(absl::StrCat(gpus, " GPUs, ", factor, " times the prediction"));
      EXPECT_LE(Simulate({}, Machine(gpus, 50000, 10000), factor).second, 480);
    }
  }
}

TEST(PlanTest, RepeatsAndBatchesAreCutBeforeQuestions) {
  const auto [as_predicted, seconds] = Simulate({}, Machine(2, 50000, 10000), 1);
  const auto [slower, more_seconds] = Simulate({}, Machine(2, 50000, 10000), 1.3);
  for (const char* record : {"scale", "quantized", "sampler_epoch", "what_is_sent", "large_batch"}) {
    EXPECT_THAT(Records(as_predicted), Contains(record));
    EXPECT_THAT(Records(slower), Contains(record));
  }
  EXPECT_NE(ChangeText(as_predicted, slower, "the cause"), "");
  EXPECT_GT(seconds, 0.75 * 480);  // and the budget is used
}

// Machines whose steps take 0.80 to 0.85 of the predicted time.
TEST(PlanTest, TimeThatIsSavedGivesEachExperimentASecondSeed) {
  for (const double factor : {0.8, 0.82, 0.85}) {
    SCOPED_TRACE(factor);
    const auto [plan, seconds] = Simulate({}, Machine(1, 50000, 10000), factor);
    for (const char* record : {"sampler_epoch", "what_is_sent", "large_batch"}) {
      EXPECT_EQ(Flag(plan, record, "seeds"), "2") << record;
    }
    EXPECT_EQ(Flag(plan, "what_is_sent", "epochs"), "2");
    EXPECT_GT(seconds, 0.85 * 480);
    EXPECT_LE(seconds, 480);
  }
}

TEST(PlanTest, ThePlanSaysWhatIsMeasuredWithTimeLeft) {
  const auto plan = PlanLab({}, Machine(2, 50000, 10000));
  ASSERT_THAT(plan, IsOk());
  const std::string text = PlanText({}, *plan);
  EXPECT_THAT(
      text, HasSubstr("  reduced to fit: large batches and remedies (Q4): 7 rows; 1 seed per row instead of all rows; "
                      "3 seeds per row\n"
                      "  if the steps take less time: large batches and remedies (Q4): 7 rows; 2 seeds per row\n"));
  LabProgress progress;  // the fp32 sweep has run, so that its table cannot grow
  progress.made["lockstep_lab/sweep.rec"] = {
      std::find_if(plan->steps.begin(), plan->steps.end(),
                   [](const LabStep& step) { return step.record == "lockstep_lab/sweep.rec"; })
          ->command,
      true};
  EXPECT_THAT(text, HasSubstr("  if the steps take less time: resnet18 in fp32"));
  EXPECT_THAT(PlanText({}, *PlanLab({}, Machine(2, 50000, 10000), progress)),
              Not(HasSubstr("if the steps take less time: resnet18 in fp32")));
}

TEST(PlanTest, AChangeSaysWhatWasCutAndWhy) {
  const LabPlan before = *PlanLab({}, Machine(2, 50000, 10000));
  EXPECT_EQ(ChangeText(before, before, "step 1 took 40 s, predicted were 20 s"), "");
  LabProgress progress;
  progress.made[before.steps[0].record] = {before.steps[0].command, true};
  progress.elapsed_seconds = 460;
  const LabPlan after = *PlanLab({}, Machine(2, 50000, 10000), progress);
  const std::string text = ChangeText(before, after, "step 1 took 460 s, predicted were 20 s");
  EXPECT_THAT(text,
              HasSubstr("lab: step 1 took 460 s, predicted were 20 s; for the budget of 8 min the plan is now\n"));
  EXPECT_THAT(text,
              HasSubstr("  resnet18, fast preset in bf16: batches, scaling, communication (Q1 to Q3): batch 128; 3 "
                        "repeats instead of batch 32, 128, 512; 5 repeats\n"));
  EXPECT_THAT(text, HasSubstr("  left out to fit: LeNet-5 in int8 (B1 to B5), about "));
  EXPECT_THAT(text, HasSubstr("; to measure it:\n    train_sweep --input=lockstep_lab/dataset.rec --model=lenet5"));
  EXPECT_THAT(ChangeText(after, before, "step 1 was cached"), HasSubstr(", which was left out\n"));
}

TEST(PlanTest, TheSameLabAgainRunsTheSameSteps) {
  const LabPlan first = Simulate({}, Machine(2, 50000, 10000), 1.5).first;
  LabProgress progress;
  for (const LabStep& step : first.steps) {
    progress.made[step.record] = {step.command, true};
  }
  const LabPlan again = *PlanLab({}, Machine(2, 50000, 10000), progress);
  for (const LabStep& step : first.steps) {
    EXPECT_TRUE(std::any_of(again.steps.begin(), again.steps.end(), [&](const LabStep& one) {
      return one.record == step.record && (one.command == step.command || step.command[0] == "report");
    })) << step.record;
  }
  EXPECT_THAT(PlanText({}, again), HasSubstr("  step, predicted time, command (exists: measured before, and kept):\n"
                                             "   1  exists  train_sweep --input=lockstep_lab/dataset.rec"));
  EXPECT_THAT(PlanText({}, *PlanLab({}, Machine(2, 50000, 10000))),
              HasSubstr("  step, predicted time, command:\n   1 "));
}

TEST(PlanTest, Durations) {
  EXPECT_EQ(AboutSeconds(0.2), "1 s");
  EXPECT_EQ(AboutSeconds(89), "89 s");
  EXPECT_EQ(AboutSeconds(240), "4 min");
  EXPECT_EQ(AboutSeconds(5400), "1.5 h");
  EXPECT_EQ(StepLine(3, 9, 240), "step 3 of 9, about 4 min left");
}

}  // namespace
}  // namespace lockstep
