// The audit of communication shares and of ratios of computing to communication: correct numbers raise no alarm, each
// slip gets its flag, and random numbers are hardly ever explained.
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

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint32_t kCounts[] = {2, 4, 8};
constexpr uint32_t kBatch = 32;
constexpr int kSeeds = 200;

// Whole, computing and communication times of 2, 4 and 8 devices in one table, to which a test adds numbers. A tenth
// of the time is neither computing nor communication.
class SplitTimes {
 public:
  explicit SplitTimes(uint32_t seed) {
    Random random(seed);
    document_.set_source("made up");
    document_.add_table()->set_name("split");
    for (const uint32_t devices : kCounts) {
      const double total = random.Between(20, 400), communication = total * random.Between(0.05, 0.4);
      total_.push_back(Print(proto::EPOCH_SECONDS, devices, total, 3));
      communication_.push_back(Print(proto::COMMUNICATION_SECONDS, devices, communication, 3));
      compute_.push_back(Print(proto::COMPUTE_SECONDS, devices, 0.9 * (total - communication), 3));
    }
  }

  // Number made of the computing, communication and whole times.
  using Quotient = std::function<double(double compute, double communication, double total)>;

  // Adds the quotient for each number of devices. `factor` scales the number of one position.
  void Fill(proto::PublishedQuantity quantity, int decimals, const Quotient& quotient, int wrong = -1,
            double factor = 1) {
    for (int i = 0; i < 3; ++i) {
      Print(quantity, kCounts[i], quotient(compute_[i], communication_[i], total_[i]) * (i == wrong ? factor : 1),
            decimals);
    }
  }

  // Returns the audited numbers that are not times.
  std::vector<proto::AuditedValue> Audited() const {
    std::vector<proto::AuditedValue> audited;
    for (const proto::AuditedValue& value : AuditOf(document_, "split")) {
      if (value.finding() != proto::GIVEN) {
        audited.push_back(value);
      }
    }
    return audited;
  }

 private:
  double Print(proto::PublishedQuantity quantity, uint32_t devices, double value, int decimals) {
    const std::string digits = absl::StrFormat("%.*f", decimals, value);
    proto::PublishedTable& table = *document_.mutable_table(0);
    Add(table, quantity, devices, kBatch, digits);
    const bool is_time = quantity == proto::COMPUTE_SECONDS || quantity == proto::COMMUNICATION_SECONDS;
    table.mutable_value(table.value_size() - 1)->set_read_off(is_time);
    return std::stod(digits);
  }

  proto::PublishedTables document_;
  std::vector<double> total_, communication_, compute_;
};

TEST(AuditSharesTest, WhatFollowsGivesNoAlarm) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    SplitTimes split(seed);
    split.Fill(proto::COMMUNICATION_PERCENT, 2, [](double, double c, double t) { return 100 * c / t; });
    split.Fill(proto::COMMUNICATION_FRACTION, 4, [](double, double c, double t) { return c / t; });
    split.Fill(proto::COMPUTE_OVER_COMMUNICATION, 3, [](double p, double c, double) { return p / c; });
    const auto audited = split.Audited();
    ASSERT_EQ(audited.size(), 9u);
    for (const proto::AuditedValue& value : audited) {
      EXPECT_EQ(value.finding(), proto::REPRODUCED) << seed << ": " << value.ShortDebugString();
      EXPECT_THAT(value.flag(), IsEmpty()) << seed << ": " << value.ShortDebugString();
    }
    EXPECT_THAT(audited[0].reproduced_by(0).convention(), HasSubstr("100 * T_comm / T_N"));
    EXPECT_THAT(audited[3].reproduced_by(0).convention(), HasSubstr("T_comm / T_N"));
    EXPECT_THAT(audited[6].reproduced_by(0).convention(), HasSubstr("T_comp / T_comm"));
  }
}

TEST(AuditSharesTest, OtherRightFormulasHaveNoFlag) {
  SplitTimes split(3);
  split.Fill(proto::COMMUNICATION_PERCENT, 2, [](double p, double c, double) { return 100 * c / (p + c); });
  split.Fill(proto::COMMUNICATION_FRACTION, 4, [](double p, double, double t) { return (t - p) / t; });
  split.Fill(proto::COMPUTE_OVER_COMMUNICATION, 3, [](double, double c, double t) { return (t - c) / c; });
  for (const proto::AuditedValue& value : split.Audited()) {
    EXPECT_EQ(value.finding(), proto::REPRODUCED) << value.ShortDebugString();
    EXPECT_THAT(value.flag(), IsEmpty()) << value.ShortDebugString();
  }
}

