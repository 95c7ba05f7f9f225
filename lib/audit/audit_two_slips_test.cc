// Two slips in one number: a part of another number of devices, and GiB for GB or MiB for MB.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/random_document_testing.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kGibibyteBytes = 1073741824;  // 2^30

// Expects that the numbers of four devices have the flag of the unit alone, and those of two both flags.
void ExpectTwoSlips(const std::vector<proto::AuditedValue>& audited, const std::string& unit_flag,
                    const std::string& convention) {
  EXPECT_FALSE(audited.empty());
  for (const proto::AuditedValue& value : audited) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    if (value.published().devices() == 4) {
      EXPECT_THAT(value.flag(), ElementsAre(unit_flag)) << value.ShortDebugString();
    } else {
      EXPECT_THAT(value.flag(), ElementsAre(unit_flag, "of_another_number_of_devices")) << value.ShortDebugString();
      EXPECT_THAT(value.sentence(), HasSubstr(convention));
    }
  }
}

TEST(AuditTwoSlipsTest, ABandwidthOfAnotherFactorInGiB) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  // 2(N-1)/N of four devices is 1.5, and 1 of two.
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) * Bytes(4) / Bytes(n) / kGibibyteBytes; });
  ExpectTwoSlips(AuditOf(document, "b"), "GiB_as_GB", "N = 4 in 2(N-1)/N");
}

TEST(AuditTwoSlipsTest, AVolumeOfAnotherNumberOfDevicesInMiB) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("v");
  // Four devices send 1.5 * 4,000,000 bytes, which are 5.722046 MiB.
  Add(table, proto::TRAFFIC_MEGABYTES, 2, 0, "5.722046");
  Add(table, proto::TRAFFIC_MEGABYTES, 4, 0, "5.722046");
  ExpectTwoSlips(AuditOf(document, "v"), "MiB_as_MB", "N = 4 throughout");
}

TEST(AuditTwoSlipsTest, OneSlipIsNotTakenForTwo) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "gib", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / kGibibyteBytes; });
  AddTable(document, "devices", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) * Bytes(4) / Bytes(n) / 1e9; });
  ExpectAll(AuditOf(document, "gib"), proto::REPRODUCED, "GB = 2^30", {"GiB_as_GB"});
  for (const proto::AuditedValue& value : AuditOf(document, "devices")) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    EXPECT_THAT(value.flag(), ::testing::Not(::testing::Contains("GiB_as_GB"))) << value.ShortDebugString();
  }
}

// Numbers with two slips that are 2 % off follow from nothing.
TEST(AuditTwoSlipsTest, TwoSlipsMustBeExact) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return 1.02 * Bandwidth(n, b) * Bytes(4) / Bytes(n) / kGibibyteBytes; });
  for (const proto::AuditedValue& value : AuditOf(document, "b")) {
    EXPECT_EQ(value.finding(), proto::NOT_REPRODUCIBLE) << value.ShortDebugString();
  }
}

// Returns true if all explanations of the number have two slips.
bool HasTwoSlips(const proto::AuditedValue& value) {
  const std::vector<std::string> flags(value.flag().begin(), value.flag().end());
  return std::count(flags.begin(), flags.end(), "GiB_as_GB") > 0 &&
         std::count(flags.begin(), flags.end(), "of_another_number_of_devices") > 0;
}

// Two slips explain at most 1 of 600 random bandwidths. All formulas explain at most 2 % of them: 1 %, the level of a
// search, as a column, and 1 % as single numbers.
TEST(AuditTwoSlipsTest, NonsenseIsNotExplained) {
  int explained = 0, by_two_slips = 0, all = 0;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    proto::PublishedTables document = Times();
    AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
    AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 3,
             [&](uint32_t, uint32_t) { return random.Between(0.05, 5); });
    for (const proto::AuditedValue& value : AuditOf(document, "b")) {
      ++all;
      explained += value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
      by_two_slips += HasTwoSlips(value) ? 1 : 0;
    }
  }
  EXPECT_EQ(all, 600);
  EXPECT_LE(by_two_slips, 1);
  EXPECT_LE(100 * explained, 2 * all);
}

}  // namespace
}  // namespace lockstep::testing
