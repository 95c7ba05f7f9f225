#include "lib/checks/check.h"

#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/checks/junit.h"
#include "lib/lab_records/small_records_testing.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::StatusIs;
using ::lockstep::testing::TempPath;
using ::lockstep::testing::WriteFile;
using ::lockstep::testing::WriteSmallLab;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Returns a hand-in in the form of a spreadsheet: 2 devices take 6 s, of which 5 s are computation.
std::string Csv(const std::string& communication) {
  return absl::StrCat(
      "# source = a test\n# images_per_epoch = 50000\n# batch = per_device\n"
      "table,quantity,devices,batch_per_device,value,unit,as_printed\n"
      "Q2,step_seconds,1,32,10.00,s,10.00\nQ2,step_seconds,2,32,6.00,s,6.00\n"
      "Table 2,compute_seconds,2,32,5.00,s,5.00\n"
      "Table 2,communication_seconds,2,32,",
      communication, ",s,", communication, "\n");
}

std::string CsvFile(const std::string& communication) {
  const std::string path = TempPath("hand_in.csv");
  WriteFile(path, Csv(communication));
  return path;
}

TEST(CheckTest, AnHonestTablePasses) {
  const std::string junit = TempPath("junit.xml");
  EXPECT_THAT(RunCheck({{CsvFile("1.00")}, junit}), IsOk());
  EXPECT_THAT(ReadFile(junit), AllOf(HasSubstr("failures=\"0\""), Not(HasSubstr("<failure"))));
}

TEST(CheckTest, TheNumbersThatWereReadAreCounted) {
  const auto checked = CheckFiles({CsvFile("1.00")});
  ASSERT_THAT(checked, IsOk());
  EXPECT_THAT(checked->tables_read, ElementsAre(EndsWith("hand_in.csv: Q2: 2 numbers; Table 2: 2 numbers")));
  const std::string chart = TempPath("chart.csv");
  WriteFile(chart, "Step,batch_8 - epoch_time,batch_8_2gpus - epoch_time\n1,9,5\n2,8,4\n3,,4\n");
  const auto of_chart = CheckFiles({chart});
  ASSERT_THAT(of_chart, IsOk());
  EXPECT_THAT(of_chart->tables_read, ElementsAre(EndsWith("chart.csv: epoch_time: 2 runs, 5 epochs")));
}

TEST(CheckTest, ATableThatWasFoundByItsContentIsNotReadAgain) {
  CheckOptions options;
  const std::string path = TempPath("hand_in.txt");
  WriteFile(path, Csv("3.00"));
  ASSERT_TRUE(options.tables.Find(path));
  options.inputs = {path};
  WriteFile(path, Csv("1.00"));  // an honest number
  EXPECT_THAT(RunCheck(options), StatusIs(absl::StatusCode::kAborted, HasSubstr("parts_do_not_sum")));
  EXPECT_THAT(RunCheck({{path}, ""}), IsOk());
}

TEST(CheckTest, ABrokenRuleIsAborted) {
  const std::string junit = TempPath("junit.xml");
  EXPECT_THAT(RunCheck({{CsvFile("3.00")}, junit}),
              StatusIs(absl::StatusCode::kAborted, AllOf(HasSubstr("parts_do_not_sum"), HasSubstr("--check:"))));
  EXPECT_THAT(ReadFile(junit),
              AllOf(HasSubstr("name=\"parts_do_not_sum\">\n    <failure message=\"The parts of a time"),
                    HasSubstr("computation 5.00 + communication 3.00 = 8")));
}

TEST(CheckTest, RecordsAndTablesTogether) {
  const std::string folder = TempPath("lab");
  mkdir(folder.c_str(), 0755);
  std::vector<std::string> inputs = WriteSmallLab(folder);
  inputs.push_back(CsvFile("3.00"));
  // The small lab has a negative communication time, and an epoch whose parts do not include the loader.
  EXPECT_THAT(RunCheck({inputs, ""}), StatusIs(absl::StatusCode::kAborted, AllOf(HasSubstr("negative_communication, "),
                                                                                 HasSubstr("parts_do_not_sum"))));
}

TEST(CheckTest, NoInputIsAUsageError) {
  EXPECT_THAT(RunCheck({{}, ""}), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--input is missing")));
}

TEST(CheckTest, ALineForEachFindingAndAnExplanationForEachFailedRule) {
  const std::vector<CheckFinding> findings = {{"noisy_machine", "records", "busy."},
                                              {"gib_as_gb", "a.csv, Table 3", "2.15 for 2.31."},
                                              {"gib_as_gb", "b.csv\n, Table 3", "1 for 1.07."}};
  EXPECT_EQ(CheckText(findings),
            "FAILED gib_as_gb: a.csv, Table 3: 2.15 for 2.31.\n"
            "FAILED gib_as_gb: b.csv; , Table 3: 1 for 1.07.\n"
            "remark noisy_machine: records: busy.\n"
            "gib_as_gb: A GB is 1e9 bytes; a GiB is 2^30 bytes, 7.4 % more.\n");
  EXPECT_THAT(FailedRules(findings), ElementsAre("gib_as_gb"));
  EXPECT_THAT(FailedRules({findings[0]}), IsEmpty());
}

TEST(CheckTest, XmlEscapesAndCounts) {
  const std::string xml = JunitXml(
      {{"gib_as_gb", "<a&b>.csv", "\"2\"\x01"}, {"one_run_only", "records", "one."}, {"shared_cpu", "records", "two."}},
      {/*records=*/true, /*tables=*/false});
  EXPECT_THAT(xml,
              AllOf(HasSubstr("failures=\"2\""), HasSubstr("&lt;a&amp;b&gt;.csv: &quot;2&quot;\\x01\n</failure>")));
  EXPECT_THAT(xml, AllOf(HasSubstr("<system-out>records: two.\n</system-out>"), HasSubstr("<skipped")));
  EXPECT_THAT(xml, Not(HasSubstr("\x01")));
}

TEST(CheckTest, ARuleHasOneNameAndAnExplanation) {
  for (const CheckRule& rule : CheckRules()) {
    EXPECT_EQ(FindCheckRule(rule.name), &rule);
    EXPECT_TRUE(rule.of_records || rule.of_tables) << rule.name;
    EXPECT_THAT(std::string(rule.explanation), Not(IsEmpty())) << rule.name;
  }
  EXPECT_EQ(FindCheckRule("no_such_rule"), nullptr);
}

}  // namespace
}  // namespace lockstep
