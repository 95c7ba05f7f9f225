#include "lib/scaling/star_rows.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kAlpha = 1e-4;  // seconds per message
constexpr double kBeta = 1e-9;   // seconds per byte
constexpr int kSteps = 10;

template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// Returns a point whose phases take exactly the time of a link of kAlpha and kBeta for the formula's bytes.
std::string Star(int ranks, int batch) {
  const double images = batch * (ranks - 1.0);  // images on the other devices
  const std::pair<const char*, const char*> names[] = {{"images", "scatter_seconds"},
                                                       {"parameters and buffers", "replicate_seconds"},
                                                       {"outputs", "gather_seconds"},
                                                       {"gradients of the outputs", "output_gradient_seconds"},
                                                       {"gradients", "reduce_seconds"}};
  const double bytes[] = {images * 12288, (ranks - 1) * 4e6, images * 40, images * 40, (ranks - 1) * 4e6};
  std::string traffic, times;
  for (int i = 0; i < 5; ++i) {
    absl::StrAppend(&traffic, "traffic { kind: '", names[i].first,
                    "' size_bytes: ", static_cast<uint64_t>(kSteps * bytes[i]), " steps: ", kSteps, " } ");
    absl::StrAppend(&times, names[i].second, " { value: ", kSteps * ((ranks - 1) * kAlpha + kBeta * bytes[i]), " } ");
  }
  return absl::StrCat("point { ranks: ", ranks, " batch_per_device: ", batch, " reduction: STAR outcome: COMPLETED ",
                      "steps_per_epoch: ", kSteps, " images_per_epoch: ", kSteps * ranks * batch,
                      " step_seconds { value: 1 } ", traffic, "star { ", times, "} }");
}

ScaleRecords Records(const std::vector<std::string>& points) {
  ScaleRecords scale;
  scale.records.push_back(
      FromText<proto::ScaleRecord>("spec { mode: DP model { parameter_count: 1000000 gradient_bytes: 4000000 } }"));
  for (const std::string& point : points) {
    scale.records.push_back(FromText<proto::ScaleRecord>(point));
  }
  return scale;
}

// The link is fitted to one point and predicts the other's time. The text has six digits of each time, a relative error
// of 1e-6; the fit multiplies that error by a small factor.
TEST(StarRowsTest, TheOtherPointsLinkPredictsAPoint) {
  const auto rows = ExplainStar(Records({Star(2, 32), Star(4, 128)}), proto::CommModelSpec());
  ASSERT_THAT(rows, SizeIs(2));
  for (const proto::StarRow& row : rows) {
    EXPECT_EQ(row.counted_sent_bytes().value(), row.formula_sent_bytes().value());
    EXPECT_EQ(row.counted_received_bytes().value(), row.formula_received_bytes().value());
    EXPECT_EQ(row.modelled_busy_seconds().provenance(), proto::MODELLED);
    EXPECT_NEAR(row.relative_error().value(), 0, 1e-4);
    EXPECT_THAT(row.modelled_busy_seconds().method(), HasSubstr("100 us a message, 1 GB/s"));
  }
  const double bytes = rows[0].counted_sent_bytes().value() + rows[0].counted_received_bytes().value();
  EXPECT_NEAR(rows[0].measured_busy_seconds().value(), 5 * kAlpha + kBeta * bytes, 1e-7);
  EXPECT_NEAR(rows[0].bytes_per_second().value(), bytes / rows[0].measured_busy_seconds().value(), 1);
  EXPECT_NEAR(rows[0].busy_share().value(), kSteps * rows[0].measured_busy_seconds().value(), 1e-9);
}

TEST(StarRowsTest, OnePointAloneNeedsALink) {
  proto::CommModelSpec spec;
  const auto alone = ExplainStar(Records({Star(2, 32)}), spec);
  EXPECT_THAT(alone[0].modelled_busy_seconds().absent_reason(), HasSubstr("--nominal_link_gigabytes_per_second"));
  EXPECT_FALSE(alone[0].relative_error().has_value());
  spec.mutable_nominal_link_bytes_per_second()->set_value(1 / kBeta);
  const auto nominal = ExplainStar(Records({Star(2, 32)}), spec);
  EXPECT_DOUBLE_EQ(nominal[0].modelled_busy_seconds().value(),
                   kBeta * (nominal[0].formula_sent_bytes().value() + nominal[0].formula_received_bytes().value()));
}

TEST(StarRowsTest, WhatIsNotInTheRecordIsAbsentWithTheReason) {
  const auto rows = ExplainStar(
      Records({"point { ranks: 2 batch_per_device: 32 reduction: STAR outcome: COMPLETED steps_per_epoch: 10 }",
               "point { ranks: 2 batch_per_device: 64 reduction: STAR outcome: OUT_OF_MEMORY }",
               "point { ranks: 1 batch_per_device: 64 reduction: STAR outcome: COMPLETED steps_per_epoch: 10 }"}),
      proto::CommModelSpec());
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_THAT(rows[0].counted_sent_bytes().absent_reason(), HasSubstr("images"));
  EXPECT_THAT(rows[0].measured_busy_seconds().absent_reason(), HasSubstr("phases"));
}

}  // namespace
}  // namespace lockstep
