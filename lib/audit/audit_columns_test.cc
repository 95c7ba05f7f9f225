// The audit of speed-ups that compare two columns of times of the same devices.
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/audit/small_document_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {
namespace {

using ::testing::IsEmpty;

void AddLabelled(proto::PublishedTables& document, proto::PublishedQuantity quantity, uint32_t devices,
                 const std::string& context, const std::string& digits) {
  proto::PublishedTable& table = *document.mutable_table(0);
  Add(table, quantity, devices, 0, digits);
  table.mutable_value(table.value_size() - 1)->set_context(context);
}

// Returns times of runs in two arithmetics, and the speed-up of one over the other: 302.443 / 145.423 = 2.07975,
// 53.7044 / 34.2503 = 1.56800.
proto::PublishedTables TwoArithmetics(const std::string& of_eight) {
  proto::PublishedTables document;
  document.set_source("made by a test");
  document.add_table()->set_name("t");
  AddLabelled(document, proto::RUN_SECONDS, 1, "FP32", "302.443");
  AddLabelled(document, proto::RUN_SECONDS, 8, "FP32", "53.7044");
  AddLabelled(document, proto::RUN_SECONDS, 1, "mixed precision", "145.423");
  AddLabelled(document, proto::RUN_SECONDS, 8, "mixed precision", "34.2503");
  AddLabelled(document, proto::SPEEDUP, 1, "FP32 to mixed precision", "2.08");
  AddLabelled(document, proto::SPEEDUP, 8, "FP32 to mixed precision", of_eight);
  return document;
}

TEST(AuditColumnsTest, ASpeedupOfAnArithmeticOverAnother) {
  const auto audited = AuditOf(TwoArithmetics("1.57"), "t");
  for (const int i : {4, 5}) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_EQ(audited[i].reproduced_by(0).convention(), "T_N of t (FP32) / T_N of t (mixed precision)");
    EXPECT_THAT(audited[i].flag(), IsEmpty());
  }
  EXPECT_NEAR(audited[5].reproduced_by(0).value(), 53.7044 / 34.2503, 1e-12);
}

TEST(AuditColumnsTest, LeftOutNamesAreInTheResult) {
  proto::PublishedTables document = TwoArithmetics("1.57");
  proto::LeftOutName& name = *document.mutable_table(0)->add_left_out();
  name.set_name("Comm Overhead");
  name.set_numbers(9);
  const auto audited = Audit(document);
  ASSERT_THAT(audited, IsOk());
  ASSERT_EQ(audited->at(0).left_out_size(), 1);
  EXPECT_THAT(audited->at(0).left_out(0), EqualsProto("name: 'Comm Overhead' numbers: 9"));
}

TEST(AuditColumnsTest, AWrongOneDoesNotFollow) {
  const auto audited = AuditOf(TwoArithmetics("1.75"), "t");
  EXPECT_EQ(audited[5].finding(), proto::NOT_REPRODUCIBLE) << audited[5].ShortDebugString();
}

}  // namespace
}  // namespace lockstep::testing
