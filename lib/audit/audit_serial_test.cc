// The audit of serial shares (Karp and Flatt 1990) and of the speed-ups that Amdahl's and Gustafson's laws predict:
// correct numbers raise no alarm, each slip gets its flag, and random numbers are hardly ever explained.
#include <functional>
#include <iterator>
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
using ::testing::IsEmpty;

constexpr uint64_t kBatch = 32;
constexpr uint32_t kManyDevices[] = {16, 32, 64};

double SerialShare(double s, double n) { return (1 / s - 1 / n) / (1 - 1 / n); }

// Times of 1, 2, 4 and 8 devices, to whose table a test adds numbers.
class ScalingTimes {
 public:
  explicit ScalingTimes(uint32_t seed) {
    Random random(seed);
    document_.set_source("made up");
    document_.add_table()->set_name("scaling");
    const double one = random.Between(100, 900), serial = random.Between(0.05, 0.3);
    for (const uint32_t devices : {1, 2, 4, 8}) {
      const double noise = random.Between(0.99, 1.01);
      times_.push_back(Print(proto::EPOCH_SECONDS, devices, one * (serial + (1 - serial) / devices) * noise, 3));
    }
  }

  double Speedup(uint32_t devices) const { return times_[0] / times_[devices == 8 ? 3 : devices / 2]; }
  double SerialOf(uint32_t devices) const { return SerialShare(Speedup(devices), devices); }

  // Adds the formula's value for 2, 4 and 8 devices, or for each of `counts`.
  void Fill(proto::PublishedQuantity quantity, int decimals, const std::function<double(uint32_t)>& formula,
            const std::vector<uint32_t>& counts = {2, 4, 8}) {
    for (const uint32_t devices : counts) {
      Print(quantity, devices, formula(devices), decimals);
    }
  }

  std::vector<proto::AuditedValue> Audited() const {
    std::vector<proto::AuditedValue> audited;
    for (const proto::AuditedValue& value : AuditOf(document_, "scaling")) {
      if (value.finding() != proto::GIVEN) {
        audited.push_back(value);
      }
    }
    return audited;
  }

 private:
  double Print(proto::PublishedQuantity quantity, uint32_t devices, double value, int decimals) {
    const std::string digits = absl::StrFormat("%.*f", decimals, value);
    Add(*document_.mutable_table(0), quantity, devices, kBatch, digits);
    return std::stod(digits);
  }

  proto::PublishedTables document_;
  std::vector<double> times_;
};

const std::vector<uint32_t> kPredicted(std::begin(kManyDevices), std::end(kManyDevices));

TEST(AuditSerialTest, WhatFollowsGivesNoAlarm) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    ScalingTimes scaling(seed);
    const double f = scaling.SerialOf(8);
    scaling.Fill(proto::SERIAL_FRACTION, 5, [&](uint32_t n) { return scaling.SerialOf(n); });
    scaling.Fill(proto::SERIAL_PERCENT, 3, [&](uint32_t n) { return 100 * scaling.SerialOf(n); });
    scaling.Fill(
        proto::AMDAHL_SPEEDUP, 4, [&](uint32_t n) { return 1 / (f + (1 - f) / n); }, kPredicted);
    scaling.Fill(
        proto::GUSTAFSON_SPEEDUP, 4, [&](uint32_t n) { return n - f * (n - 1); }, kPredicted);
    const auto audited = scaling.Audited();
    ASSERT_EQ(audited.size(), 12u);
    for (const proto::AuditedValue& value : audited) {
      EXPECT_EQ(value.finding(), proto::REPRODUCED) << seed << ": " << value.ShortDebugString();
      EXPECT_THAT(value.flag(), IsEmpty()) << seed << ": " << value.ShortDebugString();
    }
    EXPECT_THAT(audited[0].reproduced_by(0).convention(), HasSubstr("f = (1/S - 1/N) / (1 - 1/N), S = T_1/T_N"));
  }
}

// A speed-up of 3.2 on 4 devices: f = (1/3.2 - 1/4) / (1 - 1/4) = 0.083333. On 8 devices, Amdahl's law gives
// 1 / (0.083333 + 0.916667 / 8) = 5.0526, Gustafson's 8 - 0.083333 * 7 = 7.4167.
TEST(AuditSerialTest, KnownValues) {
  proto::PublishedTables document;
  document.set_source("made up");
  proto::PublishedTable& table = *document.add_table();
  table.set_name("laws");
  Add(table, proto::SPEEDUP, 4, kBatch, "3.200");
  Add(table, proto::SERIAL_FRACTION, 4, kBatch, "0.08333");
  Add(table, proto::AMDAHL_SPEEDUP, 8, kBatch, "5.0526");
  Add(table, proto::GUSTAFSON_SPEEDUP, 8, kBatch, "7.4167");
  const auto audited = AuditOf(document, "laws");
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(audited[i].finding(), proto::REPRODUCED) << audited[i].ShortDebugString();
    EXPECT_THAT(audited[i].flag(), IsEmpty()) << audited[i].ShortDebugString();
  }
  EXPECT_NEAR(audited[2].reproduced_by(0).value(), 5.05263, 1e-5);
  EXPECT_NEAR(audited[3].reproduced_by(0).value(), 7.41667, 1e-5);
}

