#include "lib/published/published_csv.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/published/published_check.h"
#include "lib/published/published_tables.h"
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
using ::testing::Not;

constexpr char kColumns[] = "table,quantity,devices,batch_per_device,value,unit,as_printed\n";

std::string Small(const std::string& rows) { return absl::StrCat("# source = a test\n", kColumns, rows); }

void ExpectBroken(const std::string& text, const std::string& where, const std::string& says) {
  EXPECT_THAT(ParsePublishedCsv(text, "a.csv"),
              StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr(absl::StrCat("a.csv", where)), HasSubstr(says))));
}

TEST(PublishedCsvTest, ReadsParametersAndRows) {
  const auto tables = ParsePublishedCsv(
      "\xEF\xBB\xBF# A remark; 1 GB = 2^30 is said somewhere.\r\n"
      "# source = Table 2 of a paper = 1\r\n#parameter_count=1000\n\n# mode = DDP\n# bytes_per_gigabyte = 1e9\n"
      "# facts.batch = total\n# facts.source = one\n# facts.source = two\n"
      "as_printed,table,quantity,devices,batch_per_device,unit,value,context,base_devices,restated,loader_workers\n"
      "1.78,\"Table, 1\",speedup,4,32,,1.784106,\"say \"\"2 -> 4\"\"\",2,,3\n"
      ",T2,EPOCH_SECONDS, 1 ,32,s,23.55,,,1,\n",
      "a.csv");
  ASSERT_THAT(tables, IsOk());
  EXPECT_THAT(*tables, ::lockstep::testing::EqualsProto(R"pb(
    source: "Table 2 of a paper = 1"
    claims { parameter_count: 1000 mode: "DDP" bytes_per_gigabyte: 1e9 }
    facts { batch: "total" source: "one" source: "two" }
    table {
      name: "Table, 1"
      loader_workers: 3
      value { quantity: SPEEDUP devices: 4 batch: 32 as_printed: "1.78" context: 'say "2 -> 4"' base_devices: 2 }
    }
    table {
      name: "T2"
      value { quantity: EPOCH_SECONDS devices: 1 batch: 32 as_printed: "23.55" restated: true }
    })pb"));
}

TEST(PublishedCsvTest, ValueAndDigitsMayBeRoundedOrCutButNotContradict) {
  EXPECT_THAT(ParsePublishedCsv(Small("T,loss,,,1.2345,,1.23\nU,loss,,,1.239,,1.23\n"), "a.csv"), IsOk());
  ExpectBroken(Small("T,loss,,,1.2345,,1.24\n"), ":3: ", "value 1.2345 and as_printed 1.24 contradict each other");
  ExpectBroken(Small("T,loss,,,1.2,,1.23\n"), ":3: ", "contradict");
}

TEST(PublishedCsvTest, ErrorsNameTheLine) {
  ExpectBroken(Small("T,loss,,,1,,1\nT,speed,2,32,1,,1\n"), ":4: ", "unknown quantity 'speed'; known: epoch_seconds, ");
  ExpectBroken(Small("T,published_quantity_unspecified,2,32,1,,1\n"), ":3: ", "unknown quantity");
  ExpectBroken(Small("T,epoch_seconds,2,32,1,parsec,1\n"), ":3: ", "unknown unit 'parsec'; known: 1, %, GB");
  ExpectBroken(Small("T,epoch_seconds,2,32,1.5x,s,\n"), ":3: ", "'1.5x' is not a plain decimal number");
  ExpectBroken(Small("T,epoch_seconds,2,32,,s,\n"), ":3: ", "'' is not a plain decimal number");
  ExpectBroken(Small("T,epoch_seconds,two,32,1,s,\n"), ":3: ", "devices 'two' is not a whole number");
  ExpectBroken(Small("T,epoch_seconds,,32,1,s,\n"), ":3: ", "devices and batch are needed");
  ExpectBroken(Small("T,loss,,,1,\n"), ":3: ",
               "expected 7 fields, as many as columns; found 6; put a field that contains the separator in quotes");
  ExpectBroken(Small(",loss,,,1,,\n"), ":3: ", "the table's name is missing; give it in the column table");
  ExpectBroken(Small("\"T,loss\n"), ":3: ", "never closed; close it, or write the quote twice");
}

TEST(PublishedCsvTest, AUnitMustBeThatOfItsQuantity) {
  ExpectBroken(Small("T,epoch_seconds,2,32,1,ms,\n"),
               ":3: ", "unit ms contradicts epoch_seconds, which is in s; print seconds");
  ExpectBroken(Small("T,bandwidth_gigabytes_per_second,2,32,1,GiB/s,\n"), ":3: ", "bytes_per_gigabyte = 1073741824");
  ExpectBroken(Small("T,bandwidth_gigabytes_per_second,2,32,1,Gbit/s,\n"), ":3: ", "divide by 8");
  ExpectBroken(Small("T,speedup,2,32,1,%,\n"), ":3: ", "unit % contradicts speedup, which is in 1");
  EXPECT_THAT(
      ParsePublishedCsv(Small("T,speedup,2,32,1,1,\nT,utilization_percent,2,32,1,%,\nT,traffic_gigabytes,2,,1,GB,\n"
                              "T,bandwidth_gigabytes_per_second,2,32,1,GB/s,\n"),
                        "a.csv"),
      IsOk());
}

TEST(PublishedCsvTest, RatesNameWhatTheyCount) {
  const auto read =
      ParsePublishedCsv(Small("T,items_per_second,1,,100.5,images/s,\nT,items_per_second_per_device,1,,100.5,,\n"
                              "T,iteration_seconds,1,,0.5,s,\nT,speedup,1,,1.00,,\nT,efficiency_percent,1,,100,%,\n"
                              "U,items_per_second,1,32,7,tokens/s,\nV,items_per_second,1,,7,sequences/s,\n"),
                        "a.csv");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->table(0).value(0).quantity(), proto::ITEMS_PER_SECOND);
  EXPECT_EQ(read->table(0).value(4).quantity(), proto::EFFICIENCY_PERCENT);
  ExpectBroken(Small("T,items_per_second,1,,1,images/s,\nT,items_per_second,2,,1,tokens/s,\n"),
               ":4: ", "unit tokens/s contradicts the images/s of the same table above; give each a table");
  ExpectBroken(Small("T,items_per_second,1,,1,GB/s,\n"), ":3: ", "which is in images/s, samples/s, sequences/s");
  ExpectBroken(Small("T,speedup,1,,1,images/s,\n"), ":3: ", "unit images/s contradicts speedup, which is in 1");
  ExpectBroken(Small("T,efficiency_percent,1,,0.97,1,\n"), ":3: ", "write it in percent");
  ExpectBroken(Small("T,items_per_second,,32,1,images/s,\n"), ":3: ", "for this quantity the batch may be empty");
  ExpectBroken(Small("T,items_per_second,1,,\"1,000\",images/s,\n"), ":3: ", "is not a plain decimal number");
}

