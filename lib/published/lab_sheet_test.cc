#include "lib/published/lab_sheet.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_csv.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Writes the numbers 1.5, 2.5, ... into the empty cells, and a source.
std::string Filled() {
  std::string filled;
  int next = 1;
  for (const absl::string_view line :
       absl::StrSplit(absl::StrReplaceAll(EmptyLabSheet(), {{"# source:", "# source: a lab"}}), '\n')) {
    const bool is_row = !line.empty() && absl::ascii_isdigit(static_cast<unsigned char>(line[0]));
    for (const char c : line) {
      filled += c;
      if (is_row && c == ',') {
        absl::StrAppend(&filled, next++, ".5");
      }
    }
    filled += '\n';
  }
  return filled;
}

TEST(LabSheetTest, AFilledSheetIsRead) {
  const auto read = ParsePublishedCsv(Filled(), "lab.csv");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->source(), "a lab");
  EXPECT_EQ(read->claims().images_per_epoch(), 50000u);
  EXPECT_EQ(read->claims().batch(), "per_device");
  ASSERT_EQ(read->table_size(), 3);
  EXPECT_EQ(read->table(0).name(), "Table 1");
  ASSERT_EQ(read->table(0).value_size(), 24);  // 18 times and 6 speed-ups
  const proto::PublishedValue& time = read->table(0).value(5);
  EXPECT_EQ(time.quantity(), proto::EPOCH_SECONDS);
  EXPECT_EQ(time.devices(), 4u);
  EXPECT_EQ(time.batch(), 128u);
  EXPECT_EQ(time.as_printed(), "6.5");
  const proto::PublishedValue& speedup = read->table(0).value(9);
  EXPECT_EQ(speedup.quantity(), proto::SPEEDUP);
  EXPECT_EQ(speedup.devices(), 2u);
  EXPECT_EQ(speedup.batch(), 32u);
  EXPECT_EQ(speedup.as_printed(), "10.5");
  const proto::PublishedValue& without_loading = read->table(0).value(15);
  EXPECT_EQ(without_loading.quantity(), proto::STEP_SECONDS);
  EXPECT_EQ(without_loading.devices(), 1u);
  EXPECT_EQ(without_loading.as_printed(), "16.5");
  ASSERT_EQ(read->table(1).value_size(), 6);
  EXPECT_EQ(read->table(1).value(0).quantity(), proto::COMMUNICATION_SECONDS);
  ASSERT_EQ(read->table(2).value_size(), 6);
  EXPECT_EQ(read->table(2).value(5).quantity(), proto::BANDWIDTH_GIGABYTES_PER_SECOND);
  EXPECT_EQ(read->table(2).value(5).batch(), 512u);
  EXPECT_EQ(read->table(2).value(5).as_printed(), "36.5");
}

TEST(LabSheetTest, ASheetWithOneNumberIsRead) {
  const std::string one =
      absl::StrReplaceAll(EmptyLabSheet(), {{"# source:", "# source: a lab"},
                                            {"1 GPU,2 GPUs,4 GPUs\n32,,,\n128,,,\n512,,,\n\n# quantity: speed-up",
                                             "1 GPU,2 GPUs,4 GPUs\n32,,7.5,\n128,,,\n512,,,\n\n# quantity: speed-up"}});
  const auto read = ParsePublishedCsv(one, "lab.csv");
  ASSERT_THAT(read, IsOk());
  ASSERT_EQ(read->table_size(), 1);
  ASSERT_EQ(read->table(0).value_size(), 1);
  EXPECT_EQ(read->table(0).value(0).devices(), 2u);
}

TEST(LabSheetTest, AnEmptySheetNamesWhatIsMissing) {
  EXPECT_THAT(ParsePublishedCsv(EmptyLabSheet(), "lab.csv").status(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("the source is not stated; add `# source: ")));
  EXPECT_THAT(
      ParsePublishedCsv(absl::StrReplaceAll(EmptyLabSheet(), {{"# source:", "# source: a lab"}}), "lab.csv").status(),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("no cell has a number")));
}

}  // namespace
}  // namespace lockstep
