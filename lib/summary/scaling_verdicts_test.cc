#include "lib/summary/scaling_verdicts.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

// A number that was measured several times, and one that was measured once.
AtBatch At(uint32_t batch, double mean, double low, double high) { return {batch, {mean, low, high, true}}; }
AtBatch Once(uint32_t batch, double value) { return {batch, {value, value, value, false}}; }

template <typename Facts>
struct Case {
  const char* rule;
  Facts facts;
  const char* text;
};

template <typename Facts, typename Verdict>
void ExpectVerdicts(const std::vector<Case<Facts>>& cases, Verdict (*judge)(const Facts&)) {
  for (const Case<Facts>& one : cases) {
    const CardVerdict verdict = judge(one.facts);
    EXPECT_EQ(verdict.rule, one.rule) << verdict.text;
    EXPECT_EQ(verdict.text, one.text);
    EXPECT_EQ(verdict.text.rfind("Not decided", 0) == 0, verdict.state == proto::PARTLY) << verdict.text;
  }
}

// Each rule is followed by neighbours: inputs that differ a little and give another rule.
TEST(JudgeBatchesTest, EachRuleAndItsNeighbours) {
  ExpectVerdicts<BatchFacts>(
      {
          {"none", {}, "Not decided: no batch was timed."},
          {"one_batch", {{At(32, 4, 3.9, 4.1)}}, "Not decided: only batch 32 was timed."},
          {"not_repeated",
           {{At(32, 4, 3.9, 4.1), Once(128, 2)}},
           "Not decided: one timed epoch per batch shows no spread."},
          {"all_overlap",
           {{At(32, 2.1, 2.0, 2.2), At(128, 2, 1.9, 2.0)}},
           "Not decided: the times are too noisy to name a fastest batch; the epochs of all 2 batches overlap."},
          {"fastest_alone",
           {{At(32, 2.1, 2.01, 2.2), At(128, 2, 1.9, 2.0)}},
           "Batch 128 is the fastest of the 2 that were timed."},
          {"fastest_alone",
           {{At(32, 2.1, 2.01, 2.2), At(128, 2, 1.9, 2.0), Once(512, 1)}},
           "Batch 128 is the fastest of the 2 that were repeated."},
          {"some_overlap",
           {{At(32, 4, 3.9, 4.1), At(1024, 2.05, 2.0, 2.1), At(512, 2, 1.9, 2.0)}},
           "Not decided: the times are too noisy to name a fastest batch; the epochs of batches 512 and 1024 overlap."},
      },
      &JudgeBatches);
}

ScalingFacts Scaling(const std::vector<AtBatch>& efficiency) { return {2, false, false, efficiency}; }

TEST(JudgeScalingTest, EachRuleAndItsNeighbours) {
  ScalingFacts cpu = Scaling({At(32, 0.97, 0.96, 0.98)}), base = cpu;
  cpu.shared_cpu = true;
  base.unknown_base = true;
  ExpectVerdicts<ScalingFacts>(
      {
          {"shared_cpu", cpu, "Not decided: the 2 ranks share one CPU, which says nothing about 2 devices."},
          {"unknown_base", base, "Not decided: the time of one device may be from another machine."},
          {"not_repeated", Scaling({}), "Not decided: no speed-up was measured more than once."},
          {"not_repeated", Scaling({Once(32, 0.97)}), "Not decided: no speed-up was measured more than once."},
          {"above_ideal", Scaling({At(32, 1.1, 1.06, 1.2)}),
           "Not decided: a speed-up above 2 on 2 devices means that the time of one device is too long."},
          {"almost_ideal", Scaling({At(32, 1.1, 1.05, 1.2)}), "Almost ideally: 105 % or more of ideal at batch 32."},
          {"almost_ideal", Scaling({At(32, 0.98, 0.95, 1), At(512, 0.99, 0.97, 1)}),
           "Almost ideally: 95 % or more of ideal at every batch."},
          {"well", Scaling({At(32, 0.98, 0.949, 1), At(512, 0.99, 0.97, 1)}),
           "Well: 94 % or more of ideal at every batch."},
          {"well", Scaling({At(32, 0.81, 0.80, 0.82)}), "Well: 80 % or more of ideal at batch 32."},
          {"depends", Scaling({At(32, 0.6, 0.55, 0.65), At(512, 0.9, 0.85, 0.95)}),
           "It depends on the batch: 60 % of ideal at batch 32, 90 % at batch 512."},
          {"moderately", Scaling({At(32, 0.6, 0.55, 0.86), At(512, 0.9, 0.85, 0.95)}),
           "Moderately: 55 % or more of ideal at every batch."},
          {"moderately", Scaling({At(32, 0.6, 0.5, 0.65)}), "Moderately: 50 % or more of ideal at batch 32."},
          {"spread", Scaling({At(32, 0.6, 0.49, 0.65)}), "Not decided: single epochs reach 49 % to 65 % of ideal."},
          {"spread", Scaling({At(32, 0.45, 0.4, 0.5)}), "Not decided: single epochs reach 40 % to 50 % of ideal."},
          {"slower", Scaling({At(32, 0.45, 0.4, 0.499)}), "Not at all: 2 devices are slower than one at batch 32."},
      },
      &JudgeScaling);
  ScalingFacts four = {4, false, false, {At(32, 0.2, 0.15, 0.249)}};
  EXPECT_EQ(JudgeScaling(four).text, "Not at all: 4 devices are slower than one at batch 32.");
  four.efficiency[0].value.high = 0.25;
  EXPECT_EQ(JudgeScaling(four).text, "Poorly: at most 25 % of ideal at batch 32.");
  four.efficiency[0].value.high = 0.5;
  EXPECT_EQ(JudgeScaling(four).rule, "spread");
}