TEST(PublishedCsvTest, TheColumnsAreChecked) {
  ExpectBroken("# source = x\n", ":2: ", "expected the columns table,quantity,");
  ExpectBroken("table,quantity,devices,batch_per_device,value,as_printed\n", ":1: ", "column 'unit' is missing");
  ExpectBroken("table,quantity,devices,batch_per_device,value,as_printed\n",
               ":1: ", "; comm_model --audit_template=lab.csv writes a sheet to fill in");
  ExpectBroken("\n\ntable,quantity,batch\n", ":3: ", "unknown column 'batch'; known: table, ");
  ExpectBroken("table,table,quantity\n", ":1: ", "column 'table' appears twice; remove or rename one of them");
}

// The file may have been named by mistake, and the error may be shown to others.
TEST(PublishedCsvTest, AnErrorShowsLittleOfTheFile) {
  const std::string line = "root:*:19000:0:99999:7::: and much more that nobody but its owner should read";
  const absl::Status status = ParsePublishedCsv(absl::StrCat(line, "\n"), "x.csv").status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss,
                               HasSubstr("unknown column 'root:*:19000:0:99999:7::: and much more ...'")));
  EXPECT_THAT(
      std::string(ParsePublishedCsv(absl::StrCat("# ", std::string(1000, 'k'), " = 1\n"), "x.csv").status().message()),
      Not(HasSubstr(std::string(100, 'k'))));
  EXPECT_THAT(std::string(ParsePublishedCsv(Small(absl::StrCat("T,loss,,,", std::string(1000, '9'), "x,,\n")), "x.csv")
                              .status()
                              .message()),
              Not(HasSubstr(std::string(100, '9'))));
}

