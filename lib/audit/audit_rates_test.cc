// The audit of rates, and of speed-ups and efficiencies computed from rates: correct numbers raise no alarm, and each
// slip gets its flag.
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/audit/audit.h"
#include "lib/audit/random_document_testing.h"
#include "lib/audit/small_document_testing.h"
#include "lib/published/published_check.h"
#include "lib/testing/matchers.h"

namespace lockstep::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint32_t kCounts[] = {1, 2, 4, 8};

// Images per second on 1, 2, 4 and 8 devices in one table, to which a test adds numbers.
class Rates {
 public:
  explicit Rates(uint32_t seed) {
    Random random(seed);
    tables_.set_source("made up");
    tables_.add_table()->set_name("rates");
    double rate = random.Between(20, 4000);
    for (const uint32_t devices : kCounts) {
      rates_.push_back(Print(proto::ITEMS_PER_SECOND, devices, rate, 2));
      rate *= random.Between(1.3, 2.0);
    }
  }

  double At(uint32_t devices) const { return rates_[devices == 8 ? 3 : devices / 2]; }
  double Speedup(uint32_t devices) const { return At(devices) / At(1); }

  // Adds the formula's value for each number of devices except one device.
  void Fill(proto::PublishedQuantity quantity, int decimals, const std::function<double(uint32_t)>& formula) {
    for (const uint32_t devices : {2, 4, 8}) {
      Print(quantity, devices, formula(devices), decimals);
    }
  }

  // Returns the audited values that are not rates.
  std::vector<proto::AuditedValue> Audited() const {
    EXPECT_THAT(CheckPublishedTables(tables_), IsOk());
    std::vector<proto::AuditedValue> audited;
    const std::vector<proto::AuditTable> tables = *Audit(tables_);
    for (const proto::AuditedValue& value : tables[0].value()) {
      if (value.finding() != proto::GIVEN) {
        audited.push_back(value);
      }
    }
    return audited;
  }

  proto::PublishedTables& tables() { return tables_; }

 private:
  double Print(proto::PublishedQuantity quantity, uint32_t devices, double value, int decimals) {
    proto::PublishedValue& printed = *tables_.mutable_table(0)->add_value();
    printed.set_quantity(quantity);
    printed.set_devices(devices);
    printed.set_as_printed(absl::StrFormat("%.*f", decimals, value));
    return std::stod(printed.as_printed());
  }

  proto::PublishedTables tables_;
  std::vector<double> rates_;
};

TEST(AuditRatesTest, WhatFollowsGivesNoAlarm) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Rates rates(seed);
    rates.Fill(proto::SPEEDUP, 2, [&](uint32_t n) { return rates.Speedup(n); });
    rates.Fill(proto::EFFICIENCY_PERCENT, 1, [&](uint32_t n) { return 100 * rates.Speedup(n) / n; });
    rates.Fill(proto::ITEMS_PER_SECOND_PER_DEVICE, 2, [&](uint32_t n) { return rates.At(n) / n; });
    const auto audited = rates.Audited();
    EXPECT_EQ(audited.size(), 9u);
    for (const proto::AuditedValue& value : audited) {
      EXPECT_EQ(value.finding(), proto::REPRODUCED) << seed << ": " << value.ShortDebugString();
      EXPECT_THAT(value.flag(), IsEmpty()) << seed << ": " << value.ShortDebugString();
    }
  }
}

// One speed-up is wrong by 3 %, which no rounding explains.
TEST(AuditRatesTest, OneWrongNumberIsCaughtAndNoOther) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Rates rates(seed);
    const uint32_t wrong = kCounts[1 + seed % 3];
    rates.Fill(proto::SPEEDUP, 3, [&](uint32_t n) { return rates.Speedup(n) * (n == wrong ? 1.03 : 1); });
    for (const proto::AuditedValue& value : rates.Audited()) {
      const bool alarm = value.finding() == proto::NOT_REPRODUCIBLE || value.flag_size() > 0;
      EXPECT_EQ(alarm, value.published().devices() == wrong) << seed << ": " << value.ShortDebugString();
    }
  }
}

