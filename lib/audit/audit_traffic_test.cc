// The audit of bandwidths, utilisations and traffic: quantities that people count instead of bytes per second.
#include <cmath>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AuditTrafficTest, RoundedIntermediates) {
  proto::PublishedTables document = Times();
  const auto rounded = [](uint32_t n, uint32_t b) { return std::round(Communication(n, b) * 100) / 100; };
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 2, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [&](uint32_t n, uint32_t b) { return Bytes(n) * kImages / (b * n) / rounded(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "intermediates as printed", {"rounded_intermediates"});
}

struct BandwidthSlip {
  const char* flag;
  const char* convention;
  double (*factor)(uint32_t n, uint32_t b);  // the slip's value / the right bytes per second
};

class BandwidthSlipTest : public ::testing::TestWithParam<BandwidthSlip> {};

TEST_P(BandwidthSlipTest, IsNamed) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1e9 * GetParam().factor(n, b); });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, GetParam().convention, {GetParam().flag});
}

INSTANTIATE_TEST_SUITE_P(
    All, BandwidthSlipTest,
    ::testing::Values(
        BandwidthSlip{"iterations_forgotten", "1 iteration", [](uint32_t n, uint32_t b) { return b * n / kImages; }},
        BandwidthSlip{"iterations_not_divided_by_N", "images/B ", [](uint32_t n, uint32_t) { return double{1} * n; }},
        BandwidthSlip{"elements_not_bytes", "2(N-1)/N * X", [](uint32_t, uint32_t) { return 0.25; }},
        BandwidthSlip{"bits_not_bytes", "32 bits * X", [](uint32_t, uint32_t) { return 8.0; }},
        BandwidthSlip{"allreduce_factor_missing", "4 bytes * X = 1000000 *",
                      [](uint32_t n, uint32_t) { return n / (2.0 * (n - 1)); }},
        BandwidthSlip{"parameter_count_not_the_claimed", "X = 11689512", [](uint32_t, uint32_t) { return 11.689512; }},
        BandwidthSlip{"GiB_as_GB", "GB = 2^30", [](uint32_t, uint32_t) { return 1e9 / 1073741824; }}),
    [](const auto& info) { return std::string(info.param.flag); });

TEST(AuditTrafficTest, IterationsRoundedUpAreRightAndReported) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bytes(n) * std::ceil(kImages / (b * n)) / Communication(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "ceil(images/(B*N))", {});
}

TEST(AuditTrafficTest, ATotalBatchIsSharedByTheDevices) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->set_batch("total");
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "right", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) * n / 1e9; });
  AddTable(document, "wrong", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 9,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "right"), proto::REPRODUCED, "images/B /", {});
  ExpectAll(AuditOf(document, "wrong"), proto::REPRODUCED, "images/(B*N)", {"total_batch_taken_per_device"});
}

TEST(AuditTrafficTest, TheTextHasGiBAndTheNumbersAreGB) {
  proto::PublishedTables document = Clean();
  document.mutable_claims()->set_bytes_per_gigabyte(1073741824);
  ExpectAll(AuditOf(document, "bandwidth"), proto::REPRODUCED, "GB = 1e9", {"text_claims_GiB_prints_GB"});
}

TEST(AuditTrafficTest, GiBThatTheTextStatesIsNoSlip) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->set_bytes_per_gigabyte(1073741824);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1073741824; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "GB = 2^30", {});
}

TEST(AuditTrafficTest, OneDigitCouldBeChance) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->clear_bytes_per_gigabyte();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("b");
  Add(table, proto::BANDWIDTH_GIGABYTES_PER_SECOND, 2, 32, "0.5");  // 0.5456 GB/s, 0.5081 GiB/s
  const auto audited = AuditOf(document, "b");
  EXPECT_EQ(audited[0].finding(), proto::COULD_BE_CHANCE);
  EXPECT_THAT(audited[0].nearest().convention(), HasSubstr("GB = 1e9"));  // the plainest
  EXPECT_THAT(audited[0].flag(), IsEmpty());
}

TEST(AuditTrafficTest, AColumnOfNonsenseIsNotExplainedByCoincidences) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  // Few digits without meaning.
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 0, [](uint32_t n, uint32_t b) { return 3.0 * n + b; });
  for (const proto::AuditedValue& value : AuditOf(document, "b")) {
    EXPECT_EQ(value.finding(), proto::NOT_REPRODUCIBLE) << value.ShortDebugString();
    EXPECT_TRUE(value.has_nearest());
  }
}

TEST(AuditTrafficTest, ABatchInThePlaceOfBytesIsNoBandwidth) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 0,
           [](uint32_t n, uint32_t b) { return 2.0 * (n - 1) / n * b; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "2(N-1)/N * B",
            {"batch_counted_as_bytes", "not_divided_by_time"});
}

TEST(AuditTrafficTest, BytesThatNoTimeDividesAreNoBandwidth) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t) { return Bytes(n) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "2(N-1)/N * 4 bytes * X = 1000000, GB = 1e9",
            {"not_divided_by_time"});
}

