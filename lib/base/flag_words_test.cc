#include "lib/base/flag_words.h"

#include "absl/flags/flag.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

ABSL_FLAG(std::string, device, "auto", "auto, cpu or cuda.");
FLAG_WORDS(device, "auto", "cpu", "cuda");
ABSL_FLAG(std::string, input, "", "A file.");

namespace lockstep {
namespace {

TEST(FlagWordsTest, AreThoseThatWereDeclared) {
  EXPECT_THAT(FlagWords("device"), ::testing::ElementsAre("auto", "cpu", "cuda"));
  EXPECT_THAT(FlagWords("input"), ::testing::IsEmpty());
  EXPECT_THAT(FlagWords("no_such_flag"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace lockstep