// 25.789 s of two devices and 40.123 s of one: 100 * (25.789 - 20.0615) / 25.789 = 22.2091.
TEST(AuditSharesTest, AShareOfTimesAlone) {
  proto::PublishedTables document = Times();
  AddTable(document, "share", proto::COMMUNICATION_PERCENT, 3,
           [](uint32_t n, uint32_t b) { return 100 * Communication(n, b) / T(n, b); });
  const auto audited = AuditOf(document, "share");
  EXPECT_EQ(audited[0].published().as_printed(), "22.209");
  ExpectAll(audited, proto::REPRODUCED, "100 * (T_N - T_1/N) / T_N", {});
  proto::PublishedTables undivided = Times();
  AddTable(undivided, "share", proto::COMMUNICATION_FRACTION, 5,
           [](uint32_t n, uint32_t b) { return (T(n, b) - T(1, b)) / T(n, b); });
  ExpectAll(AuditOf(undivided, "share"), proto::REPRODUCED, "(T_N - T_1) / T_N", {"compute_not_divided_by_N"});
}

TEST(AuditSharesTest, OneWrongNumberIsCaughtAndNoOther) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    SplitTimes split(seed);
    const int wrong = static_cast<int>(seed % 3);
    split.Fill(
        proto::COMMUNICATION_PERCENT, 2, [](double, double c, double t) { return 100 * c / t; }, wrong, 1.03);
    for (const proto::AuditedValue& value : split.Audited()) {
      const bool alarm = value.finding() == proto::NOT_REPRODUCIBLE || value.flag_size() > 0;
      EXPECT_EQ(alarm, value.published().devices() == kCounts[wrong]) << seed << ": " << value.ShortDebugString();
    }
  }
}

// At most 0.5 % of random numbers are explained.
TEST(AuditSharesTest, NonsenseIsNotExplained) {
  int explained = 0, all = 0;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    SplitTimes split(seed);
    Random random(5000 + seed);
    split.Fill(proto::COMMUNICATION_PERCENT, 2, [&](double, double, double) { return random.Between(5, 60); });
    split.Fill(proto::COMMUNICATION_FRACTION, 4, [&](double, double, double) { return random.Between(0.05, 0.6); });
    split.Fill(proto::COMPUTE_OVER_COMMUNICATION, 3, [&](double, double, double) { return random.Between(1, 20); });
    for (const proto::AuditedValue& value : split.Audited()) {
      ++all;
      explained += value.finding() == proto::REPRODUCED || value.finding() == proto::AMBIGUOUS;
    }
  }
  EXPECT_EQ(all, 9 * kSeeds);
  EXPECT_LE(200 * explained, all);
}

TEST(AuditSharesTest, AShareThatNothingGivesIsGiven) {
  proto::PublishedTables document;
  document.set_source("made up");
  document.add_table()->set_name("profile");
  Add(*document.mutable_table(0), proto::COMMUNICATION_PERCENT, 4, 0, "31.5");
  EXPECT_EQ(AuditOf(document, "profile")[0].finding(), proto::GIVEN);
}

struct ShareSlip {
  const char* flag;
  proto::PublishedQuantity quantity;
  double (*wrong)(double compute, double communication, double total);
};

class ShareSlipTest : public ::testing::TestWithParam<ShareSlip> {};

TEST_P(ShareSlipTest, IsNamed) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    SplitTimes split(seed);
    split.Fill(GetParam().quantity, 4, GetParam().wrong);
    for (const proto::AuditedValue& value : split.Audited()) {
      EXPECT_EQ(value.finding(), proto::REPRODUCED) << seed << ": " << value.ShortDebugString();
      EXPECT_THAT(value.flag(), ElementsAre(GetParam().flag)) << seed << ": " << value.ShortDebugString();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShareSlipTest,
                         ::testing::Values(ShareSlip{"divided_by_compute_time", proto::COMMUNICATION_PERCENT,
                                                     [](double p, double c, double) { return 100 * c / p; }},
                                           ShareSlip{"compute_share_called_communication", proto::COMMUNICATION_PERCENT,
                                                     [](double p, double, double t) { return 100 * p / t; }},
                                           ShareSlip{"ratio_called_percent", proto::COMMUNICATION_PERCENT,
                                                     [](double, double c, double t) { return c / t; }},
                                           ShareSlip{"whole_time_over_communication", proto::COMPUTE_OVER_COMMUNICATION,
                                                     [](double, double c, double t) { return t / c; }},
                                           ShareSlip{"inverted_ratio", proto::COMPUTE_OVER_COMMUNICATION,
                                                     [](double p, double c, double) { return c / p; }}),
                         [](const auto& info) { return std::string(info.param.flag); });

}  // namespace
}  // namespace lockstep::testing
