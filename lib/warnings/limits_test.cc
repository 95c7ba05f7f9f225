#include "lib/warnings/limits.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LimitSentencesTest, OneSentenceForEachRuleTheWorstFirst) {
  EXPECT_THAT(LimitSentences({{"synthetic_images", "Synthetic images (a.rec): times are real."},
                              {"noisy_machine", "A noisy machine: a.rec, batch 8."},
                              {"noisy_machine", "A noisy machine: a.rec, batch 16."},
                              {"noisy_machine", "A noisy machine: a.rec, batch 32."},
                              {"sum_check_failed", "Sum check failed: b.rec."},
                              {"sum_check_failed", "Sum check failed: c.rec."}}),
              ElementsAre("Sum check failed: b.rec (1 more warning of this kind).",
                          "A noisy machine: a.rec, batch 8 (2 more warnings of this kind).",
                          "Synthetic images (a.rec): times are real."));
}

TEST(LimitSentencesTest, TheFirstSentenceEndsBeforeACapitalLetter) {
  EXPECT_THAT(LimitSentences({{"one_run_only", "One epoch only, so no spread: a. b.rec. Measure with --repeats=5."}}),
              ElementsAre("One epoch only, so no spread: a. b.rec."));
}

TEST(LimitSentencesTest, WithoutWarningsThereIsNoSentence) { EXPECT_THAT(LimitSentences({}), IsEmpty()); }

}  // namespace
}  // namespace lockstep
