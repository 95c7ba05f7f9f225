#include "lib/comm_model/explain_number.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<PublishedFile> Files() {
  const std::string path = TempPath("explain_number.csv");
  WriteFile(path,
            "# source: x\nEpoch time (s)\nbatch,1 GPU,2 GPUs\n32,31.42,17.05\n64,23.55,12.61\n\n"
            "Speed-up\nbatch,2 GPUs\n32,1.84\n64,1.87\n");
  const auto file = ReadPublishedTables(path);
  EXPECT_THAT(file, IsOk());
  return {*file};
}

TEST(ExplainNumberTest, OneNumber) {
  const auto text = ExplainNumber(Files(), "SPEEDUP N=2 B=32");
  ASSERT_THAT(text, IsOk());
  EXPECT_THAT(*text, AllOf(HasSubstr("Derivation of 1.84: SPEEDUP N=2 B=32, Table 2, "),
                           HasSubstr("explain_number.csv:9"), HasSubstr("31.42/17.05")));
  const std::string name = TempPath("explain_number.csv");
  const auto at_line = ExplainNumber(Files(), name.substr(name.rfind('/') + 1) + ":10");
  ASSERT_THAT(at_line, IsOk());
  EXPECT_THAT(*at_line, HasSubstr("Derivation of 1.87: "));
}

TEST(ExplainNumberTest, SeveralNumbersAndNoNumber) {
  EXPECT_THAT(ExplainNumber(Files(), "SPEEDUP"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("--explain=SPEEDUP: "), HasSubstr("found 2; add N=, B=, "),
                             HasSubstr("1.84: SPEEDUP N=2 B=32, Table 2, "), HasSubstr("1.87: SPEEDUP N=2 B=64"))));
  EXPECT_THAT(ExplainNumber(Files(), "SPEEDUP N=4"),
              StatusIs(absl::StatusCode::kInvalidArgument, AllOf(HasSubstr("found none"), HasSubstr("FILE:LINE"))));
}

}  // namespace
}  // namespace lockstep
