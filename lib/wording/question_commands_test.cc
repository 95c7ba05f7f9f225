#include "lib/wording/question_commands.h"

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
    EXPECT_THAT(CommandsFor(question), Not(IsEmpty())) << question;
    EXPECT_THAT(CommandsFor(question), Each(AllOf(HasSubstr(" --input="), HasSubstr(" --output="), Not(HasSubstr("=N")),
                                                  Not(HasSubstr(",N")))));
  }
}

TEST(QuestionCommandsTest, BiasesAreQuantizedOfANetworkThatHasThem) {
  EXPECT_THAT(
      CommandsFor("B5"),
      ElementsAre("train_sweep --input=dataset.rec --model=lenet5_bias --batch_size=32 --checkpoint=lenet5_bias.pt "
                  "--output=lenet5_bias.rec",
                  "quantize --input=dataset.rec --checkpoint=lenet5_bias.pt --output=quantized_bias.rec"));
}

TEST(RunTextTest, CommandsStandInTheirOrder) {
  EXPECT_EQ(RunText({"a --b"}), "run a --b");
  EXPECT_EQ(RunText({"a --b", "c"}), "run a --b and then c");
}

}  // namespace
}  // namespace lockstep
