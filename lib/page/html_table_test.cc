#include "lib/page/html_table.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Returns a table of two batches; batch 32 has two rows.
proto::Table SmallTable() {
  proto::Table table;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        caption: "Times"
        column: [ "batch", "devices", "time, s" ]
        row {
          cell { text: "32" }
          cell { text: "1" }
          cell { text: "2.0 [1.9, 2.1]" provenance: MEASURED }
        }
        row {
          cell { text: "32" }
          cell { text: "2" }
          cell { text: "1.0" provenance: MEASURED }
        }
        row {
          cell { text: "128" }
          cell { text: "1" }
          cell { absent_reason: "not run" }
        })pb",
      &table));
  return table;
}

std::string Html(const proto::Table& table, HtmlTable::Shown shown = HtmlTable::Shown::kOpen) {
  NotesOnce notes;
  std::string out;
  HtmlTable(table, "t").Append(shown, "", notes, out);
  return out;
}

TEST(HtmlTableTest, WithoutGroupsEachRowHasItsLabel) {
  const std::string html = Html(SmallTable());
  EXPECT_THAT(html, AllOf(HasSubstr("<tr><th scope=\"row\" class=\"number\">32</th><td class=\"number\">2</td>"),
                          Not(HasSubstr("rowgroup"))));
}

TEST(HtmlTableTest, AGroupIsLabelledOnce) {
  proto::Table table = SmallTable();
  table.set_grouped(true);
  const std::string html = Html(table);
  EXPECT_THAT(
      html,
      AllOf(
          HasSubstr(
              "<th scope=\"rowgroup\" rowspan=\"2\" class=\"number\">32</th><th scope=\"row\" class=\"number\">1</th>"),
          HasSubstr("<tr><th scope=\"row\" class=\"number\">2</th>"),
          HasSubstr("<th scope=\"rowgroup\" rowspan=\"1\" class=\"number\">128</th>")));
}

// The interval "1.9–2.1" has 7 characters; the number without one is followed by as much room.
TEST(HtmlTableTest, NumbersOfAColumnAreAligned) {
  EXPECT_THAT(Html(SmallTable()),
              AllOf(HasSubstr("class=\"box table sized\""), HasSubstr("2.0 <span class=\"spread\">1.9–2.1</span></td>"),
                    HasSubstr("1.0<span class=\"spread pad\">\u00a0</span></td>"),
                    HasSubstr("number has-spread measured\" style=\"--n:7\"")));
}

TEST(HtmlTableTest, TheHeadingOfAClosedTableOpensIt) {
  EXPECT_THAT(
      Html(SmallTable(), HtmlTable::Shown::kClosed),
      AllOf(HasSubstr("<details class=\"box table sized\""),
            HasSubstr("<summary><span role=\"heading\" aria-level=\"3\" id=\"t-heading\">Times</span></summary>")));
}

TEST(HtmlTableTest, ATableWithoutRowsIsOpen) {
  proto::Table table;
  table.set_absent_reason("no record");
  EXPECT_THAT(Html(table, HtmlTable::Shown::kClosed),
              AllOf(HasSubstr("Blank: no record."), Not(HasSubstr("<details"))));
}

}  // namespace
}  // namespace lockstep