// 2(N-1)/N * 1e6 elements, and the same traffic in GB, per iteration (no batch) and per epoch.
TEST(AuditTrafficTest, TrafficIsCountedToo) {
  proto::PublishedTables document = Times();
  AddTable(document, "elements", proto::TRAFFIC_ELEMENTS, 0,
           [](uint32_t n, uint32_t b) { return Bytes(n) / 4 * std::ceil(kImages / (b * n)); });
  AddTable(document, "gigabytes", proto::TRAFFIC_GIGABYTES, 5,
           [](uint32_t n, uint32_t b) { return Bytes(n) * std::ceil(kImages / (b * n)) / 1e9; });
  proto::PublishedTable& once = *document.add_table();
  once.set_name("iteration");
  Add(once, proto::TRAFFIC_GIGABYTES, 2, 0, "0.00373");  // 4e6 / 2^30 = 0.0037253
  Add(once, proto::TRAFFIC_GIGABYTES, 4, 0, "0.00559");  // 6e6 / 2^30 = 0.0055879
  ExpectAll(AuditOf(document, "elements"), proto::REPRODUCED, "2(N-1)/N * X = 1000000 * ceil(images/(B*N))", {});
  ExpectAll(AuditOf(document, "gigabytes"), proto::REPRODUCED, "GB = 1e9", {});
  ExpectAll(AuditOf(document, "iteration"), proto::REPRODUCED, "1 iteration, GB = 2^30", {"GiB_as_GB"});
}

TEST(AuditTrafficTest, ABandwidthMadeOfRoundedTraffic) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  proto::PublishedTable& once = *document.add_table();
  once.set_name("iteration");
  Add(once, proto::TRAFFIC_GIGABYTES, 2, 0, "0.004");
  Add(once, proto::TRAFFIC_GIGABYTES, 4, 0, "0.01");  // rounded from 0.006
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return (n == 2 ? 0.004 : 0.01) * kImages / (b * n) / Communication(n, b); });
  const auto audited = AuditOf(document, "b");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_EQ(audited[i].flag_size(), i < 3 ? 0 : 1) << audited[i].ShortDebugString();
  }
  EXPECT_THAT(audited[3].flag(), ElementsAre("rounded_intermediates"));
  EXPECT_THAT(audited[3].sentence(), HasSubstr(", 0.01)"));
}

// The rows of four devices contain 2(N-1)/N and iterations of two devices, from a volume printed with two digits.
TEST(AuditTrafficTest, AnotherNumberOfDevicesLeftInABandwidth) {
  proto::PublishedTables document = Times();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  proto::PublishedTable& once = *document.add_table();
  once.set_name("iteration");
  document.mutable_claims()->set_parameter_count(1'043'000);
  Add(once, proto::TRAFFIC_GIGABYTES, 2, 0, "0.0042");  // rounded from 0.004172
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 7,
           [](uint32_t n, uint32_t b) { return 0.0042 * kImages / (b * 2) / Communication(n, b); });
  const auto audited = AuditOf(document, "b");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_EQ(audited[i].flag_size(), i < 3 ? 1 : 2) << audited[i].ShortDebugString();
  }
  EXPECT_THAT(audited[0].flag(), ElementsAre("rounded_intermediates"));
  EXPECT_THAT(audited[3].flag(), ElementsAre("of_another_number_of_devices", "rounded_intermediates"));
  EXPECT_THAT(audited[3].sentence(), HasSubstr("N = 2 in 2(N-1)/N and iterations"));
}

TEST(AuditTrafficTest, AStatedSizeIsUsedAsItIsPrinted) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->set_gradient_bytes(4'020'000);  // next to 1,000,000 parameters
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 7,
           [](uint32_t n, uint32_t b) { return 1.005 * Bandwidth(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "X = 1005000 (M = 4020000 bytes)", {});
}

TEST(AuditTrafficTest, ABandwidthWithoutAPrintedCommunicationTime) {
  proto::PublishedTables document = Times();
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1e9; });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "T_comm = T_N - T_1/N, times of times", {});
}

TEST(AuditTrafficTest, AParameterCountThatTheCodeDoesNotHave) {
  proto::PublishedTables document = Clean();
  document.mutable_facts()->set_parameter_count(900'000);
  ExpectAll(AuditOf(document, "bandwidth"), proto::REPRODUCED, "X = 1000000",
            {"parameter_count_not_the_trained_model"});
}

TEST(AuditTrafficTest, AUtilisationWithoutAPeakCannotBeRecomputed) {
  proto::PublishedTables document = Clean();
  document.mutable_claims()->clear_peak_bytes_per_second();
  for (const proto::AuditedValue& value : AuditOf(document, "utilisation")) {
    EXPECT_EQ(value.finding(), proto::NOT_REPRODUCIBLE);
    EXPECT_FALSE(value.has_nearest());
    EXPECT_THAT(value.sentence(), HasSubstr("inputs are not in the document"));
  }
}

}  // namespace
}  // namespace lockstep::testing
