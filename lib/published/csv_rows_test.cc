#include "lib/published/csv_rows.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kColumns[] = "table,quantity,devices,batch_per_device,value,unit,as_printed\n";

TEST(CsvRowsTest, TwoColumnsWithAQuantityOrThreeOthersAreEnough) {
  EXPECT_TRUE(NamesCsvColumns("quantity;devices"));
  EXPECT_TRUE(NamesCsvColumns("Table,Devices,Value\r"));
  EXPECT_FALSE(NamesCsvColumns("devices,unit"));
  EXPECT_FALSE(NamesCsvColumns("batch,1 GPU,2 GPUs"));
  EXPECT_THAT(LowerFields("A;b\r"), ElementsAre("a", "b"));
}

TEST(CsvRowsTest, RowsAreAddedWithTheirLines) {
  proto::PublishedTables statements;
  statements.set_source("a thesis");
  NumberLines lines;
  const auto tables = ReadCsvRows(std::string(kColumns) + "T,epoch_seconds,1,32,23.5,s,\n\nT,speedup,2,32,,,1.46\n",
                                  "a.csv", 3, statements, lines);
  ASSERT_THAT(tables, IsOk());
  EXPECT_EQ(tables->source(), "a thesis");
  ASSERT_EQ(tables->table_size(), 1);
  EXPECT_EQ(tables->table(0).value(1).as_printed(), "1.46");
  EXPECT_THAT(lines, ElementsAre(ElementsAre(4, 6)));
}

TEST(CsvRowsTest, AnErrorHasItsLine) {
  NumberLines lines;
  const auto tables = ReadCsvRows(std::string(kColumns) + "T,epoch_seconds,1,32,23.5,GB,\n", "a.csv", 1, {}, lines);
  EXPECT_THAT(tables.status(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a.csv:2: unit GB contradicts")));
}

}  // namespace
}  // namespace lockstep
