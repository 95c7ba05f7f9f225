// The audit of volumes of an all-reduce in MB and MiB, and of bandwidths that are computed from such volumes.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/random_document_testing.h"
#include "lib/audit/small_document_testing.h"

namespace lockstep::testing {
namespace {

constexpr double kMegabyteBytes = 1e6, kMebibyteBytes = 1048576;

// Audits the volumes of one iteration on 2, 4 and 8 devices, which have no batch.
std::vector<proto::AuditedValue> AuditVolumes(proto::PublishedQuantity quantity, int decimals,
                                              const std::function<double(uint32_t)>& megabytes) {
  proto::PublishedTables document = Times();
  proto::PublishedTable& table = *document.add_table();
  table.set_name("volume");
  for (const uint32_t n : {2, 4, 8}) {
    Add(table, quantity, n, 0, absl::StrFormat("%.*f", decimals, megabytes(n)));
  }
  return AuditOf(document, "volume");
}

// 1e6 parameters: 4, 6 and 7 MB on 2, 4 and 8 devices, which are 3.8147, 5.7220 and 6.6757 MiB.
TEST(AuditMegabytesTest, AVolumeOfTheRing) {
  const auto decimal = AuditVolumes(proto::TRAFFIC_MEGABYTES, 3, [](uint32_t n) { return Bytes(n) / kMegabyteBytes; });
  EXPECT_EQ(decimal[2].published().as_printed(), "7.000");
  ExpectAll(decimal, proto::REPRODUCED, "2(N-1)/N * 4 bytes * X = 1000000 * 1 iteration, MB = 1e6", {});
  const auto binary = AuditVolumes(proto::TRAFFIC_MEBIBYTES, 4, [](uint32_t n) { return Bytes(n) / kMebibyteBytes; });
  EXPECT_EQ(binary[1].published().as_printed(), "5.7220");
  ExpectAll(binary, proto::REPRODUCED, "MiB = 2^20", {});
}

TEST(AuditMegabytesTest, SlipsAreNamed) {
  ExpectAll(AuditVolumes(proto::TRAFFIC_MEGABYTES, 3, [](uint32_t) { return 4.0; }), proto::REPRODUCED,
            "4 bytes * X = 1000000", {"allreduce_factor_missing"});
  ExpectAll(AuditVolumes(proto::TRAFFIC_MEGABYTES, 3, [](uint32_t) { return 8.0; }), proto::REPRODUCED,
            "2 * 4 bytes * X = 1000000", {"allreduce_factor_of_many_devices"});
  ExpectAll(AuditVolumes(proto::TRAFFIC_MEGABYTES, 4, [](uint32_t n) { return Bytes(n) / kMebibyteBytes; }),
            proto::REPRODUCED, "MiB = 2^20", {"MiB_as_MB"});
  ExpectAll(AuditVolumes(proto::TRAFFIC_MEBIBYTES, 3, [](uint32_t n) { return Bytes(n) / kMegabyteBytes; }),
            proto::REPRODUCED, "MB = 1e6", {"MB_as_MiB"});
}

TEST(AuditMegabytesTest, AVolumeOfAnEpoch) {
  proto::PublishedTables document = Times();
  AddTable(document, "volume", proto::TRAFFIC_MEGABYTES, 1,
           [](uint32_t n, uint32_t b) { return Bytes(n) / kMegabyteBytes * std::ceil(kImages / (b * n)); });
  ExpectAll(AuditOf(document, "volume"), proto::REPRODUCED, "X = 1000000 * ceil(images/(B*N)), MB = 1e6", {});
}

TEST(AuditMegabytesTest, OneWrongVolumeIsCaughtAndNoOther) {
  const auto audited = AuditVolumes(proto::TRAFFIC_MEGABYTES, 3,
                                    [](uint32_t n) { return Bytes(n) / kMegabyteBytes * (n == 4 ? 1.02 : 1); });
  for (const proto::AuditedValue& value : audited) {
    EXPECT_EQ(value.finding(), value.published().devices() == 4 ? proto::NOT_REPRODUCIBLE : proto::REPRODUCED)
        << value.ShortDebugString();
  }
}

// At most 0.5 % of random volumes are explained.
TEST(AuditMegabytesTest, NonsenseIsNotExplained) {
  int explained = 0, all = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    for (const proto::AuditedValue& value :
         AuditVolumes(proto::TRAFFIC_MEGABYTES, 4, [&](uint32_t) { return random.Between(2, 100); })) {
      ++all;
      explained += value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
    }
  }
  EXPECT_EQ(all, 600);
  EXPECT_LE(200 * explained, all);
}

// The document does not state its parameters, so that only the printed volume gives the bandwidth.
TEST(AuditMegabytesTest, ABandwidthOfPrintedVolumes) {
  for (const proto::PublishedQuantity quantity : {proto::TRAFFIC_MEGABYTES, proto::TRAFFIC_MEBIBYTES}) {
    proto::PublishedTables document = Times();
    document.mutable_claims()->clear_parameter_count();
    AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
    proto::PublishedTable& table = *document.add_table();
    table.set_name("volume");
    Add(table, quantity, 2, 0, "5.13");
    Add(table, quantity, 4, 0, "7.69");
    const double bytes = quantity == proto::TRAFFIC_MEBIBYTES ? kMebibyteBytes : kMegabyteBytes;
    AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6, [&](uint32_t n, uint32_t b) {
      return (n == 2 ? 5.13 : 7.69) * bytes / 1e9 * kImages / (b * n) / Communication(n, b);
    });
    ExpectAll(AuditOf(document, "b"), proto::REPRODUCED,
              "volume of volume as printed * images/(B*N) / T_comm, GB = 1e9", {});
  }
}

TEST(AuditMegabytesTest, ABandwidthOfTheVolumeOfAnEpoch) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->clear_parameter_count();
  AddTable(document, "c", proto::COMMUNICATION_SECONDS, 5, Communication);
  const auto megabytes = [](uint32_t n, uint32_t b) { return 1234.0 * n + 7 * b; };
  AddTable(document, "volume", proto::TRAFFIC_MEGABYTES, 0, megabytes);
  AddTable(document, "b", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [&](uint32_t n, uint32_t b) { return megabytes(n, b) / 1e3 / Communication(n, b); });
  ExpectAll(AuditOf(document, "b"), proto::REPRODUCED, "volume of volume as printed / T_comm, GB = 1e9", {});
}

}  // namespace
}  // namespace lockstep::testing
