#include "lib/scaling/join_records.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the record of a run on 1 and `ranks` ranks of one host.
ScaleRecords RunOn(const std::string& path, uint32_t ranks) {
  ScaleRecords scale;
  scale.input.set_path(path);
  scale.header.mutable_host()->set_name_sha256("host");
  scale.header.mutable_host()->set_cpu_model("CPU");
  scale.header.add_device()->set_name("CPU");
  scale.header.mutable_libraries()->set_libtorch("2.11");
  proto::Input& images = *scale.header.add_input();
  images.set_path("dataset.rec");
  images.set_sha256("images");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "mode: DDP ranks: 1 batch_size: 32 backend: SHARED_MEMORY overlap: true model { training_images: 256 }"
      "training { model: 'lenet5' device: CPU precision: FP32 repeats: 2 learning_rate: 0.01 }",
      scale.records.emplace_back().mutable_spec()));
  scale.records[0].mutable_spec()->add_ranks(ranks);
  for (const uint32_t one : {1u, ranks}) {
    proto::ScalePoint& point = *scale.records.emplace_back().mutable_point();
    point.set_ranks(one);
    point.set_batch_per_device(32);
    point.set_reduction(one == 1 ? proto::PLAIN : proto::ALL_REDUCE);
    point.set_outcome(proto::COMPLETED);
    point.set_steps_per_epoch(8 / one);
    point.set_images_per_epoch(256);
    point.mutable_epoch_seconds()->add_value(1.0 / ranks);
  }
  return scale;
}

std::vector<uint32_t> Ranks(const ScaleRecords& scale) {
  std::vector<uint32_t> ranks;
  for (const proto::ScaleRecord& record : scale.records) {
    if (record.has_point()) {
      ranks.push_back(record.point().ranks());
    }
  }
  return ranks;
}

TEST(JoinScaleRecordsTest, OneRecordIsUnchanged) {
  const auto joined = JoinScaleRecords({RunOn("two.rec", 2)});
  ASSERT_THAT(joined, IsOk());
  EXPECT_EQ(joined->scale.input.path(), "two.rec");
  EXPECT_THAT(Ranks(joined->scale), ElementsAre(1, 2));
  EXPECT_THAT(joined->repeated, IsEmpty());
}

TEST(JoinScaleRecordsTest, TheEpochsOfAPointOfBothArePooled) {
  ScaleRecords two = RunOn("two.rec", 2), four = RunOn("four.rec", 4);
  proto::Input& prediction = *four.header.add_input();
  prediction.set_sha256("prediction");
  proto::ScalePoint& first = *two.records[1].mutable_point();
  first.mutable_epoch_seconds()->add_value(0.75);
  first.mutable_exposed_seconds()->set_absent_reason("one device sends nothing");
  proto::ScalePoint& second = *four.records[1].mutable_point();
  second.mutable_step_seconds()->add_value(0.125);
  const auto joined = JoinScaleRecords({two, four});
  ASSERT_THAT(joined, IsOk());
  EXPECT_EQ(joined->scale.input.path(), "two.rec,four.rec");
  EXPECT_THAT(Ranks(joined->scale), ElementsAre(1, 2, 4));
  const proto::ScalePoint& pooled = joined->scale.records[1].point();
  EXPECT_THAT(pooled.epoch_seconds().value(), ElementsAre(0.5, 0.75, 0.25));
  EXPECT_THAT(pooled.step_seconds().value(), ElementsAre(0.125));
  EXPECT_EQ(pooled.exposed_seconds().absent_reason(), "one device sends nothing");
  EXPECT_THAT(pooled.pooled_file(), ElementsAre("two.rec", "four.rec"));
  EXPECT_EQ(pooled.detail(), "");
  EXPECT_THAT(joined->scale.records[2].point().pooled_file(), IsEmpty());
  EXPECT_THAT(joined->scale.records[0].spec().ranks(), ElementsAre(1, 2, 4));
  EXPECT_THAT(joined->repeated, ElementsAre("1 rank, batch 32 per device, plain: epochs of two.rec and four.rec"));
  EXPECT_EQ(joined->scale.header.input_size(), 2);  // images, prediction
}

TEST(JoinScaleRecordsTest, APointOfThreeRunsIsPooled) {
  std::vector<ScaleRecords> runs = {RunOn("a.rec", 2), RunOn("b.rec", 2), RunOn("c.rec", 2)};
  for (size_t i = 0; i < runs.size(); ++i) {
    runs[i].records[2].mutable_point()->mutable_epoch_seconds()->set_value(0, 1.0 + static_cast<double>(i));
  }
  const auto joined = JoinScaleRecords(runs);
  ASSERT_THAT(joined, IsOk());
  const proto::ScalePoint& pooled = joined->scale.records[2].point();
  EXPECT_THAT(pooled.epoch_seconds().value(), ElementsAre(1, 2, 3));
  EXPECT_THAT(pooled.pooled_file(), ElementsAre("a.rec", "b.rec", "c.rec"));
}

