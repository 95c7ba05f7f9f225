#include "lib/published/published_tables.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/digest.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

const char kSmall[] =
    "source: 'x' table { name: 'T' value { quantity: SPEEDUP devices: 2 batch: 32 as_printed: '1.9' } }";

void ExpectBroken(const std::string& text, const std::string& says) {
  EXPECT_THAT(ParsePublishedTables(text, "a.textproto"),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("a.textproto"), HasSubstr(says))));
}

std::string WithValue(const std::string& value) {
  return absl::StrCat("source: 'x' table { name: 'T' value { ", value, " } }");
}

TEST(PublishedTablesTest, ReadsAFileWithItsDigest) {
  const std::string path = TempPath("t.textproto");
  WriteFile(path, kSmall);
  const auto file = ReadPublishedTables(path);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->tables.table(0).value(0).as_printed(), "1.9");
  EXPECT_EQ(file->input.sha256(), Sha256Hex(kSmall));
  EXPECT_EQ(file->input.path(), path);
}

TEST(PublishedTablesTest, EndingsMayBeInUpperCase) {
  const std::string path = TempPath("T.TEXTPROTO");
  WriteFile(path, kSmall);
  EXPECT_THAT(ReadPublishedTables(path), IsOk());
  const std::string csv = TempPath("T.CSV");  // a first line that only the ending tells from a textproto
  WriteFile(
      csv, "# source = x\ntable,quantity,devices,batch_per_device,value,unit,as_printed\nT,epoch_seconds,1,32,2,s,2\n");
  EXPECT_THAT(ReadPublishedTables(csv), IsOk());
}

TEST(PublishedTablesTest, AnyFormOfATableIsReadByItsContent) {
  const std::pair<const char*, const char*> kFiles[] = {
      {"t.md", "# source: x\n\n| batch | epoch time of 1 GPU (s) |\n|---|---|\n| 32 | 2.5 |\n"},
      {"t.TEX", "# source: x\nbatch & epoch time of 1 GPU (s) \\\\\n32 & 2.5 \\\\\n"},
      {"t.tsv", "# source: x\nbatch\tepoch time of 1 GPU (s)\n32\t2.5\n"},
      {"t.txt", "# source: x\nbatch,epoch time of 1 GPU (s)\n32,2.5\n"},
      {"t.csv", "# source: x\nbatch,epoch time of 1 GPU (s)\n32,2.5\n"},
  };
  for (const auto& [name, text] : kFiles) {
    const std::string path = TempPath(name);
    WriteFile(path, text);
    EXPECT_TRUE(IsPublishedTable(path)) << name;
    const auto file = ReadPublishedTables(path);
    ASSERT_THAT(file, IsOk()) << name;
    ASSERT_EQ(file->tables.table_size(), 1) << name;
    EXPECT_EQ(file->tables.table(0).value(0).as_printed(), "2.5") << name;
    EXPECT_EQ(file->tables.table(0).value(0).batch(), 32u) << name;
    EXPECT_EQ(file->lines.empty(), false) << name;
  }
}

