#include "lib/audit/small_document_testing.h"

#include <map>
#include <utility>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/published/published_check.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {
namespace {

using ::testing::HasSubstr;

// Epoch seconds by devices and batch.
const std::map<std::pair<uint32_t, uint32_t>, double> kTimes = {
    {{1, 32}, 40.123},  {{1, 128}, 24.457}, {{1, 512}, 22.091}, {{2, 32}, 25.789}, {{2, 128}, 14.321},
    {{2, 512}, 12.345}, {{4, 32}, 16.543},  {{4, 128}, 9.876},  {{4, 512}, 7.654}};

}  // namespace

double T(uint32_t ranks, uint32_t batch) { return kTimes.at({ranks, batch}); }
double Communication(uint32_t n, uint32_t b) { return T(n, b) - T(1, b) / n; }
double Bytes(uint32_t n) { return 2.0 * (n - 1) / n * kParameters * 4; }
double Bandwidth(uint32_t n, uint32_t b) { return Bytes(n) * kImages / (b * n) / Communication(n, b); }

void Add(proto::PublishedTable& table, proto::PublishedQuantity quantity, uint32_t devices, uint32_t batch,
         const std::string& as_printed) {
  proto::PublishedValue& value = *table.add_value();
  value.set_quantity(quantity);
  value.set_devices(devices);
  value.set_batch(batch);
  value.set_as_printed(as_printed);
}

void AddTable(proto::PublishedTables& document, const std::string& name, proto::PublishedQuantity quantity,
              int decimals, const Formula& formula) {
  proto::PublishedTable& table = *document.add_table();
  table.set_name(name);
  for (uint32_t n : kRanks) {
    for (uint32_t b : kBatches) {
      Add(table, quantity, n, b, absl::StrFormat("%.*f", decimals, formula(n, b)));
    }
  }
}

proto::PublishedTables Times() {
  proto::PublishedTables document;
  document.set_source("made by a test");
  document.mutable_claims()->set_parameter_count(static_cast<uint64_t>(kParameters));
  document.mutable_claims()->set_images_per_epoch(static_cast<uint64_t>(kImages));
  document.mutable_claims()->set_bytes_per_gigabyte(1e9);
  document.mutable_claims()->set_batch("per_device");
  document.mutable_claims()->set_peak_bytes_per_second(kPeak);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("times");
  for (const auto& [place, seconds] : kTimes) {
    Add(table, proto::EPOCH_SECONDS, place.first, place.second, absl::StrFormat("%.3f", seconds));
  }
  return document;
}

proto::PublishedTables Clean() {
  proto::PublishedTables document = Times();
  AddTable(document, "speed-up", proto::SPEEDUP, 4, [](uint32_t n, uint32_t b) { return T(1, b) / T(n, b); });
  AddTable(document, "compute", proto::COMPUTE_SECONDS, 3, [](uint32_t n, uint32_t b) { return T(1, b) / n; });
  AddTable(document, "communication", proto::COMMUNICATION_SECONDS, 4, Communication);
  AddTable(document, "bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, 6,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / 1e9; });
  AddTable(document, "utilisation", proto::UTILIZATION_PERCENT, 5,
           [](uint32_t n, uint32_t b) { return Bandwidth(n, b) / kPeak * 100; });
  return document;
}

proto::PublishedValue& ValueOf(proto::PublishedTables& document, const std::string& table, int i) {
  for (proto::PublishedTable& t : *document.mutable_table()) {
    if (t.name() == table) {
      return *t.mutable_value(i);
    }
  }
  ADD_FAILURE() << "no table " << table;
  return *document.mutable_table(0)->mutable_value(0);
}

std::vector<proto::AuditedValue> AuditOf(const proto::PublishedTables& document, const std::string& table) {
  EXPECT_THAT(CheckPublishedTables(document), IsOk());
  const auto tables = Audit(document);
  EXPECT_THAT(tables, IsOk());
  for (const proto::AuditTable& audited : *tables) {
    if (audited.table() == table) {
      return {audited.value().begin(), audited.value().end()};
    }
  }
  ADD_FAILURE() << "no table " << table;
  return {};
}

void ExpectAll(const std::vector<proto::AuditedValue>& values, proto::Finding finding, const std::string& convention,
               const std::vector<std::string>& flags) {
  EXPECT_FALSE(values.empty());
  for (const proto::AuditedValue& value : values) {
    EXPECT_EQ(value.finding(), finding) << value.ShortDebugString();
    ASSERT_FALSE(value.reproduced_by().empty());
    EXPECT_THAT(value.reproduced_by(0).convention(), HasSubstr(convention));
    EXPECT_THAT(value.flag(), ::testing::ElementsAreArray(flags)) << value.ShortDebugString();
  }
}

}  // namespace lockstep::testing
