#include "lib/record/value_ranges.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/quantized.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

template <typename Record>
Record FromText(const std::string& text) {
  Record record;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &record)) << text;
  return record;
}

template <typename Record>
absl::Status Check(const std::string& text) {
  return ValueRanges().Check(FromText<Record>(text));
}

::testing::Matcher<absl::Status> Refuses(const std::string& message) {
  return StatusIs(absl::StatusCode::kDataLoss, HasSubstr(message));
}

TEST(ValueRangesTest, TakesWhatWasMeasured) {
  EXPECT_THAT(Check<proto::SweepRecord>("point { batch_size: 32 tail_batch: 16 epoch_seconds { value: 1 value: 0 } "
                                        "epoch { mean_loss: nan train_accuracy: 1 test_accuracy: 0 } }"),
              IsOk());
  EXPECT_THAT(Check<proto::ScaleRecord>("point { ranks: 2 batch_per_device: 8 global_batch: 16 "
                                        "exposed_seconds { value: -0.1 } sum_check { max_abs_error: inf } }"),
              IsOk());
  EXPECT_THAT(Check<proto::CommModelRecord>(
                  "scaling { ranks: 2 batch_per_device: 8 communication_seconds { value: -1 low: -inf high: inf } }"),
              IsOk());
  EXPECT_THAT(Check<proto::QuantizedRecord>("network { step { correct: 10 images: 10 } step { absent_reason: 'x' } }"),
              IsOk());
  EXPECT_THAT(Check<proto::SweepRecord>(""), IsOk());
}

TEST(ValueRangesTest, RefusesWhatIsNoNumber) {
  EXPECT_THAT(Check<proto::SweepRecord>("point { batch_size: 32 epoch_seconds { value: 1 value: nan } }"),
              Refuses("point.epoch_seconds.value[1] is nan; expected a finite number from 0 on"));
  EXPECT_THAT(Check<proto::SweepRecord>("point { batch_size: 32 epoch_seconds { value: inf } }"), Refuses("is inf"));
  EXPECT_THAT(Check<proto::CommModelRecord>("prediction { ranks: 2 batch_per_device: 8 epoch_seconds { value: nan } }"),
              Refuses("prediction.epoch_seconds.value is nan; expected a finite number"));
  EXPECT_THAT(
      Check<proto::CommModelRecord>("prediction { ranks: 2 batch_per_device: 8 epoch_seconds { value: 1 low: nan } }"),
      Refuses("prediction.epoch_seconds.low is nan"));
  EXPECT_THAT(Check<proto::QuantizedRecord>("network { layer { weight_scale: nan } }"),
              Refuses("network.layer[0].weight_scale is nan"));
}

TEST(ValueRangesTest, RefusesWhatCannotBeNegative) {
  EXPECT_THAT(Check<proto::SweepRecord>("point { batch_size: 32 step_seconds { value: -1 } }"),
              Refuses("point.step_seconds.value[0] is -1"));
  EXPECT_THAT(
      Check<proto::ScaleRecord>("point { ranks: 1 batch_per_device: 8 global_batch: 8 rank { epoch_seconds: -2 } }"),
      Refuses("point.rank[0].epoch_seconds is -2"));
  EXPECT_THAT(Check<proto::SweepRecord>("point { batch_size: 32 epoch { train_accuracy: 1.5 } }"),
              Refuses("point.epoch[0].train_accuracy is 1.5; expected 0 to 1"));
}

TEST(ValueRangesTest, RefusesNone) {
  EXPECT_THAT(Check<proto::SweepRecord>("point { }"),
              Refuses("point.batch_size is 0; expected a finite number from 1 on"));
  EXPECT_THAT(Check<proto::ScaleRecord>("point { batch_per_device: 8 global_batch: 8 }"), Refuses("point.ranks is 0"));
  EXPECT_THAT(Check<proto::CommModelRecord>("what_if { devices: 8 }"), Refuses("what_if.batch_per_device is 0"));
}

TEST(ValueRangesTest, RefusesMoreThanThereIs) {
  EXPECT_THAT(Check<proto::QuantizedRecord>("network { step { correct: 11 images: 10 } }"),
              Refuses("network.step[0].correct is 11; expected at most 10, the value of images"));
  ValueRanges sweep;
  ASSERT_THAT(sweep.Check(FromText<proto::SweepRecord>("spec { model { training_images: 80 } }")), IsOk());
  EXPECT_THAT(sweep.Check(FromText<proto::SweepRecord>("point { batch_size: 20 images_per_epoch: 80 }")), IsOk());
  EXPECT_THAT(sweep.Check(FromText<proto::SweepRecord>("point { batch_size: 20 images_per_epoch: 81 }")),
              Refuses("point.images_per_epoch is 81; expected at most 80, the data set's training images"));
  ValueRanges scale;
  ASSERT_THAT(scale.Check(FromText<proto::ScaleRecord>("spec { model { training_images: 80 } }")), IsOk());
  EXPECT_THAT(scale.Check(FromText<proto::ScaleRecord>(
                  "point { ranks: 3 batch_per_device: 1 global_batch: 3 images_per_epoch: 81 padded_images: 1 }")),
              IsOk());
  ValueRanges quantized;
  ASSERT_THAT(quantized.Check(FromText<proto::QuantizedRecord>("spec { test_images: 40 }")), IsOk());
  EXPECT_THAT(quantized.Check(FromText<proto::QuantizedRecord>("network { step { correct: 1 images: 41 } }")),
              Refuses("network.step[0].images is 41; expected at most 40"));
}

TEST(ValueRangesTest, NamesFileAndRecord) {
  const std::vector<proto::SweepRecord> records = {FromText<proto::SweepRecord>("spec { }"),
                                                   FromText<proto::SweepRecord>("point { }")};
  EXPECT_THAT(CheckValueRanges("s.rec", records), Refuses("s.rec: record 2: point.batch_size is 0"));
}

}  // namespace
}  // namespace lockstep