TEST(PublishedTablesTest, ProseIsNoTable) {
  const std::string path = TempPath("README.md");
  WriteFile(path,
            "# Lab 4\nHow to run: call `make`. It takes 3 minutes.\n\n| file | what |\n|---|---|\n| a.rec | times |\n");
  EXPECT_TRUE(IsPublishedTable(path));
  const auto found = FindPublishedTables("Prose, of words.\n", path);
  ASSERT_THAT(found, IsOk());
  EXPECT_FALSE(found->has_value());
  EXPECT_THAT(ReadPublishedTables(path), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("README.md: no table in it")));
  EXPECT_FALSE(IsPublishedTable("lab4.pdf"));
  EXPECT_FALSE(FindPublishedTables("source: 'x'", "a.txt")->has_value());  // text format, but no table
  EXPECT_THAT(FindPublishedTables("source: 'x'", "a.textproto"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("contains no table")));
  EXPECT_THAT(FindPublishedTables("GPUs,loss\n1,2.5\n", "a.txt"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.txt:1: the source is not stated")));
  EXPECT_TRUE(FindPublishedTables(kSmall, "a.txt")->has_value());
}

TEST(PublishedTablesTest, AMissingFileIsNotFound) {
  EXPECT_THAT(ReadPublishedTables("/no/such.textproto"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such.textproto")));
}

TEST(PublishedTablesTest, AnErrorNamesLineAndColumn) {
  ExpectBroken("source: 'x'\ntable { nam: 'T' }\n", "a.textproto:2:12: ");
  ExpectBroken("source: 'x'\ntable { name: 'T'\n", "a.textproto:3:1: ");
  ExpectBroken("source: \n\n @", "a.textproto:3:2: ");
}

// Writes `text` to a file of this name, and reads it.
PublishedFile Read(const std::string& name, const std::string& text) {
  WriteFile(TempPath(name), text);
  const auto file = ReadPublishedTables(TempPath(name));
  EXPECT_THAT(file, IsOk());
  return *file;
}

TEST(PublishedTablesTest, TheLineOfEveryNumberIsKnown) {
  const PublishedFile message = Read("lines.textproto",
                                     "source: 'x'\ntable { name: 'T'\n  value { quantity: LOSS as_printed: '1' }\n\n"
                                     "  value {\n quantity: ACCURACY_PERCENT as_printed: '2' }\n}\n");
  EXPECT_EQ(message.lines, (NumberLines{{3, 5}}));
  const PublishedFile rows = Read("lines.csv",
                                  "# source = x\ntable,quantity,devices,batch_per_device,value,unit,as_printed\n"
                                  "A,speedup,2,32,1.9,1,\nB,speedup,2,32,1.8,1,\nA,speedup,4,32,-,1,\n"
                                  "A,speedup,4,64,3.6,1,\n");
  EXPECT_EQ(rows.lines, (NumberLines{{3, 6}, {4}}));
  const PublishedFile wide = Read("lines_wide.csv",
                                  "# source: x\nEpoch time (s)\nbatch,1 GPU,2 GPUs\n32,OOM,17.05\n64,23.5,12.6\n\n"
                                  "Speed-up\nbatch,2 GPUs\n64,1.87\n");
  EXPECT_EQ(wide.lines, (NumberLines{{4, 5, 5}, {9}}));
  EXPECT_EQ(LineOf(wide.lines, 1, 0), 9);
  EXPECT_EQ(LineOf(wide.lines, 1, 1), 0);
}

TEST(PublishedTablesTest, NamesAreNeededAndUnique) {
  ExpectBroken("table { name: 'T' }", "`source`");
  ExpectBroken("source: 'x'", "no table");
  ExpectBroken("source: 'x' table { }", "table name is missing");
  ExpectBroken("source: 'x' table { name: 'T' } table { name: 'T' }",
               "used twice: 'T'; give each table a name of its own");
}

TEST(PublishedTablesTest, AValueMustBeWhole) {
  ExpectBroken(WithValue("devices: 2 batch: 32 as_printed: '1'"), "table 'T', value 1 (1): its quantity");
  ExpectBroken(WithValue("quantity: SPEEDUP devices: 2 batch: 32 as_printed: '1.9x'"),
               "value 1 (1.9x): '1.9x' is not a plain");
  ExpectBroken(WithValue("quantity: SPEEDUP batch: 32 as_printed: '1.9'"), "devices and batch");
  ExpectBroken(WithValue("quantity: STEP_SECONDS devices: 2 as_printed: '1.9'"), "devices and batch");
}

TEST(PublishedTablesTest, ClaimsOfADocumentAreKnownValues) {
  const std::string table = " table { name: 'T' value { quantity: LOSS as_printed: '1' } }";
  ExpectBroken("source: 'x' claims { mode: 'Horovod' }" + table, "`claims`: unknown mode 'Horovod'; known: DDP, DP");
  ExpectBroken("source: 'x' facts { batch: 'global' }" + table, "`facts`: unknown batch 'global'; known: per_device, ");
  ExpectBroken("source: 'x' claims { peak_bytes_per_second: -1 }" + table, "peak_bytes_per_second -1 is not above 0");
}

TEST(PublishedTablesTest, OnlyATimeIsInMinutes) {
  const std::string place = "devices: 2 batch: 32 as_printed: '1.9'";
  EXPECT_THAT(ParsePublishedTables(WithValue("quantity: EPOCH_SECONDS unit_seconds: 60 " + place), "a"), IsOk());
  ExpectBroken(WithValue("quantity: SPEEDUP unit_seconds: 60 " + place), "`unit_seconds` is 60 (minutes) or 3600");
  ExpectBroken(WithValue("quantity: EPOCH_SECONDS unit_seconds: 1 " + place), "`unit_seconds` is 60 (minutes) or 3600");
}

TEST(PublishedTablesTest, AnAccuracyNeedsNoDevices) {
  EXPECT_THAT(ParsePublishedTables(WithValue("quantity: ACCURACY_PERCENT as_printed: '54.1'"), "a"), IsOk());
}

TEST(PublishedTablesTest, TwoValuesOfOneNameWantAContext) {
  const std::string value = "quantity: ACCURACY_PERCENT as_printed: '54.1'";
  ExpectBroken(WithValue(value + " } value { " + value), "value 2 (54.1): a second value");
  EXPECT_THAT(ParsePublishedTables(WithValue(value + " } value { context: 'int8' " + value), "a"), IsOk());
}

}  // namespace
}  // namespace lockstep
