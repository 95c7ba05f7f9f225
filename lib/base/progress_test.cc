#include "lib/base/progress.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

TEST(ProgressLineTest, ShowsShareRateAndTimeLeft) {
  EXPECT_EQ(ProgressLine("batch 32", 250, 1000, "images", 5.0),
            "batch 32   25% 250/1000 images  50.0 images/s  15 s left");
}

TEST(ProgressLineTest, NothingDoneHasNoRate) {
  EXPECT_EQ(ProgressLine("batch 32", 0, 10, "images", 1.0), "batch 32    0% 0/10 images");
}

TEST(ProgressLineTest, NothingToDoIsAllDone) { EXPECT_EQ(ProgressLine("x", 0, 0, "steps", 1.0), "x  100% 0/0 steps"); }

TEST(ProgressTest, IsSilentInAFileForTheFirstTenSeconds) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress("x", 10, "steps", file);
    progress.Update(5);
  }
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

}  // namespace
}  // namespace lockstep