TEST(PublishedCsvTest, MoreThanTheLimitsIsRefused) {
  std::string rows;
  for (int i = 0; i <= kMaxPublishedTables; ++i) {
    absl::StrAppend(&rows, "T", i, ",loss,,,1,,1\n");
  }
  ExpectBroken(Small(rows), ":", "expected at most 500 tables, found 501");
  rows.clear();
  for (int i = 0; i <= kMaxPublishedNumbers; ++i) {
    absl::StrAppend(&rows, "T,loss,,", i + 1, ",1,,1\n");
  }
  ExpectBroken(Small(rows), ":", "expected at most 10000 numbers, found 10001");
}

TEST(PublishedCsvTest, TheParametersAreChecked) {
  ExpectBroken("# parameters = 5\n", ":1: ", "unknown key 'parameters'; known: source, description, scaling, ");
  ExpectBroken("# x\n# facts.mode = DP\n", ":2: ", "unknown key 'facts.mode'");
  ExpectBroken("# parameter_count = many\n", ":1: ", "parameter_count 'many' is not a whole number");
  ExpectBroken("# peak_bytes_per_second = fast\n", ":1: ", "is not a number");
  ExpectBroken(absl::StrCat(kColumns, "T,loss,,,1,,1\n"), ": ", "`source` is missing");
}

TEST(PublishedCsvTest, ClaimsOfADocumentAreKnownValues) {
  ExpectBroken("# x\n# batch = global\n", ":2: ", "unknown batch 'global'; known: per_device, total");
  ExpectBroken("# batch =\n", ":1: ", "unknown batch ''; known: per_device, total");
  ExpectBroken("# mode = Horovod\n", ":1: ", "unknown mode 'Horovod'; known: DDP, DP");
  ExpectBroken("# scaling = linear\n", ":1: ", "unknown scaling 'linear'; known: strong, weak");
  ExpectBroken("# facts.batch = per device\n", ":1: ", "unknown batch 'per device'; known: per_device, total");
  ExpectBroken("# bytes_per_gigabyte = 1024\n", ":1: ", "bytes_per_gigabyte 1024 is not one of 1e9, 1073741824 (2^30)");
  ExpectBroken("# images_per_epoch = 0\n", ":1: ", "images_per_epoch 0 is not above 0");
  ExpectBroken("# facts.peak_flops_per_second = -1e12\n", ":1: ", "peak_flops_per_second -1e+12 is not above 0");
}

TEST(PublishedCsvTest, AKeyIsThereOnce) {
  ExpectBroken("# batch = total\n\n# batch = total\n", ":3: ", "key 'batch' appears twice");
  ExpectBroken("# description = a\n# description = b\n", ":2: ", "key 'description' appears twice");
}

TEST(PublishedCsvTest, AnotherSpellingOfAKeyIsNoRemark) {
  ExpectBroken("# Batch = total\n", ":1: ", "unknown key 'Batch'; write batch");
  ExpectBroken("# Parameter count = 5\n", ":1: ", "unknown key 'Parameter count'; write parameter_count");
  ExpectBroken("# facts.peak-flops-per-second = 5\n", ":1: ", "write facts.peak_flops_per_second");
  ExpectBroken("# batch-size = 5\n", ":1: ", "unknown key 'batch-size'; known: source, ");
}

TEST(PublishedCsvTest, ATableHasOneNumberOfLoaders) {
  const std::string columns = absl::StrReplaceAll(kColumns, {{"\n", ",loader_workers\n"}});
  ExpectBroken("# source = x\n" + columns + "T,loss,,,1,,1,2\nT,loss,1,,1,,1,0\n",
               ":4: ", "loader_workers 0 contradicts the 2 of the same table above");
}

TEST(PublishedCsvTest, OtherEncodingsAreRefused) { ExpectBroken(Small("T\xE9,loss,,,1,,1\n"), ": ", "expected UTF-8"); }

