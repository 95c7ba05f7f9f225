#include "lib/report/csv.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

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

}  // namespace
}  // namespace lockstep
