#include "lib/published/table_numbers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

proto::PublishedValue Rate(uint32_t devices, const char* digits) {
  proto::PublishedValue value;
  value.set_quantity(proto::ITEMS_PER_SECOND);
  value.set_devices(devices);
  value.set_as_printed(digits);
  return value;
}

TEST(TableNumbersTest, NumbersOfOneNameAreOneTable) {
  TableNumbers numbers;
  proto::PublishedTables tables;
  EXPECT_THAT(numbers.Append(Rate(1, "90"), "images/s", "A", 3, tables), IsOk());
  EXPECT_THAT(numbers.Append(Rate(1, "90"), "tokens/s", "B", 4, tables), IsOk());
  EXPECT_THAT(numbers.Append(Rate(2, "170"), "images/s", "A", 5, tables), IsOk());
  ASSERT_EQ(tables.table_size(), 2);
  EXPECT_EQ(tables.table(0).value(1).as_printed(), "170");
  EXPECT_THAT(numbers.lines(), ElementsAre(ElementsAre(3, 5), ElementsAre(4)));
}

TEST(TableNumbersTest, ASecondNumberOfAPlaceAndASecondUnitAreRefused) {
  TableNumbers numbers;
  proto::PublishedTables tables;
  EXPECT_THAT(numbers.Append(Rate(1, "90"), "images/s", "A", 3, tables), IsOk());
  EXPECT_THAT(numbers.Append(Rate(1, "91"), "images/s", "A", 4, tables),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a second items_per_second of 1 devices")));
  EXPECT_THAT(numbers.Append(Rate(2, "170"), "tokens/s", "A", 5, tables),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("unit tokens/s contradicts the images/s")));
  EXPECT_EQ(tables.table(0).value_size(), 1);
}

}  // namespace
}  // namespace lockstep
