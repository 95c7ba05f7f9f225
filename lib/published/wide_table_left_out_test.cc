// Columns and rows of wide tables whose names are not understood.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_csv.h"
#include "lib/published/wide_table_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ExpectPrintedFault;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::PrintedNumbers;
using ::lockstep::testing::ReadPrinted;

// Returns the names that the first table leaves out as "Comm Overhead 9; Init 2".
std::string LeftOut(const std::string& text) {
  const auto tables = ReadPrinted(text);
  EXPECT_THAT(tables, IsOk()) << text;
  std::vector<std::string> names;
  if (tables.ok()) {
    for (const proto::LeftOutName& name : tables->table(0).left_out()) {
      names.push_back(absl::StrCat(name.name(), " ", name.numbers()));
    }
  }
  return absl::StrJoin(names, "; ");
}

TEST(WideTableLeftOutTest, AColumnThatIsNotUnderstoodIsLeftOut) {
  const std::string text =
      "| GPUs | Strategy | img/s | Comm Overhead | Efficiency | Boot (s) |\n|---|---|---|---|---|---|\n"
      "| 1 | DDP | 1,150 | 0.0% | 100.0% | - |\n| 2 | DDP | 2,250 | 3.2% | 97.8% | 7 |\n";
  EXPECT_EQ(PrintedNumbers(text),
            "ITEMS_PER_SECOND N=1 B=0 1150; EFFICIENCY_PERCENT N=1 B=0 100.0; ITEMS_PER_SECOND N=2 B=0 2250; "
            "EFFICIENCY_PERCENT N=2 B=0 97.8");
  EXPECT_EQ(LeftOut(text), "Comm Overhead 2; Boot (s) 1");
  // A name of several rows is whole; the number of "top 5" is no number of devices.
  EXPECT_EQ(LeftOut("# batch: 32\n,Top 5,,loss\nGPUs,zeta,eta,\n1,12,13,0.5\n2,14,-,0.4\n"),
            "Top 5 zeta 2; Top 5 eta 1");
}

TEST(WideTableLeftOutTest, ARowThatIsNotUnderstoodIsLeftOut) {
  const std::string text =
      "# batch: 32\nMetric,1 GPU,4 GPUs\nEpoch time (s),19.53,42.34\nFinal validation accuracy,88.6%,88.4%\n"
      "Zeta-50,7,-\nSpeedup,1.00x,0.46x\n";
  EXPECT_EQ(PrintedNumbers(text),
            "EPOCH_SECONDS N=1 B=32 19.53; EPOCH_SECONDS N=4 B=32 42.34; SPEEDUP N=1 B=32 1.00; SPEEDUP N=4 B=32 0.46");
  EXPECT_EQ(LeftOut(text), "Final validation accuracy 2; Zeta-50 1");
  EXPECT_EQ(LeftOut("GPUs,loss\n1,0.5\nbaseline,0.75\n"), "baseline 1");
}

TEST(WideTableLeftOutTest, AnUnknownNameStaysAnErrorIfItMayMatter) {
  ExpectPrintedFault("# batch: 32\nGPUs,Epcoh time (s),loss\n1,9.5,0.5\n", ":3", "did you mean 'epoch'?");
  ExpectPrintedFault("# batch: 32\nGPUs,1,2\nEpoch time (s),9.5,5.0\nSpedup,1,1.9\n", ": 2 errors: line 5",
                     "did you mean 'speedup'?");
  ExpectPrintedFault("# batch: 32\nGPUs,zeta\n1,9.5\n", ":3", "'zeta': column 2: expected a name");  // no other column
  ExpectPrintedFault("Epoch time (s)\nbatch,1 GPU\nzeta,9.5\n", ": 2 errors: line 4",
                     "'zeta': expected a name of a row");
  ExpectPrintedFault("GPUs,loss\n1,0.5\nzeta,-\n2,0.4\n", ":4",
                     "'zeta': expected a name of a row");  // may be a heading
  ExpectPrintedFault("GPUs,loss,loss accuracy zeta\n1,0.5,3\n", ":2", "column 3: expected a name");
  ExpectPrintedFault("GPUs,loss,0 GPUs zeta\n1,0.5,3\n", ":2", "column 3: expected a name");
  ExpectPrintedFault("GPUs,zeta,loss\n1,0.5,\n2,7,-\n", ":2", "column 2: expected a name");  // no other numbers
}

TEST(WideTableLeftOutTest, AFileLeavesOutAHundredNamesAtMost) {
  std::string text;
  for (int i = 0; i <= 100; ++i) {
    absl::StrAppend(&text, "# table: T", i, "\nGPUs,loss,zeta\n1,0.5,7\n\n");
  }
  ExpectPrintedFault(text, ":", "'zeta': column 3: expected a name");
}

}  // namespace
}  // namespace lockstep
