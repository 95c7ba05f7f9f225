#include "lib/quantize/run_parts.h"

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Calibration, two measurements, and an expensive part that some networks leave out.
RunParts FourParts() {
  RunParts parts;
  parts.Expect("calibration", 400);
  parts.Expect("fp32", 1000);
  parts.Expect("fine-tuning", 3000);
  parts.Expect("int8", 600);
  return parts;
}

TEST(RunPartsTest, TheTimeLeftIsThatOfAllLaterParts) {
  RunParts parts = FourParts();
  const ProgressPart first = parts.Begin("calibration", 0);
  EXPECT_EQ(first.label, "part 1 of 4: calibration");
  EXPECT_LT(first.later_seconds, 0);                   // unknown
  const ProgressPart second = parts.Begin("fp32", 4);  // 100 passes per second
  EXPECT_EQ(second.label, "part 2 of 4: fp32");
  EXPECT_DOUBLE_EQ(second.later_seconds, 36);
  const ProgressPart third = parts.Begin("fine-tuning", 14);
  EXPECT_DOUBLE_EQ(third.later_seconds, 6);
  EXPECT_DOUBLE_EQ(parts.Begin("int8", 44).later_seconds, 0);
}

TEST(RunPartsTest, ALeftOutPartIsNoWorkThatWasDone) {
  RunParts parts = FourParts();
  parts.Begin("calibration", 0);
  parts.Begin("fp32", 4);
  const ProgressPart last = parts.Begin("int8", 14);
  EXPECT_EQ(last.label, "part 4 of 4: int8");
  EXPECT_DOUBLE_EQ(last.later_seconds, 0);
}

TEST(RunPartsTest, AnUnexpectedPartHasNoPlace) {
  RunParts parts = FourParts();
  EXPECT_EQ(parts.Begin("study", 0).label, "study");
  EXPECT_LT(parts.Begin("study", 0).later_seconds, 0);
  EXPECT_EQ(RunParts().Begin("fp32", 0).label, "fp32");
  EXPECT_EQ(parts.Begin("calibration", 0).label, "part 1 of 4: calibration");
}

}  // namespace
}  // namespace lockstep
