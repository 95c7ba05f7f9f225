#include "lib/lab/lab_steps.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

LabRequest InFolder() {
  LabRequest request;
  request.output = "out";
  return request;
}

TEST(LabStepsTest, ACpuMeasuresItsSpeedFirst) {
  const std::vector<LabStep> steps = PreparationSteps(InFolder(), LabFacts());
  ASSERT_THAT(steps, SizeIs(3));
  EXPECT_THAT(steps[0].command, ElementsAre("cifar_prep", "--input_format=synthetic", "--train_images=2048",
                                            "--test_images=512", "--output=out/dataset.rec"));
  EXPECT_EQ(steps[2].record, ProbeRecord(InFolder()));
  EXPECT_FALSE(steps[2].is_shown);
}

TEST(LabStepsTest, GivenImagesOnAGpu) {
  LabRequest request = InFolder();
  request.input = "cifar.tar.gz";
  request.allow_partial = true;
  request.force = true;
  LabFacts facts;
  facts.gpus = 1;
  const std::vector<LabStep> steps = PreparationSteps(request, facts);
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_THAT(steps[0].command, ElementsAre("cifar_prep", "--input=cifar.tar.gz", "--allow_partial",
                                            "--output=out/dataset.rec", "--force"));
}

TEST(LabStepsTest, ARecordNeedsNoPreparation) {
  LabRequest request = InFolder();
  request.input = "mine.rec";
  LabFacts facts;
  const std::vector<LabStep> on_cpu = PreparationSteps(request, facts);
  ASSERT_THAT(on_cpu, SizeIs(2));
  EXPECT_EQ(on_cpu[0].record, "out/.few.rec");
  EXPECT_EQ(on_cpu[1].record, ProbeRecord(request));
  facts.gpus = 1;
  EXPECT_THAT(PreparationSteps(request, facts), IsEmpty());
}

TEST(LabStepsTest, PublishedTablesAreAuditedOnce) {
  LabFacts facts;
  facts.gpus = 2;
  facts.has_bf16 = true;
  facts.train_images = 50000;
  facts.test_images = 10000;
  facts.published = {"p/a.textproto", "p/b.textproto"};
  const std::vector<LabUnit> units = LabUnits(InFolder(), facts, {32, 128, 512});
  ASSERT_EQ(units[0].name, "fast");
  ASSERT_EQ(units[1].name, "fp32");
  EXPECT_THAT(units[0].variants[0].steps[2].command, Contains("--audit=p/a.textproto,p/b.textproto"));
  EXPECT_THAT(units[1].variants[0].steps[2].command, Not(Contains("--audit=p/a.textproto,p/b.textproto")));
}

TEST(LabStepsTest, ExtentsGrowInTime) {
  for (const uint32_t gpus : {0, 1, 2, 4, 8}) {
    LabFacts facts;
    facts.gpus = gpus;
    facts.has_bf16 = true;
    facts.train_images = 50000;
    facts.test_images = 10000;
    for (const LabUnit& unit : LabUnits(InFolder(), facts, {32, 128, 512})) {
      for (size_t i = 1; i < unit.variants.size(); ++i) {
        EXPECT_GT(SecondsOf(unit.variants[i].steps), SecondsOf(unit.variants[i - 1].steps)) << unit.name << " " << gpus;
      }
    }
  }
}

TEST(LabStepsTest, TheReportReadsTheRecordsInOrder) {
  LabRequest request = InFolder();
  request.report_flags = {"--style=lab"};
  EXPECT_THAT(ReportStep(request, {"out/a.rec", "out/b.rec"}).command,
              ElementsAre("report", "--output=out/report.html", "--input=out/a.rec,out/b.rec", "--style=lab"));
}

}  // namespace
}  // namespace lockstep
