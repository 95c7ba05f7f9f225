#include "lib/export/prometheus.h"

#include <filesystem>
#include <set>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PrometheusTest, ASmallLabIsAsWritten) {
  LabRecords lab = testing::SmallLab();
  lab.sweeps[0].trailer.set_end_time("1970-01-01T00:01:40Z");
  EXPECT_EQ(PrometheusText(GaugesOf(lab)), testing::ReadFile("lib/export/small_lab.prom"));
}

// Prometheus rejects a file in which a name has the same labels twice.
TEST(PrometheusTest, PointsOfOneNameAreNumbered) {
  LabRecords lab;
  lab.sweeps = {testing::SmallSweep(), testing::SmallSweep()};
  lab.scales = {testing::SmallScale(), testing::SmallScale()};
  const std::string text = PrometheusText(GaugesOf(lab));
  std::set<std::string> seen;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const std::string series(line.substr(0, line.rfind(' ')));
    EXPECT_TRUE(line[0] == '#' || seen.insert(series).second) << line;
  }
  EXPECT_THAT(text, HasSubstr(",number=\"2\"} "));
}

TEST(PrometheusTest, RowsOfAnExperimentHaveTheirNameAndSeed) {
  LabRecords lab;
  LabScale& scale = lab.scales.emplace_back();
  scale.input.set_path("large.rec");
  proto::ScalePoint& point = scale.points.emplace_back();
  point.set_row("8192, \"all\"");
  point.mutable_training()->set_seed(3);
  EXPECT_THAT(PrometheusText(GaugesOf(lab)), HasSubstr("row=\"8192, \\\"all\\\"\",seed=\"3\"} 0\n"));
}

TEST(PrometheusTest, CommunicationAndMemoryAreThoseOfAllRanks) {
  LabRecords lab;
  proto::ScalePoint& point = lab.scales.emplace_back().points.emplace_back();
  point.mutable_exposed_seconds()->add_value(0.25);
  point.mutable_exposed_seconds()->add_value(0.5);
  point.mutable_collective_busy_seconds()->add_value(2);
  point.add_rank()->set_peak_memory_bytes(1000);
  point.add_rank()->set_peak_memory_bytes(3000);
  const std::string text = PrometheusText(GaugesOf(lab));
  EXPECT_THAT(text, ContainsRegex("\nlockstep_exposed_communication_seconds[{].*[}] 0.375\n"));
  EXPECT_THAT(text, ContainsRegex("\nlockstep_communication_busy_seconds[{].*[}] 2\n"));
  EXPECT_THAT(text, ContainsRegex("\nlockstep_peak_memory_bytes[{].*[}] 3000\n"));
}

TEST(PrometheusTest, JoulesAreThoseOfAllDevices) {
  LabRecords lab;
  proto::SweepPoint& single = lab.sweeps.emplace_back().points.emplace_back();
  single.set_images_per_epoch(50000);
  single.mutable_epoch_joules()->set_value(500);
  LabScale& scale = lab.scales.emplace_back();
  scale.spec.mutable_training()->set_device(proto::CUDA);
  proto::ScalePoint& point = scale.points.emplace_back();
  point.set_images_per_epoch(50000);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    proto::RankFacts& facts = *point.add_rank();
    facts.set_rank(rank);
    facts.mutable_epoch_joules()->set_value(375);
  }
  const std::string text = PrometheusText(GaugesOf(lab));
  EXPECT_THAT(text, HasSubstr("# TYPE lockstep_epoch_joules gauge\n"));
  EXPECT_THAT(text, ContainsRegex("\nlockstep_epoch_joules[{].*[}] 500\n"));
  EXPECT_THAT(text, ContainsRegex("\nlockstep_epoch_joules[{].*[}] 750\n"));
  EXPECT_THAT(text, ContainsRegex("\nlockstep_image_joules[{].*[}] 0.01\n"));
  EXPECT_THAT(text, ContainsRegex("\nlockstep_image_joules[{].*[}] 0.015\n"));
}

TEST(PrometheusTest, EnergyThatWasNotMeasuredHasNoSample) {
  LabRecords lab;
  lab.sweeps.emplace_back().points.emplace_back().mutable_epoch_joules()->set_absent_reason("no counter");
  EXPECT_THAT(PrometheusText(GaugesOf(lab)), Not(HasSubstr("joules")));
}

TEST(PrometheusTest, TheStageWritesOneFile) {
  const std::string records = testing::TempPath("records"), output = testing::TempPath("lab.prom");
  std::filesystem::create_directories(records);
  const std::vector<std::string> inputs = testing::WriteSmallLab(records);
  EXPECT_THAT(RunPrometheus(inputs, output, Force::kNo), IsOk());
  EXPECT_THAT(testing::ReadFile(output), HasSubstr("# TYPE lockstep_epoch_seconds gauge\n"));
  EXPECT_THAT(RunPrometheus({inputs[0]}, output, Force::kNo),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("has points")));
  EXPECT_THAT(testing::ReadFile(output), HasSubstr("lockstep_epoch_seconds"));  // the file is unchanged
}

}  // namespace
}  // namespace lockstep
