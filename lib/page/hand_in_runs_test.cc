#include "lib/page/hand_in_runs.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

// Returns a summary with runs A, B, C, ... of the files run0.rec, run1.rec, run2.rec, ...
proto::Summary Runs(int count) {
  proto::Summary summary;
  for (int i = 0; i < count; ++i) {
    proto::LabRun& run = *summary.add_run();
    run.set_letter(std::string(1, static_cast<char>('A' + i)));
    run.set_tool("scale_run");
    run.set_network("ResNet-18");
    run.set_what(i == 0 ? "ResNet-18 on 1, 2 devices" : "what is sent");
    run.set_machine("2 x GPU");
    run.set_date("21 November 2026");
    run.set_file(absl::StrCat("run", i, ".rec"));
  }
  return summary;
}

// Returns the letters of the rows for these letters and `text`.
std::string Letters(const std::set<std::string>& named, const std::string& text, int count = 5) {
  std::string letters;
  const proto::Table table = NamedRunsTable(Runs(count), named, text, {});
  for (const proto::Row& row : table.row()) {
    letters += row.cell(0).text();
  }
  return letters;
}

TEST(NamedRunsTableTest, RunsAreNamedByLetter) {
  EXPECT_EQ(Letters({"C"}, ""), "C");
  EXPECT_EQ(Letters({"E", "A"}, ""), "AE");
  EXPECT_EQ(Letters({"Z"}, "A run of A; runs B and C"), "");  // letters in a text name no run
}

TEST(NamedRunsTableTest, RunsAreNamedByFile) {
  EXPECT_EQ(Letters({}, "resnet18 (run1.rec): 0.5; run3.rec, run4.rec."), "BDE");
  EXPECT_EQ(Letters({}, "my.run1.rec, a_run2.rec, run3.records"), "");
}

TEST(NamedRunsTableTest, RunsOfAToolAreNamedWithoutText) {
  proto::Summary summary = Runs(3);
  summary.mutable_run(2)->set_tool("quantize");
  const proto::Table table = NamedRunsTable(summary, {"A"}, "", {"quantize"});
  ASSERT_EQ(table.row_size(), 2);
  EXPECT_EQ(table.row(0).cell(0).text(), "A");
  EXPECT_EQ(table.row(1).cell(0).text(), "C");
}

TEST(NamedRunsTableTest, EachRowHasToolWorkMachineDateAndFile) {
  const proto::Table table = NamedRunsTable(Runs(2), {"A", "B"}, "", {});
  ASSERT_EQ(table.row_size(), 2);
  ASSERT_EQ(table.column_size(), 6);
  std::string texts;
  for (const proto::Row& row : table.row()) {
    ASSERT_EQ(row.cell_size(), table.column_size());
    for (const proto::Cell& cell : row.cell()) {
      absl::StrAppend(&texts, cell.text(), "|");
    }
  }
  EXPECT_EQ(texts,
            "A|scale_run|ResNet-18 on 1, 2 devices|2 x GPU|21 November 2026|run0.rec|"
            "B|scale_run|ResNet-18: what is sent|2 x GPU|21 November 2026|run1.rec|");
  EXPECT_TRUE(table.note().empty());
}

TEST(NamedRunsTableTest, EachLetterHasARowAndFilesHaveTheRest) {
  std::string files;
  std::set<std::string> letters;
  for (int i = 0; i < 12; ++i) {
    absl::StrAppend(&files, "run", i, ".rec ");
    letters.insert(std::string(1, static_cast<char>('A' + i)));
  }
  EXPECT_EQ(Letters({}, files, 12), "ABCDEFGH");
  EXPECT_EQ(NamedRunsTable(Runs(12), {}, files, {}).note(0), "4 more runs are in the full report.");
  EXPECT_EQ(Letters({"L"}, files, 12), "ABCDEFGL");
  EXPECT_EQ(Letters(letters, "", 12), "ABCDEFGHIJKL");
}

}  // namespace
}  // namespace lockstep
