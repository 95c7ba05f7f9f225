#include "lib/published/table_remarks.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

TEST(TableRemarksTest, StatementsOfTablesAndOfTheDocument) {
  TableRemarks remarks;
  proto::PublishedTables tables;
  for (const auto& [key, value] : {std::pair<const char*, const char*>{"unit", "images/s"},
                                   {"quantity", "ideal throughput"},
                                   {"devices", "4"},
                                   {"batch", "128"},
                                   {"rows", "batch"},
                                   {"table", "Table 2"},
                                   {"epochs", "90"}}) {
    EXPECT_THAT(remarks.Read({1, key, value}, tables), IsOk()) << key;
  }
  EXPECT_EQ(remarks.label().quantity, proto::IDEAL_ITEMS_PER_SECOND);
  EXPECT_EQ(remarks.label().unit, "images/s");
  EXPECT_EQ(remarks.value().devices(), 4u);
  EXPECT_EQ(remarks.value().batch(), 128u);
  EXPECT_EQ(remarks.axes().rows, TableAxis::kBatch);
  EXPECT_EQ(remarks.table_name(), "Table 2");
  EXPECT_EQ(tables.claims().epochs(), 90u);
}

TEST(TableRemarksTest, AnotherValueOrKeyIsRefused) {
  TableRemarks remarks;
  proto::PublishedTables tables;
  EXPECT_THAT(remarks.Read({1, "quantity", "happiness"}, tables),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("unknown quantity")));
  EXPECT_THAT(remarks.Read({1, "quantity", "ideal loss"}, tables),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("unknown quantity")));
  EXPECT_THAT(remarks.Read({1, "columns", "colours"}, tables),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected columns: devices or batch")));
  EXPECT_THAT(remarks.Read({1, "unit", "parsec"}, tables), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("")));
}

}  // namespace
}  // namespace lockstep
