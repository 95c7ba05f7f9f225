#include "lib/base/help_text.h"

#include <cstdint>

#include "absl/flags/flag.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/flag_range.h"

RANGED_FLAG(uint32_t, epochs, 0, 0, 100, "Epochs; 0: 1 + repeats.");
ABSL_FLAG(std::string, model, "resnet18", "Which one.");
ABSL_FLAG(bool, cuda_graph, false, "For experts.");
ABSL_FLAG(std::string, internal_point, "", "Internal: for a child.");

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ToolInfo Tool() {
  return {"tool",
          "does something.",
          {"tool --model=a", "tool --epochs=3"},
          {{"training", "what is trained", {{"model"}, {"epochs", "6: 1 + repeats"}}, HelpPages::kAll},
           {"gpu", "expert: the GPU", {{"cuda_graph"}}}}};
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(HelpTextTest, PlainHelpHasExamplesCommonFlagsAndTheOtherGroupsNames) {
  EXPECT_EQ(*HelpText(Tool(), ""),
            "tool: does something.\n\nExamples:\n  tool --model=a\n  tool --epochs=3\n"
            "\nFlags of the group training: what is trained\n"
            "  --model (default: resnet18)\n      Which one.\n"
            "  --epochs (default: 6: 1 + repeats; from 0 to 100)\n      Epochs; 0: 1 + repeats.\n"
            "\nMore flags:\n  --help=gpu: expert: the GPU (1 flags)\n  --help=all: every flag\n"
            "\nExit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 check failed, 5 device or communication "
            "failure,\n129/130/143 stopped by SIGHUP/SIGINT/SIGTERM. '-' as a file is standard input or output.\n");
}

TEST(HelpTextTest, ArgumentsThatAreNoFlagsFollowTheExamples) {
  ToolInfo tool = Tool();
  tool.arguments = "records, like --input";
  EXPECT_THAT(*HelpText(tool, ""),
              HasSubstr("\n  tool --epochs=3\n\nArguments that are not flags: records, like --input\n"
                        "\nFlags of"));
}

TEST(HelpTextTest, AGroupIsShownByItself) {
  EXPECT_EQ(*HelpText(Tool(), "gpu"),
            "\nFlags of the group gpu: expert: the GPU\n  --cuda_graph (default: false)\n      For experts.\n");
}

TEST(HelpTextTest, AllIsEveryGroupAndNoInternalFlag) {
  EXPECT_THAT(*HelpText(Tool(), "all"), AllOf(HasSubstr("--model"), HasSubstr("--epochs"), HasSubstr("--cuda_graph"),
                                              Not(HasSubstr("internal"))));
}

TEST(HelpTextTest, AGroupThatIsNoneIsRefusedByTheOnesThatAre) {
  EXPECT_EQ(Message(HelpText(Tool(), "gpus").status()),
            "--help=gpus: expected one of all, training, gpu; did you mean gpu?");
  EXPECT_EQ(Message(HelpText(Tool(), "x").status()), "--help=x: expected one of all, training, gpu");
}

TEST(HelpTextTest, WithoutGroupsAllFlagsAreInOne) {
  EXPECT_THAT(*HelpText({"tool", "does.", {"tool"}, {}}, ""),
              AllOf(HasSubstr("--model"), HasSubstr("--cuda_graph"), Not(HasSubstr("More flags"))));
}

TEST(CheckGroupsTest, EveryFlagIsInExactlyOne) {
  EXPECT_TRUE(CheckGroups(Tool().groups).ok());
  EXPECT_TRUE(CheckGroups({}).ok());
  EXPECT_THAT(Message(CheckGroups({{"a", "", {{"model"}, {"epochs"}}}})), HasSubstr("--cuda_graph is in no group"));
  EXPECT_THAT(Message(CheckGroups({{"a", "", {{"model"}}}, {"b", "", {{"model"}}}})),
              HasSubstr("--model is in a group twice, again in b"));
  EXPECT_THAT(Message(CheckGroups({{"a", "", {{"modle"}}}})), HasSubstr("--modle of the group a is not declared"));
}

}  // namespace
}  // namespace lockstep
