#include "lib/base/init_main.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/flag_range.h"
#include "lib/proto/header.pb.h"

RANGED_FLAG(int32_t, steps, 1, -10, 1000, "a number");
ABSL_FLAG(bool, fast, false, "a boolean");
ABSL_FLAG(std::string, name, "", "a text");
ABSL_FLAG(std::vector<std::string>, files, {}, "a list");
ABSL_FLAG(std::optional<bool>, cuda_graph, std::nullopt, "a boolean that may be left to something else");

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ParseFlagsTest, NothingGivesNothing) { EXPECT_THAT(*ParseFlags({}), IsEmpty()); }

TEST(ParseFlagsTest, TakesEveryDocumentedForm) {
  ASSERT_TRUE(ParseFlags({"--steps=3", "--fast", "--name", "a=b"}).ok());
  EXPECT_EQ(absl::GetFlag(FLAGS_steps), 3);
  EXPECT_TRUE(absl::GetFlag(FLAGS_fast));
  EXPECT_EQ(absl::GetFlag(FLAGS_name), "a=b");
  ASSERT_TRUE(ParseFlags({"--nofast"}).ok());
  EXPECT_FALSE(absl::GetFlag(FLAGS_fast));
  ASSERT_TRUE(ParseFlags({"--fast=true", "--name="}).ok());
  EXPECT_TRUE(absl::GetFlag(FLAGS_fast));
  EXPECT_EQ(absl::GetFlag(FLAGS_name), "");
}

TEST(ParseFlagsTest, AnOptionalBooleanIsASwitchToo) {
  EXPECT_FALSE(absl::GetFlag(FLAGS_cuda_graph).has_value());
  EXPECT_THAT(*ParseFlags({"--cuda_graph", "file"}), ElementsAre("file"));
  EXPECT_EQ(absl::GetFlag(FLAGS_cuda_graph), true);
  ASSERT_TRUE(ParseFlags({"--nocuda_graph"}).ok());
  EXPECT_EQ(absl::GetFlag(FLAGS_cuda_graph), false);
  ASSERT_TRUE(ParseFlags({"--cuda_graph=true"}).ok());
  EXPECT_EQ(absl::GetFlag(FLAGS_cuda_graph), true);
  ASSERT_TRUE(ParseFlags({"--cuda_graph="}).ok());
  EXPECT_FALSE(absl::GetFlag(FLAGS_cuda_graph).has_value());
  EXPECT_FALSE(ParseFlags({"--cuda_graph=maybe"}).ok());
}

TEST(ParseFlagsTest, KeepsPositionalArgumentsInOrder) {
  EXPECT_THAT(*ParseFlags({"a", "--steps=2", "-", "--", "--steps=9"}), ElementsAre("a", "-", "--steps=9"));
  EXPECT_EQ(absl::GetFlag(FLAGS_steps), 2);
}

TEST(ParseFlagsTest, RefusesAnUnknownFlagByName) {
  const absl::Status status = ParseFlags({"--stepz=3"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--stepz"));
}

TEST(ParseFlagsTest, RefusesAnOldNameAndNamesTheNewOne) {
  for (const char* flag : {"--graph", "--graph=true"}) {
    const absl::Status status = ParseFlags({flag}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "unknown flag --graph; it is named --cuda_graph now");
  }
}

TEST(ParseFlagsTest, RefusesAbseilsOwnFlags) { EXPECT_FALSE(ParseFlags({"--flagfile=x"}).ok()); }

TEST(ParseFlagsTest, RefusesAValueThatDoesNotParse) {
  const absl::Status status = ParseFlags({"--steps=many"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--steps=many"));
}

TEST(ParseFlagsTest, RefusesAListWithAnEmptyElement) {
  for (const char* value : {",a", "a,", "a,,b", ","}) {
    const absl::Status status = ParseFlags({absl::StrCat("--files=", value)}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << value;
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("--files=", value, ": expected"))) << value;
  }
  EXPECT_THAT(std::string(ParseFlags({"--files=a,,b"}).status().message()), HasSubstr("at position 2 of 3"));
  ASSERT_TRUE(ParseFlags({"--files=a,b"}).ok());
  EXPECT_THAT(absl::GetFlag(FLAGS_files), ElementsAre("a", "b"));
  ASSERT_TRUE(ParseFlags({"--files="}).ok());
  EXPECT_THAT(absl::GetFlag(FLAGS_files), IsEmpty());
}

TEST(ParseFlagsTest, RefusesAFlagWithoutItsValue) {
  EXPECT_THAT(std::string(ParseFlags({"--steps"}).status().message()), HasSubstr("needs a value"));
}

TEST(ParseFlagsTest, ABooleanDoesNotEatTheNextArgument) {
  EXPECT_THAT(*ParseFlags({"--fast", "file"}), ElementsAre("file"));
}

TEST(FlagTextsTest, SkipsPositionalArguments) {
  std::map<std::string, std::string> texts = FlagTexts({"a.rec", "--steps=7", "-", "--name", "b", "--", "--steps=9"});
  EXPECT_EQ(texts["steps"], "7");
  EXPECT_EQ(texts["name"], "b");
}

TEST(InitMainTest, KeepsTheArgumentsThatAreNoFlags) {
  char name[] = "tool", first[] = "a.rec", flag[] = "--steps=2", second[] = "b,c.rec";
  char* argv[] = {name, first, flag, second};
  ToolInfo tool = {"tool", "", {}, {}};
  EXPECT_EXIT(ReadCommandLine(tool, 4, argv), ::testing::ExitedWithCode(2), "unexpected argument a.rec");
  tool.arguments = "records";
  ReadCommandLine(tool, 4, argv);
  EXPECT_THAT(PositionalArguments(), ElementsAre("a.rec", "b,c.rec"));
}

TEST(InitMainTest, ProtobufPrintsNothingNextToTheToolsError) {
  char name[] = "tool";
  char* argv[] = {name};
  InitMain({"tool", "", {}, {}}, 1, argv);
  ::testing::internal::CaptureStderr();
  proto::Header header;
  EXPECT_FALSE(header.ParseFromString("\x0A\x01\xFF"));  // field 1, a string of one byte that is not UTF-8
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace lockstep