// The points of one device have equal times, so that one run was copied.
TEST(JoinScaleRecordsTest, ACopyCountsOnce) {
  const auto joined = JoinScaleRecords({RunOn("two.rec", 2), RunOn("copy.rec", 2)});
  ASSERT_THAT(joined, IsOk());
  EXPECT_THAT(joined->scale.records[1].point().epoch_seconds().value(), ElementsAre(0.5));
  EXPECT_THAT(joined->scale.records[1].point().pooled_file(), IsEmpty());
  EXPECT_THAT(
      joined->repeated,
      ElementsAre("1 rank, batch 32 per device, plain: epochs of two.rec; those of copy.rec are the same times, "
                  "and count once",
                  HasSubstr("2 ranks")));
}

TEST(JoinScaleRecordsTest, APointThatFailedIsReplaced) {
  ScaleRecords two = RunOn("two.rec", 2), four = RunOn("four.rec", 4);
  two.records[1].mutable_point()->set_outcome(proto::FAILED);
  two.records[1].mutable_point()->clear_epoch_seconds();
  for (const auto& records : {std::vector<ScaleRecords>{two, four}, std::vector<ScaleRecords>{four, two}}) {
    const auto joined = JoinScaleRecords(records);
    ASSERT_THAT(joined, IsOk());
    EXPECT_EQ(joined->scale.records[1].point().outcome(), proto::COMPLETED);
    EXPECT_THAT(joined->scale.records[1].point().epoch_seconds().value(), ElementsAre(0.25));
    EXPECT_THAT(joined->repeated, ElementsAre("1 rank, batch 32 per device, plain: epochs of four.rec only; the point "
                                              "of two.rec did not complete"));
  }
}

TEST(JoinScaleRecordsTest, EpochsOfOtherStepsAreNotPooled) {
  ScaleRecords four = RunOn("four.rec", 4);
  four.records[1].mutable_point()->set_steps_per_epoch(7);
  EXPECT_THAT(
      JoinScaleRecords({RunOn("two.rec", 2), four}),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("four.rec: expected 1 rank, batch 32 per device, plain with 8 steps and 256 images per "
                         "epoch, like in two.rec, found 7 steps and 256 images per epoch; explain each record "
                         "by itself")));
}

TEST(JoinScaleRecordsTest, APointKeepsItsOwnNumberOfEpochs) {
  ScaleRecords four = RunOn("four.rec", 4);
  four.records[0].mutable_spec()->mutable_training()->set_repeats(7);
  const auto joined = JoinScaleRecords({RunOn("two.rec", 2), four});
  ASSERT_THAT(joined, IsOk());
  EXPECT_EQ(joined->scale.records[3].point().training().repeats(), 7u);
  EXPECT_FALSE(joined->scale.records[2].point().has_training());
}

TEST(JoinScaleRecordsTest, RefusesRunsThatDiffer) {
  const auto refused = [](const char* why) {
    return StatusIs(absl::StatusCode::kFailedPrecondition,
                    AllOf(HasSubstr("four.rec: expected a run that can be joined with two.rec"), HasSubstr(why)));
  };
  ScaleRecords four = RunOn("four.rec", 4);
  four.header.mutable_host()->set_name_sha256("another host");
  EXPECT_THAT(
      JoinScaleRecords({RunOn("two.rec", 2), four}),
      refused("found different machines, whose times give no speed-up; explain each record by itself, and report "
              "all of them on one page: comm_model --input=two.rec --output=first_model.rec && comm_model "
              "--input=four.rec --output=other_model.rec && report two.rec first_model.rec four.rec "
              "other_model.rec"));
  four = RunOn("four.rec", 4);
  four.records[0].mutable_spec()->mutable_training()->set_learning_rate(0.1);
  EXPECT_THAT(JoinScaleRecords({RunOn("two.rec", 2), four}), refused("learning_rate 0.1 instead of 0.01"));
  four = RunOn("four.rec", 4);
  four.records[0].mutable_spec()->mutable_model()->set_training_images(50000);
  EXPECT_THAT(JoinScaleRecords({RunOn("two.rec", 2), four}), refused("50000 training images instead of 256"));
  four = RunOn("four.rec", 4);
  four.records[0].mutable_spec()->set_backend(proto::GLOO);
  EXPECT_THAT(JoinScaleRecords({RunOn("two.rec", 2), four}), refused("communication {backend=gloo overlap=true"));
  four = RunOn("four.rec", 4);
  four.records[0].mutable_spec()->set_first_bucket_bytes(1 << 20);
  EXPECT_THAT(JoinScaleRecords({RunOn("two.rec", 2), four}), refused("first_bucket_bytes=1048576} instead of"));
  four = RunOn("four.rec", 4);
  four.header.mutable_libraries()->set_libtorch("2.15");
  EXPECT_THAT(JoinScaleRecords({RunOn("two.rec", 2), four}), refused("2.15"));
  four.records.clear();
  EXPECT_THAT(JoinScaleRecords({RunOn("two.rec", 2), four}), refused("no ScaleSpec"));
}

}  // namespace
}  // namespace lockstep
