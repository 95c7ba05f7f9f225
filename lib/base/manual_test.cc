#include "lib/base/manual.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_words.h"

RANGED_FLAG(uint32_t, epochs, 0, 0, 100, "Epochs; 0: 1 + repeats.");
ABSL_FLAG(std::string, model, "resnet18", "resnet18 or \"lenet5\".");
FLAG_WORDS(model, "resnet18", "lenet5");
ABSL_FLAG(bool, cuda_graph, false, "A switch.");
ABSL_FLAG(std::vector<std::string>, files, {}, "Files.");
ABSL_FLAG(std::string, probe, "", "Internal: for a child.");

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ToolInfo Tool() {
  return {"tool",
          "does something.",
          {"tool --model=lenet5"},
          {{"training", "how it is trained", {{"model"}, {"epochs", "6: 1 + repeats"}}, HelpPages::kAll},
           {"gpu", "expert", {{"cuda_graph"}, {"files"}}}}};
}

TEST(ManualJsonTest, DescribesEachFlag) {
  const std::string json = ManualJson(Tool());
  EXPECT_THAT(json, AllOf(HasSubstr(R"("name": "tool")"), HasSubstr(R"("examples": ["tool --model=lenet5"])"),
                          HasSubstr(R"({"name": "gpu", "about": "expert", "common": false, "flags": [)")));
  EXPECT_THAT(json, HasSubstr(R"({"name": "model", "takes": "value", "default": "resnet18", "range": "", )"
                              R"("words": ["resnet18", "lenet5"], "help": "resnet18 or \"lenet5\"."})"));
  EXPECT_THAT(json, HasSubstr(R"({"name": "epochs", "takes": "value", "default": "6: 1 + repeats", )"
                              R"("range": " from 0 to 100", "words": [], "help": "Epochs; 0: 1 + repeats."})"));
  EXPECT_THAT(json, HasSubstr(R"({"name": "cuda_graph", "takes": "switch", "default": "false")"));
  EXPECT_THAT(json, HasSubstr(R"({"name": "files", "takes": "list", "default": "none")"));
  EXPECT_THAT(json, Not(HasSubstr("probe")));
}

TEST(ManualJsonTest, NamesTheArgumentsThatAreNoFlags) {
  EXPECT_THAT(ManualJson(Tool()), HasSubstr(R"("arguments": "",)"));
  ToolInfo tool = Tool();
  tool.arguments = "records";
  EXPECT_THAT(ManualJson(tool), HasSubstr(R"("arguments": "records",)"));
}

TEST(ManualJsonTest, HasEveryExitCode) {
  EXPECT_THAT(ManualJson(Tool()), AllOf(HasSubstr(R"({"code": 0, )"), HasSubstr(R"({"code": 143, )")));
}

}  // namespace
}  // namespace lockstep