TEST(JudgeWaitingTest, EachRuleAndItsNeighbours) {
  ExpectVerdicts<WaitingFacts>(
      {
          {"not_measured", {}, "Not decided: the records lack the time in which computing waits."},
          {"not_by_subtraction",
           {{}, 2, {32}},
           "Not decided: not measurable by subtraction, because a step on 2 devices took less time than on one at "
           "batch 32, and not measured by events."},
          {"not_by_subtraction",
           {{}, 4, {32, 128}},
           "Not decided: not measurable by subtraction, because a step on 4 devices took less time than on one at "
           "batches 32 and 128, and not measured by events."},
          {"little", {{Once(32, 0.039)}, 2, {32}}, "Little: 3.9 % of one timed epoch waits for it."},
          {"little", {{At(32, 0.037, 0.035, 0.039)}, 2, {32}}, "Little: at most 4 % of an epoch waits for it."},
          {"impossible",
           {{Once(32, 1.01), Once(128, -0.01)}},
           "Not decided: the measured waiting is longer than the epoch."},
          {"below_zero",
           {{Once(32, 0.039), Once(128, -0.012)}},
           "Not decided: the waiting is not measurable (below 0 by 1.2 % of an epoch at batch 128)."},
          {"little", {{Once(32, 0.039), Once(512, 0.016)}}, "Little: 3.9 % of one timed epoch waits for it."},
          {"little", {{Once(32, 0)}}, "Little: 0.0 % of one timed epoch waits for it."},
          {"some", {{Once(32, 0.05)}}, "Some: up to 5 % of an epoch waits for it."},
          {"some", {{At(32, 0.04, 0.03, 0.051)}}, "Some: up to 6 % of an epoch waits for it."},
          {"much", {{Once(32, 0.2)}}, "Much: up to 20 % of an epoch waits for it."},
          {"spread", {{At(32, 0.21, 0.19, 0.24)}}, "Not decided: 19 % to 24 % of an epoch waits for it."},
          {"most", {{Once(32, 0.5)}}, "Most of it: at least 50 % of an epoch waits for it."},
          {"much", {{Once(32, 0.5), Once(512, 0.49)}}, "Much: up to 50 % of an epoch waits for it."},
      },
      &JudgeWaiting);
}

TEST(JudgeWaitingTest, OneRepeatedBatchMakesTheShareABound) {
  EXPECT_EQ(JudgeWaiting({{Once(32, 0.039), Once(128, 0.03)}}).epochs, TimedEpochs::kOne);
  const WaitingVerdict verdict = JudgeWaiting({{Once(32, 0.039), At(128, 0.03, 0.02, 0.031)}});
  EXPECT_EQ(verdict.epochs, TimedEpochs::kSeveral);
  EXPECT_EQ(verdict.text, "Little: at most 4 % of an epoch waits for it.");
  EXPECT_EQ(JudgeWaiting({{At(32, 0.25, 0.2, 0.3)}}).epochs, TimedEpochs::kSeveral);  // also without such a sentence
  EXPECT_EQ(WaitingShareText("4 %", TimedEpochs::kOne), "4 % of one timed epoch");
  EXPECT_EQ(WaitingShareText("4 %", TimedEpochs::kSeveral), "at most 4 % of an epoch");
}

}  // namespace
}  // namespace lockstep
