#include "lib/summary/experiment_verdicts.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

SeedDifference Difference(double mean, double p, size_t seeds = 3) {
  SeedDifference difference;
  difference.mean = mean;
  difference.adjusted_p = p;
  difference.seeds = seeds;
  return difference;
}

LargeBatchFacts Large() {
  LargeBatchFacts facts;
  facts.batch = 8192;
  facts.base_batch = 128;
  facts.loss = Difference(0.48, 0.001);
  facts.tried = 7;
  facts.remedy = "clipping";
  facts.gain = 0.2;
  return facts;
}

TEST(JudgeLargeBatchTest, EachRuleAndItsNeighbours) {
  LargeBatchFacts facts = Large();
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Clipping helps most of the 7 single remedies.");
  facts.equal_ones = {"LARS"};
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Clipping helps; LARS is not clearly worse.");
  facts.equal_ones = {"LARS", "warm-up", "LAMB"};
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Clipping helps; 3 other remedies are not clearly worse.");
  facts.gain = 0.0;
  EXPECT_EQ(JudgeLargeBatch(facts).rule, "harm");
  facts.gain.reset();
  EXPECT_EQ(JudgeLargeBatch(facts).text,
            "Not decided: clipping, first of 7 remedies on held-out images, shows no clear gain.");
  facts.remedy.clear();
  facts.no_remedy = "images were not held out";
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Not decided: the remedies were not compared on held-out images.");
  facts.held_out = true;
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Not decided: no single remedy is shown to help.");
  facts = Large();
  facts.tried = 1;
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Clipping helps; no other remedy was tried.");
}

TEST(JudgeLargeBatchTest, NoRepairWithoutALossThatTheSeedsShow) {
  LargeBatchFacts facts = Large();
  facts.loss = Difference(0.48, 0.049);
  EXPECT_EQ(JudgeLargeBatch(facts).rule, "one_helps");
  facts.loss = Difference(0.48, 0.051);
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Not decided: 3 seeds show no clear loss at batch 8192.");
  facts.loss = Difference(-0.48, 0.049);
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Nothing to repair: batch 8192 is more accurate than batch 128.");
  facts.loss = Difference(0.48, 1, 1);
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Not decided: one seed per row shows no spread.");
  facts.loss.reset();
  EXPECT_EQ(JudgeLargeBatch(facts).text, "Not decided: batch 8192 has no small batch to be compared with.");
}

TEST(JudgeLargeBatchTest, ABaseThatHasNotLearnedDecidesNothing) {
  LargeBatchFacts facts = Large();
  facts.loss = Difference(0.03, 0.2);
  facts.epochs = 5;
  EXPECT_EQ(JudgeLargeBatch(facts).rule, "loss_not_shown");
  facts.base_has_not_learned = true;
  EXPECT_EQ(JudgeLargeBatch(facts).text,
            "Not decided: batch 128 itself has not learned after 5 epochs; train for more epochs (--epochs=40).");
  facts.longer_epochs = 40;
  facts.longer_loss = Difference(0.2544, 0.001);
  EXPECT_EQ(JudgeLargeBatch(facts).text,
            "Not decided: batch 8192 loses 25.4 points after 40 epochs; after 5 batch 128 has not learned.");
  facts.base_has_not_learned = false;
  EXPECT_EQ(JudgeLargeBatch(facts).rule, "loss_not_shown");
}

TEST(JudgeSamplerTest, EachRuleAndItsNeighbours) {
  SamplerFacts facts = {5, 5, 1, 50000, 48440, 25000};
  EXPECT_EQ(JudgeSampler(facts).text, "Yes: without it, each rank sees the same half of the images in every epoch.");
  facts.seen_without = 12500;
  EXPECT_EQ(JudgeSampler(facts).text, "Yes: without it, each rank sees the same 25 % of the images in every epoch.");
  facts.seen_without = facts.seen_with;
  EXPECT_EQ(JudgeSampler(facts).text, "Yes: without it, every epoch has the same order.");
  facts.orders_without = 2;
  EXPECT_EQ(JudgeSampler(facts).text, "Not decided: 5 epochs have 2 orders without it and 5 with it.");
  facts.epochs = 1;
  EXPECT_EQ(JudgeSampler(facts).text, "Not decided: one epoch cannot repeat an order.");
}

TEST(JudgeSentTest, EachRuleAndItsNeighbours) {
  EXPECT_EQ(JudgeSent({0, 0, true}).rule, "no_gradients");
  EXPECT_EQ(JudgeSent({1e6, 0, false}).rule, "statistics_not_counted");
  EXPECT_EQ(JudgeSent({1e6, 0, true}).text, "Nothing: a step sends gradients only.");
  EXPECT_EQ(JudgeSent({44695848, 115360, true}).text,
            "Almost nothing: at least 99.7 % of a step's bytes are gradients.");
  EXPECT_EQ(JudgeSent({990, 10, true}).text, "Statistics of batch norm: up to 1.0 % of a step's bytes.");
  EXPECT_EQ(JudgeSent({991, 9, true}).rule, "almost_nothing");
}

TEST(JudgeGradientsOnlyTest, EachRuleAndItsNeighbours) {
  EXPECT_EQ(JudgeGradientsOnly({}).rule, "no_other_way");
  EXPECT_EQ(JudgeGradientsOnly({{{"a", Difference(0.1, 1, 1)}}}).rule, "one_seed");
  EXPECT_EQ(JudgeGradientsOnly({{{"a", Difference(0.1, 0.049)}, {"b", Difference(-0.1, 0.3)}}}).text,
            "No: they are less accurate than a.");
  EXPECT_EQ(JudgeGradientsOnly({{{"a", Difference(0.1, 0.051)}, {"b", Difference(-0.1, 0.3)}}}).text,
            "Not decided: 3 seeds show no clear difference.");
  EXPECT_EQ(JudgeGradientsOnly({{{"a", Difference(-0.1, 0.01)}, {"b", Difference(-0.1, 0.01)}}}).text,
            "Yes: every other way is less accurate.");
  EXPECT_EQ(JudgeGradientsOnly({{{"a", Difference(-0.1, 0.01)}, {"b", Difference(-0.1, 0.06)}}}).rule, "no_difference");
}

}  // namespace
}  // namespace lockstep