// The same rows as spreadsheets save them.
TEST(PublishedCsvTest, FormsOfSpreadsheetsGiveTheSameTables) {
  const std::string rows =
      "T,epoch_seconds,1,128,120.53,s,120.53\nT,epoch_seconds,2,128,62.40,s,62.40\nT,speedup,2,128,1.93,1,1.93\n";
  const std::string plain =
      absl::StrCat("# source = Table 2 of a thesis\n# images_per_epoch = 50000\n", kColumns, rows);
  const auto expected = ParsePublishedCsv(plain, "a.csv");
  ASSERT_THAT(expected, IsOk());
  ASSERT_EQ(expected->table(0).value_size(), 3);
  std::string utf16 = "\xFF\xFE";
  for (const char c : plain) {
    utf16 += c;
    utf16 += '\0';
  }
  const std::string tabs = absl::StrReplaceAll(plain, {{",", "\t"}}),
                    semicolons = absl::StrReplaceAll(plain, {{",", ";"}});
  const std::string forms[] = {
      absl::StrReplaceAll(plain, {{"\n", "\r"}}),
      absl::StrReplaceAll(plain, {{"\n", "\r\n"}}),
      absl::StrCat("sep=,\n", plain),
      absl::StrReplaceAll(plain, {{"thesis\n", "thesis,,,,,,\n"}, {"50000\n", "50000,,,,,,\n"}}),
      absl::StrReplaceAll(plain, {{"# source = Table 2 of a thesis", "\"# source = Table 2 of a thesis\",,"}}),
      absl::StrCat(absl::StrReplaceAll(plain, {{"as_printed\n", "as_printed,,\n"}, {"1.93\n", "1.93,,\n"}}),
                   ",,,,,,,,\n"),
      absl::StrReplaceAll(plain, {{"table,quantity", "Table,Quantity"}, {"as_printed", "As_printed"}}),
      semicolons,
      absl::StrReplaceAll(semicolons, {{".", ","}}),
      tabs,
      absl::StrReplaceAll(tabs, {{".", ","}}),
      absl::StrCat("sep=;\n", semicolons),
      utf16,
      absl::StrCat(plain, "T,epoch_seconds,4,2048,OOM,s,OOM\nT,epoch_seconds,2,2048,,s,N/A\nT,loss,,,-,,\n"),
  };
  for (const std::string& form : forms) {
    const auto read = ParsePublishedCsv(form, "a.csv");
    ASSERT_THAT(read, IsOk()) << form;
    EXPECT_EQ(read->DebugString(), expected->DebugString()) << form;
    const auto found = FindPublishedCsv(form, "a.md");
    ASSERT_THAT(found, IsOk()) << form;
    ASSERT_TRUE(found->has_value()) << form;
    EXPECT_EQ((*found)->DebugString(), expected->DebugString()) << form;
  }
  ExpectBroken(Small("T,epoch_seconds,1,32,,s,\n"), ":3: ", "leave the row out if no number is printed");
  ExpectBroken("\xFF\xFE#", ": ", "save the file as UTF-8");
}

TEST(PublishedCsvTest, ATimeOfAClockIsAboveZero) {
  for (const char* quantity : {"epoch_seconds", "step_seconds", "iteration_seconds", "run_seconds"}) {
    for (const char* number : {"-7.0", "0", "0.00"}) {
      ExpectBroken(Small(absl::StrCat("T,", quantity, ",1,32,", number, ",s,", number, "\n")),
                   ":3: ", absl::StrCat("expected a time above 0, found ", number));
    }
  }
  // The difference of two times may have any sign.
  EXPECT_THAT(ParsePublishedCsv(Small("T,communication_seconds,1,32,-0.1,s,-0.1\n"), "a.csv"), IsOk());
}

TEST(PublishedCsvTest, AFileIsTakenForWhatItIs) {
  const std::string csv = Small("T,loss,,,1,,1\n");
  EXPECT_TRUE(FindPublishedCsv(csv, "a.md")->has_value());
  EXPECT_FALSE(FindPublishedCsv("# a, quantity\nsource: 'a,quantity'", "a.md")->has_value());
  EXPECT_FALSE(FindPublishedCsv("\xFF\xFE#", "a.md")->has_value());
  EXPECT_THAT(FindPublishedCsv("table,devices,unit\n1,2,3\n", "a.md"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("column 'quantity' is missing")));
  for (const char* name : {"a.csv", "no_suffix"}) {
    WriteFile(TempPath(name), csv);
    EXPECT_THAT(ReadPublishedTables(TempPath(name)), IsOk());
  }
  WriteFile(TempPath("b.csv"), "source: 'x'");
  EXPECT_THAT(ReadPublishedTables(TempPath("b.csv")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("unknown column")));
}

}  // namespace
}  // namespace lockstep
