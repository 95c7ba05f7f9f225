#include "lib/page/csv.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST(CsvTest, ALineForEachAnswerCellAndPoint) {
  proto::Section section;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        id: "scaling"
        claim { question: "Q1" asked: "How fast?" text: "Fast, \"very\"." }
        table {
          caption: "Times"
          column: [ "device", "s" ]
          column_group { columns: 1 }
          column_group { title: "batch 32" columns: 1 }
          row {
            cell { text: "=cmd()" }
            cell { text: "-1.5" provenance: MEASURED exact: "-1.5043" method: "clock" }
          }
          row {
            cell { text: "b" }
            cell { absent_reason: "no run" }
          }
        }
        plot {
          title: "P"
          y_label: "s"
          series { label: "l" provenance: DERIVED x: 2 y: 0.1 y_low: 0 y_high: 1 }
        })pb",
      &section));
  EXPECT_EQ(RenderCsv({section}),
            "kind,section,of,row,label,column,text,provenance,exact,method,note\r\n"
            "answer,scaling,Q1,,How fast?,,\"Fast, \"\"very\"\".\",,,,\r\n"
            "cell,scaling,Times,1,'=cmd(),device,'=cmd(),,,,\r\n"
            "cell,scaling,Times,1,'=cmd(),batch 32: s,-1.5,measured,-1.5043,clock,\r\n"
            "cell,scaling,Times,2,b,device,b,,,,\r\n"
            "cell,scaling,Times,2,b,batch 32: s,,,,,no run\r\n"
            "point,scaling,P,2,l,s,0.10000000000000001,derived,,,from 0 to 1\r\n");
}

// Returns a section with one table of one cell.
proto::Section Cell(const std::string& text, proto::Provenance provenance = proto::PROVENANCE_UNSPECIFIED) {
  proto::Section section;
  proto::Table& table = *section.add_table();
  table.add_column("c");
  proto::Cell& cell = *table.add_row()->add_cell();
  cell.set_text(text);
  cell.set_provenance(provenance);
  return section;
}

// LibreOffice and Excel skip spaces, and treat the full-width characters of CJK like the normal ones
// (lib/base/csv_cell.h).
TEST(CsvTest, csv_cells_that_a_spreadsheet_would_compute) {
  for (const char* formula : {"=1+1", " =1+1", "\xC2\xA0=1+1", "\xE3\x80\x80=1+1",
                              "\xEF\xBC\x9D"
                              "1+1",
                              " \xEF\xBC\x8B"
                              "a",
                              "\xEF\xBC\xA0"
                              "a",
                              "@SUM(A1)"}) {
    EXPECT_THAT(RenderCsv({Cell(formula)}), HasSubstr(absl::StrCat(",'", formula, ",c,'", formula, ","))) << formula;
  }
  for (const char* plain : {"a=b", "1 - 2", " a", "\xC2\xA0", "caf\xC3\xA9", "-1"}) {
    EXPECT_THAT(RenderCsv({Cell(plain)}), HasSubstr(absl::StrCat(",", plain, ",c,", plain, ","))) << plain;
  }
}

// A text that its record declares to be a number is trusted only if it is one.
TEST(CsvTest, csv_numbers_that_are_formulas) {
  EXPECT_THAT(RenderCsv({Cell("-1.5", proto::MEASURED)}), HasSubstr(",c,-1.5,measured"));
  EXPECT_THAT(RenderCsv({Cell("=cmd()", proto::MEASURED)}), HasSubstr(",c,'=cmd(),measured"));
  EXPECT_THAT(RenderCsv({Cell("-1+cmd|x!A1", proto::MEASURED)}), HasSubstr(",c,'-1+cmd|x!A1,measured"));
}

// A label is in each line of its row, and a caption in each line of its table.
TEST(CsvTest, csv_one_text_of_200_KB) {
  proto::Section section = Cell(std::string(200'000, 'x'));
  proto::Table& table = *section.mutable_table(0);
  table.set_caption(std::string(200'000, 'y'));
  for (int i = 0; i < 500; ++i) {
    table.add_column("c");
    table.mutable_row(0)->add_cell()->set_text("1");
  }
  const std::string csv = RenderCsv({section});
  EXPECT_THAT(csv, HasSubstr(std::string(32'000, 'x')));
  EXPECT_LT(csv.size(), 33'000 + 502 * 2'200);
}

TEST(CsvTest, ItsOwnFilesAreKnown) {
  EXPECT_TRUE(IsReportCsv(RenderCsv({})));
  EXPECT_TRUE(IsReportCsv("kind,section,of,row,label,column,text,provenance,exact,method,note\n"));
  EXPECT_FALSE(IsReportCsv("kind,section\n"));
}

}  // namespace
}  // namespace lockstep
