#include "lib/page/html_tables.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Adds a table of one column.
proto::Table& AddTable(const std::string& id, int rows, proto::Section& section) {
  proto::Table& table = *section.add_table();
  table.set_id(id);
  table.add_column("batch");
  for (int i = 0; i < rows; ++i) {
    table.add_row()->add_cell()->set_text(absl::StrCat(i));
  }
  return table;
}

std::string Html(const proto::Section& section, const proto::Summary& summary = proto::Summary()) {
  NotesOnce notes;
  std::string out;
  AppendTables(section, summary, notes, out);
  return out;
}

proto::Summary Runs(int count) {
  proto::Summary summary;
  for (int i = 0; i < count; ++i) {
    proto::LabRun& run = *summary.add_run();
    run.set_letter(absl::StrCat("R", i));
    run.set_what("<scaling>");
  }
  return summary;
}

// The second table is higher than the first, so that the third is below the first.
TEST(HtmlTablesTest, NarrowTablesAreInTwoColumnsOfAboutTheSameHeight) {
  proto::Section section;
  AddTable("a", 2, section);
  AddTable("b", 9, section);
  AddTable("c", 3, section);
  const std::string html = Html(section);
  const size_t second = html.find("<div class=\"stack\">", html.find("<div class=\"stack\">") + 1);
  ASSERT_NE(second, std::string::npos);
  EXPECT_LT(html.find("id=\"a\""), second);
  EXPECT_LT(html.find("id=\"c\""), second);
  EXPECT_GT(html.find("id=\"b\""), second);
}

TEST(HtmlTablesTest, AWideTableHasTheWidthOfThePage) {
  proto::Section section;
  proto::Table& table = AddTable("a", 1, section);
  table.set_column(0, std::string(70, 'x'));
  EXPECT_THAT(Html(section), AllOf(HasSubstr("class=\"box table whole\""), Not(HasSubstr("stack"))));
}

TEST(HtmlTablesTest, TablesOfDetailsAreClosed) {
  proto::Section section;
  section.set_role(proto::DETAIL);
  AddTable("a", 1, section);
  EXPECT_THAT(Html(section), AllOf(HasSubstr("<details"), Not(HasSubstr("<div class=\"tables\">"))));
}

TEST(HtmlTablesTest, RunsAreAListWithTheirLetters) {
  proto::Section section;
  AddTable(kListOfRuns, 1, section);
  EXPECT_THAT(Html(section), HasSubstr("<table"));
  EXPECT_THAT(Html(section, Runs(12)),
              AllOf(HasSubstr("id=\"list-of-runs\""), Not(HasSubstr("<table")),
                    HasSubstr("<b class=\"letter\">R11</b><span>&lt;scaling&gt;"), Not(HasSubstr("<details"))));
  EXPECT_THAT(Html(section, Runs(14)), HasSubstr("<summary>2 more runs</summary>"));
}

TEST(HtmlTablesTest, WithoutTablesThereIsNothing) { EXPECT_EQ(Html(proto::Section()), ""); }

}  // namespace
}  // namespace lockstep
