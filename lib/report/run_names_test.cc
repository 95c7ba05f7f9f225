#include "lib/report/run_names.h"

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/lab_records/small_experiments_testing.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/report/sweep_detail.h"

namespace lockstep {
namespace {

using ::lockstep::testing::SmallLab;

// Returns the caption after naming; the plot's title is the same text.
std::string Named(const LabRecords& lab, const std::string& caption) {
  std::vector<proto::Section> sections(1);
  sections[0].add_table()->set_caption(caption);
  sections[0].add_plot()->set_title(caption);
  NameRunsByLetter(lab, sections);
  EXPECT_EQ(sections[0].plot(0).title(), sections[0].table(0).caption());
  for (const auto* runs : {&sections[0].table(0).run(), &sections[0].plot(0).run()}) {
    EXPECT_EQ(runs->size(), sections[0].table(0).caption() == caption ? 0 : 1);
    EXPECT_TRUE(runs->empty() || absl::StrContains(sections[0].table(0).caption(), "run " + runs->Get(0)));
  }
  return sections[0].table(0).caption();
}

TEST(NameRunsByLetterTest, TitlesAtTheEndBecomeLetters) {
  const LabRecords lab = SmallLab();
  EXPECT_EQ(Named(lab, SweepTitle("Memory", lab.sweeps[0])), "Memory: run A");
  EXPECT_EQ(Named(lab, "Speed-up: " + ScalingViews(lab).front().Title()), "Speed-up: run B");
  EXPECT_EQ(Named(lab, "Images"), "Images");
}

TEST(NameRunsByLetterTest, ExperimentsHaveLettersToo) {
  LabRecords lab = SmallLab();
  lab.scales.push_back(testing::SmallSampler());
  const std::string title = ExperimentViews(lab, proto::SAMPLER_EPOCH).front().Title();
  EXPECT_EQ(Named(lab, "Orders: " + title), "Orders: run C");
}

}  // namespace
}  // namespace lockstep