// Random numbers are hardly ever explained.
TEST(AuditRatesTest, NonsenseIsNotExplained) {
  int explained = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Rates rates(seed);
    Random random(5000 + seed);
    rates.Fill(proto::SPEEDUP, 3, [&](uint32_t n) { return random.Between(1, n); });
    rates.Fill(proto::EFFICIENCY_PERCENT, 2, [&](uint32_t) { return random.Between(30, 99); });
    for (const proto::AuditedValue& value : rates.Audited()) {
      explained += value.finding() != proto::NOT_REPRODUCIBLE;
    }
  }
  EXPECT_EQ(explained, 2);  // 2 of 1,200 numbers; each had a probability below 5 %
}

struct RateSlip {
  const char* flag;
  proto::PublishedQuantity quantity;
  double (*wrong)(double speedup, uint32_t devices);
};

class RateSlipTest : public ::testing::TestWithParam<RateSlip> {};

TEST_P(RateSlipTest, IsNamed) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Rates rates(seed);
    rates.Fill(GetParam().quantity, 4, [&](uint32_t n) { return GetParam().wrong(rates.Speedup(n), n); });
    for (const proto::AuditedValue& value : rates.Audited()) {
      EXPECT_EQ(value.finding(), proto::REPRODUCED) << seed << ": " << value.ShortDebugString();
      EXPECT_THAT(value.flag(), ElementsAre(GetParam().flag)) << seed << ": " << value.ShortDebugString();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RateSlipTest,
    ::testing::Values(
        RateSlip{"efficiency_called_speedup", proto::SPEEDUP, [](double s, uint32_t n) { return s / n; }},
        RateSlip{"inverted_speedup", proto::SPEEDUP, [](double s, uint32_t) { return 1 / s; }},
        RateSlip{"efficiency_not_divided_by_N", proto::EFFICIENCY_PERCENT, [](double s, uint32_t) { return 100 * s; }},
        RateSlip{"ratio_called_percent", proto::EFFICIENCY_PERCENT, [](double s, uint32_t n) { return s / n; }}),
    [](const auto& info) { return std::string(info.param.flag); });

TEST(AuditRatesTest, AnEfficiencyOfPrintedSpeedups) {
  Rates rates(7);
  const auto rounded = [&](uint32_t n) { return std::stod(absl::StrFormat("%.1f", rates.Speedup(n))); };
  rates.Fill(proto::SPEEDUP, 1, [&](uint32_t n) { return rates.Speedup(n); });
  rates.Fill(proto::EFFICIENCY_PERCENT, 3, [&](uint32_t n) { return 100 * rounded(n) / n; });
  for (const proto::AuditedValue& value : rates.Audited()) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    if (value.published().quantity() == proto::EFFICIENCY_PERCENT) {
      EXPECT_THAT(value.flag(), ElementsAre("rounded_intermediates")) << value.ShortDebugString();
    }
  }
}

// Tokens per second are computed from the seconds of an iteration, the batch and the sequence length.
TEST(AuditRatesTest, RatesOfTimes) {
  proto::PublishedTables document = Times();
  document.mutable_claims()->set_items_per_sample(100);
  AddTable(document, "of epochs", proto::ITEMS_PER_SECOND, 3,
           [](uint32_t n, uint32_t b) { return kImages * 100 / T(n, b); });
  AddTable(document, "of epochs, each", proto::ITEMS_PER_SECOND_PER_DEVICE, 3,
           [](uint32_t n, uint32_t b) { return kImages * 100 / T(n, b) / n; });
  AddTable(document, "of iterations", proto::ITEMS_PER_SECOND, 3,
           [](uint32_t n, uint32_t b) { return n * b * 100 / (0.5 + 0.001 * b); });
  AddTable(document, "iterations", proto::ITERATION_SECONDS, 3, [](uint32_t, uint32_t b) { return 0.5 + 0.001 * b; });
  ExpectAll(AuditOf(document, "of epochs"), proto::REPRODUCED, "images * 100 / T_N", {});
  ExpectAll(AuditOf(document, "of epochs, each"), proto::REPRODUCED, "images * 100 / T_N / N", {});
  ExpectAll(AuditOf(document, "of iterations"), proto::REPRODUCED, "N*B * 100 / seconds of an iteration", {});
}

}  // namespace
}  // namespace lockstep::testing