// A stated share of 5 %: 1 / (0.05 + 0.95 / 16) = 9.142857.
TEST(AuditSerialTest, AStatedSerialShare) {
  proto::PublishedTables document;
  document.set_source("made up");
  document.mutable_claims()->set_serial_fraction(0.05);
  proto::PublishedTable& table = *document.add_table();
  table.set_name("laws");
  Add(table, proto::AMDAHL_SPEEDUP, 1, 0, "1.000");
  Add(table, proto::AMDAHL_SPEEDUP, 16, 0, "9.143");
  Add(table, proto::AMDAHL_SPEEDUP, 32, 0, "12.75");  // 12.549
  const auto audited = AuditOf(document, "laws");
  EXPECT_EQ(audited[0].sentence(), "The base case itself.");
  EXPECT_EQ(audited[1].finding(), proto::REPRODUCED) << audited[1].ShortDebugString();
  EXPECT_EQ(audited[2].finding(), proto::NOT_REPRODUCIBLE) << audited[2].ShortDebugString();
  EXPECT_NEAR(audited[2].nearest().value(), 12.54902, 1e-5);
}

TEST(AuditSerialTest, OneWrongNumberIsCaughtAndNoOther) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    ScalingTimes scaling(seed);
    const uint32_t wrong = 2u << seed % 3;
    scaling.Fill(proto::SERIAL_FRACTION, 5, [&](uint32_t n) { return scaling.SerialOf(n) * (n == wrong ? 1.1 : 1); });
    for (const proto::AuditedValue& value : scaling.Audited()) {
      const bool alarm = value.finding() == proto::NOT_REPRODUCIBLE || value.flag_size() > 0;
      EXPECT_EQ(alarm, value.published().devices() == wrong) << seed << ": " << value.ShortDebugString();
    }
  }
}

// At most 0.5 % of random numbers are explained.
TEST(AuditSerialTest, NonsenseIsNotExplained) {
  int explained = 0, all = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    ScalingTimes scaling(seed);
    Random random(5000 + seed);
    scaling.Fill(proto::SERIAL_FRACTION, 5, [&](uint32_t) { return random.Between(0.02, 0.4); });
    scaling.Fill(
        proto::AMDAHL_SPEEDUP, 4, [&](uint32_t) { return random.Between(3, 20); }, kPredicted);
    scaling.Fill(
        proto::GUSTAFSON_SPEEDUP, 4, [&](uint32_t n) { return random.Between(0.6, 1) * n; }, kPredicted);
    for (const proto::AuditedValue& value : scaling.Audited()) {
      ++all;
      explained += value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
    }
  }
  EXPECT_EQ(all, 1800);
  EXPECT_LE(200 * explained, all);
}

struct SerialSlip {
  const char* name;
  const char* flag;
  proto::PublishedQuantity quantity;
  double (*wrong)(double s, double f, double n);  // `f`: serial share of 8 devices
};

class SerialSlipTest : public ::testing::TestWithParam<SerialSlip> {};

TEST_P(SerialSlipTest, IsNamed) {
  const bool predicts = GetParam().quantity == proto::AMDAHL_SPEEDUP || GetParam().quantity == proto::GUSTAFSON_SPEEDUP;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    ScalingTimes scaling(seed);
    const double f = scaling.SerialOf(8);
    scaling.Fill(
        GetParam().quantity, 5, [&](uint32_t n) { return GetParam().wrong(predicts ? 0 : scaling.Speedup(n), f, n); },
        predicts ? kPredicted : std::vector<uint32_t>{2, 4, 8});
    if (predicts) {
      scaling.Fill(proto::SERIAL_FRACTION, 6, [&](uint32_t n) { return scaling.SerialOf(n); });
    }
    for (const proto::AuditedValue& value : scaling.Audited()) {
      EXPECT_EQ(value.finding(), proto::REPRODUCED) << seed << ": " << value.ShortDebugString();
      if (value.published().quantity() == GetParam().quantity) {
        EXPECT_THAT(value.flag(), ElementsAre(GetParam().flag)) << seed << ": " << value.ShortDebugString();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SerialSlipTest,
                         ::testing::Values(SerialSlip{"loss", "efficiency_loss_called_serial", proto::SERIAL_FRACTION,
                                                      [](double s, double, double n) { return 1 - s / n; }},
                                           SerialSlip{"denominator", "karp_flatt_denominator_missing",
                                                      proto::SERIAL_FRACTION,
                                                      [](double s, double, double n) { return 1 / s - 1 / n; }},
                                           SerialSlip{"parallel", "parallel_share_for_serial", proto::SERIAL_FRACTION,
                                                      [](double s, double, double n) { return 1 - SerialShare(s, n); }},
                                           SerialSlip{"percent", "ratio_called_percent", proto::SERIAL_PERCENT,
                                                      [](double s, double, double n) { return SerialShare(s, n); }},
                                           SerialSlip{"gustafson", "other_law_of_scaling", proto::AMDAHL_SPEEDUP,
                                                      [](double, double f, double n) { return n - f * (n - 1); }},
                                           SerialSlip{"amdahl", "other_law_of_scaling", proto::GUSTAFSON_SPEEDUP,
                                                      [](double, double f, double n) { return 1 / (f + (1 - f) / n); }},
                                           SerialSlip{"swapped", "parallel_share_for_serial", proto::AMDAHL_SPEEDUP,
                                                      [](double, double f, double n) { return 1 / (1 - f + f / n); }}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lockstep::testing
