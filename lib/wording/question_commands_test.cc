#include "lib/wording/question_commands.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// No command contains a letter in place of a number, and each command names its output.
TEST(QuestionCommandsTest, EveryQuestionHasCommandsThatAreWhole) {
  for (const char* question : {"Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "B1", "B2", "B3", "B4", "B5"}) {
    for (const uint64_t images : {0, 4, 2048, 50000}) {
      EXPECT_THAT(CommandsFor(question, {images}), Not(IsEmpty())) << question;
      EXPECT_THAT(CommandsFor(question, {images}), Each(AllOf(HasSubstr(" --input="), HasSubstr(" --output="),
                                                              Not(HasSubstr("=N")), Not(HasSubstr(",N")))));
    }
  }
}

// A CPU trains LeNet-5 in minutes; only what_is_sent needs batch norm, which it lacks.
TEST(QuestionCommandsTest, OnACpuTheNetworkIsSmall) {
  DatasetFacts facts = {5000};
  facts.only_cpu = true;
  for (const char* question : {"Q1", "Q2", "Q4", "Q5"}) {
    EXPECT_THAT(CommandsFor(question, facts)[0], HasSubstr(" --model=lenet5 ")) << question;
    EXPECT_THAT(CommandsFor(question, {5000})[0], Not(HasSubstr("--model"))) << question;
  }
}

// The experiments have the extent that the lab plans on a CPU, and all outputs are in the folder of the records.
TEST(QuestionCommandsTest, OnACpuTheExperimentsAreSmall) {
  DatasetFacts facts = {5000};
  facts.only_cpu = true;
  facts.path = "my_lab/dataset.rec";
  facts.folder = "my_lab";
  EXPECT_THAT(CommandsFor("Q4", facts),
              ElementsAre("scale_run --input=my_lab/dataset.rec --model=lenet5 --experiment=large_batch --ranks=2 "
                          "--batch_size=624,4500 --seeds=2 --rows='624;4500;4500, linear rate;4500, warm-up;4500, "
                          "clipping;4500, LARS;4500, label smoothing' --output=my_lab/large_batch.rec"));
  EXPECT_EQ(DurationOf("Q4", facts), "about 60 s on two cores");
  EXPECT_EQ(CommandsFor("Q6", facts), CommandsFor("Q7", facts));
  EXPECT_THAT(CommandsFor("Q7", facts),
              ElementsAre("cifar_prep --input_format=synthetic --train_images=128 --test_images=32 "
                          "--output=my_lab/.few.rec",
                          "scale_run --input=my_lab/.few.rec --experiment=what_is_sent --ranks=2 --seeds=2 "
                          "--model=resnet18 --batch_size=32 --epochs=2 --rows='gradients only;buffers broadcast' "
                          "--output=my_lab/what_is_sent.rec"));
  EXPECT_EQ(DurationOf("Q7", facts), "about 40 s on two cores");
  facts.training_images = 50000;
  EXPECT_EQ(DurationOf("Q4", facts), "about 7 min on two cores");
  EXPECT_EQ(DurationOf("Q1", facts), "");
  EXPECT_EQ(DurationOf("Q4", {5000}), "");
  facts.classes = 100;
  EXPECT_THAT(CommandsFor("Q6", facts)[0], HasSubstr(" --classes=100 --output=my_lab/.few_classes.rec"));
  facts.classes = 1001;  // more than synthetic images can have
  EXPECT_THAT(CommandsFor("Q6", facts)[0], HasSubstr("scale_run --input=my_lab/dataset.rec "));
}

TEST(QuestionCommandsTest, BiasesAreQuantizedOfANetworkThatHasThem) {
  EXPECT_THAT(
      CommandsFor("B5", {50000}),
      ElementsAre("train_sweep --input=dataset.rec --model=lenet5_bias --batch_size=32 --checkpoint=lenet5_bias.pt "
                  "--output=lenet5_bias.rec",
                  "quantize --input=dataset.rec --checkpoint=lenet5_bias.pt --output=quantized_bias.rec"));
}

// Returns the value of --batch_size in the first command that has one; empty if none has.
std::string Batches(const std::vector<std::string>& commands) {
  const std::string flag = " --batch_size=";
  for (const std::string& command : commands) {
    if (const size_t at = command.find(flag); at != command.npos) {
      const std::string rest = command.substr(at + flag.size());
      return rest.substr(0, rest.find(' '));
    }
  }
  return "";
}

TEST(QuestionCommandsTest, TheLabsBatchesIfTheyFitOrTheImagesAreUnknown) {
  for (const uint64_t images : {0, 16384, 50000}) {
    SCOPED_TRACE(images);
    EXPECT_EQ(Batches(CommandsFor("Q1", {images})), "");
    EXPECT_EQ(Batches(CommandsFor("Q2", {images})), "32,128,512");
    EXPECT_EQ(Batches(CommandsFor("Q4", {images})), "128,8192");
    EXPECT_EQ(Batches(CommandsFor("Q5", {images})), "128");
    EXPECT_EQ(Batches(CommandsFor("Q6", {images})), "128");
    EXPECT_EQ(Batches(CommandsFor("B1", {images})), "32");
    EXPECT_EQ(Batches({DataParallelText({images})}), "32,128,512");
  }
}

TEST(QuestionCommandsTest, FewImagesHaveSmallerBatches) {
  EXPECT_EQ(Batches(CommandsFor("Q2", {2048})), "32,128,512");
  EXPECT_EQ(Batches(CommandsFor("Q4", {2048})), "256,1844");  // a tenth of the images is held out
  EXPECT_EQ(Batches(CommandsFor("Q5", {2048})), "128");
  EXPECT_EQ(Batches(CommandsFor("Q3", {80})), "32");
  EXPECT_EQ(Batches({DataParallelText({80})}), "32");
  EXPECT_EQ(Batches(CommandsFor("Q4", {80})), "10,72");
  EXPECT_EQ(Batches(CommandsFor("Q7", {81})), "80");  // 40 on each of two ranks
  EXPECT_EQ(Batches(CommandsFor("Q1", {20})), "20");
  EXPECT_EQ(Batches(CommandsFor("Q2", {20})), "10");
  EXPECT_EQ(Batches(CommandsFor("B5", {20})), "20");
}

TEST(QuestionCommandsTest, AReasonTakesThePlaceOfCommandsThatTheDataSetRefuses) {
  const DatasetFacts hundred = {50000, 100, 32, 32};
  for (const char* question : {"B1", "B2", "B3", "B4", "B5"}) {
    EXPECT_THAT(CommandsFor(question, hundred), IsEmpty());
    EXPECT_EQ(AnswerText(question, hundred), WhyNoCommands(question, hundred));
  }
  EXPECT_EQ(CommandsFor("Q4", hundred), CommandsFor("Q4", {50000}));
  EXPECT_THAT(CommandsFor("Q4", {3}), IsEmpty());
  EXPECT_EQ(ExperimentText(proto::LARGE_BATCH, {3}), WhyNoCommands("Q4", {3}));
  EXPECT_EQ(ExperimentText(proto::WHAT_IS_SENT, {3}),
            "run scale_run --input=dataset.rec --experiment=what_is_sent --ranks=2 --batch_size=2 "
            "--output=what_is_sent.rec");
  EXPECT_EQ(DataParallelText({1}), WhyNoDataParallel({1}));
  EXPECT_EQ(AnswerText("Q1", hundred), "run train_sweep --input=dataset.rec --output=sweep.rec");
}

TEST(RunTextTest, CommandsStandInTheirOrder) {
  EXPECT_EQ(RunText({"a --b"}), "run a --b");
  EXPECT_EQ(RunText({"a --b", "c"}), "run a --b and then c");
}

TEST(QuestionCommandsTest, TheDatasetHasThePathThatTheUserGave) {
  DatasetFacts facts;
  facts.path = "real_lab/dataset.rec";
  EXPECT_THAT(CommandsFor("Q1", facts), ElementsAre("train_sweep --input=real_lab/dataset.rec --output=sweep.rec"));
  EXPECT_EQ(ExplainCommand("a/scale.rec"), "comm_model --input=a/scale.rec --output=a/comm_model.rec");
  for (const char* const question : {"Q2", "Q4", "Q5", "Q6", "B2", "B5"}) {
    EXPECT_THAT(CommandsFor(question, facts)[0], HasSubstr(" --input=real_lab/dataset.rec ")) << question;
  }
  EXPECT_THAT(CommandsFor("B2", facts)[1], HasSubstr("quantize --input=real_lab/dataset.rec "));
  EXPECT_THAT(DataParallelText(facts), HasSubstr(" --input=real_lab/dataset.rec "));
  facts.path = "Ada's lab/dataset.rec";
  EXPECT_THAT(CommandsFor("Q1", facts),
              ElementsAre("train_sweep --input='Ada'\\''s lab/dataset.rec' --output=sweep.rec"));
}

}  // namespace
}  // namespace lockstep
