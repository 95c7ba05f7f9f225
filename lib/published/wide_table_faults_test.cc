// Errors of wide tables, and their limits.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_check.h"
#include "lib/published/published_csv.h"
#include "lib/published/wide_table_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ExpectPrintedFault;
using ::lockstep::testing::ReadPrinted;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(WideTableFaultsTest, WhatIsNotStatedIsNamedWithItsRemedy) {
  ExpectPrintedFault("batch,1 GPU\n32,10.5\n", ":3: ",
                     "the quantity is not stated; write it into the name of the column or row, or "
                     "add `# quantity: epoch time`");
  ExpectPrintedFault("# batch: 1\nGPUs,Time\n1,120 min\n",
                     ":4: ", "a column of times is 'epoch time (s)', 'run time (s)' or 'iteration time (s)'");
  ExpectPrintedFault("# batch: 1\nGPUs,efficiency\n2,0.940\n",
                     ":4: ", "such as '(fraction)', or add `# unit: fraction`");
  ExpectPrintedFault("# batch: 1\nGPUs,efficiency\n2,94.0\n", ":4: ", "such as '(%)', or add `# unit: %`");
  ExpectPrintedFault("# batch: 1\nGPUs,epoch time\n1,10.5\n", ":4: ",
                     "the unit of epoch_seconds is not stated; write it into the "
                     "name, such as '(s)', or add `# unit: s`");
  ExpectPrintedFault("GPUs,epoch time (s)\n1,10.5\n", ":3: ",
                     "the batch is not stated; write 'batch 128' as the name of the row or "
                     "column, or add `# batch: 128`");
  ExpectPrintedFault("batch,epoch time (s)\n1,10.5\n", ":3: ", "add `# devices: 1`");
  ExpectPrintedFault("Epoch time (s)\n,1 GPU\n32,10.5\n", ":4: ", "add `# rows: devices` or `# rows: batch`");
  ExpectPrintedFault("Epoch time (s)\nGPUs,32,64\n1,10.5,9.1\n",
                     ":3: ", "add `# columns: devices` or `# columns: batch`");
  EXPECT_THAT(ParsePublishedCsv("batch,loss\n32,10.5\n", "a.csv").status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.csv:1: the source is not stated; add `# source: ")));
}

TEST(WideTableFaultsTest, AllErrorsAreListedWithTheirLines) {
  const auto read = ParsePublishedCsv(
      "# unit: parsec\nEpoch time\nbatch,1 GPU,ours\n32,10.5s,3\n64,fast,4\n128,12,5\n256,1:75,1\n", "a.csv");
  const std::string message(read.status().message());
  EXPECT_THAT(read.status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.csv: 6 errors: line 1: ")));
  for (const char* part :
       {"line 1: expected a unit", "line 1: the source is not stated", "line 3: 'ours': column 3: expected a name",
        "line 5: 'fast': column 2: expected a number", "line 6: the unit of epoch_seconds is not stated",
        "line 7: '1:75': column 2: expected a clock time"}) {
    EXPECT_THAT(message, HasSubstr(part));
  }
}

TEST(WideTableFaultsTest, AnErrorShowsFortyBytesOfTheFileInAll) {
  std::string rows = "# batch: 1\nGPUs,epoch time (s)\n50,1.5\n";  // the first number ends the header
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&rows, i, ",PRIVATE", i, "\n");
  }
  const auto read = ReadPrinted(rows);
  const std::string message(read.status().message());
  EXPECT_THAT(message, HasSubstr("a.csv: 39 errors: "));
  EXPECT_THAT(message, HasSubstr("; and 19 more"));
  EXPECT_THAT(message, AllOf(HasSubstr("PRIVATE4"), Not(HasSubstr("PRIVATE6"))));
}

TEST(WideTableFaultsTest, NamesThatContradictAreRefused) {
  ExpectPrintedFault("# batch: 1\nGPUs,4 GPUs speed-up\n2,1.5\n",
                     ":4: ", "the names of row and column contradict each other");
  ExpectPrintedFault("# devices: 1\n,32\n64,1.5\n",
                     ": 2 errors: line 3: ", "the columns are numbers of devices or of batches");
  ExpectPrintedFault("# batch: 1\n1,2,3\n4,5,6.5\n", ":3: ", "the first row has numbers and no names");
  ExpectPrintedFault("# batch: 1\nGPUs,loss,loss\n1,0.5,0.6\n",
                     ":4: ", "a second loss of 1 devices, batch 1 in one table");
}

TEST(WideTableFaultsTest, LimitsAreThoseOfPublishedTables) {
  std::string text;
  for (int i = 0; i <= kMaxPublishedTables; ++i) {
    absl::StrAppend(&text, "GPUs,loss\n1,0.5\n\n");
  }
  ExpectPrintedFault(text, ":", "expected at most 500 tables, found 501");
  text = "# devices: 1\nbatch,loss\n";
  for (int i = 0; i <= kMaxPublishedNumbers; ++i) {
    absl::StrAppend(&text, i + 1, ",0.5\n");
  }
  ExpectPrintedFault(text, ":", "expected at most 10000 numbers, found 10001");
  text = "# devices: 1\nbatch,loss\n1,5\n";
  for (int i = 0; i < 200; ++i) {
    absl::StrAppend(&text, i + 2, std::string(999, ','), "1\n");
  }
  ExpectPrintedFault(text, ":", "a file at most 100000 cells");
}

}  // namespace
}  // namespace lockstep
