#include "lib/scaling/point_settings.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

std::string TextOf(const std::string& spec, const std::string& point) {
  return SettingsText(SettingsOf(FromText<proto::ScaleSpec>(spec), FromText<proto::ScalePoint>(point)));
}

TEST(PointSettingsTest, AnOlderRecordMeansWhatThereWas) {
  EXPECT_EQ(TextOf("mode: DDP buffers: 'local'", "ranks: 2"), "DDP, lab preset");
  EXPECT_EQ(TextOf("mode: DP preset: 'lab'", ""), "DataParallel, lab preset");
}

TEST(PointSettingsTest, WhatIsUnusualIsReported) {
  EXPECT_EQ(TextOf("mode: DDP preset: 'lab' training { precision: FP32 }",
                   "mode: DDP preset: 'fast' step: FUSED gradient_compression: 'bf16' training { precision: BF16 }"),
            "DDP, fast preset (fused step, bf16), gradients sent in bf16");
  EXPECT_EQ(TextOf("mode: DDP", "buffers: 'sync_bn' reducer: 'c10d' bucket_plan: 'auto'"),
            "DDP, lab preset, batch norm over all ranks, LibTorch's reducer, buckets by measured times");
}

TEST(PointSettingsTest, ReducersByPeersUseTheMemoryOfTheHostsOtherGpus) {
  for (const char* reducer : {"peer", "peer_sharded", "hierarchical"}) {
    EXPECT_TRUE(IsByPeers(reducer)) << reducer;
  }
  for (const char* reducer : {"", "own", "c10d", "auto"}) {
    EXPECT_FALSE(IsByPeers(reducer)) << reducer;
  }
  EXPECT_EQ(TextOf("mode: DDP", "reducer: 'hierarchical'"),
            "DDP, lab preset, copies between the GPUs of a host, NCCL between hosts");
}

TEST(PointSettingsTest, AnUpdateOfBf16WithoutGradientNormsCanBeShared) {
  EXPECT_TRUE(CanShareUpdate(FromText<proto::TrainingSpec>("precision: BF16")));
  for (const char* training : {"precision: FP32", "precision: BF16 clip_norm: 1", "precision: BF16 lars: 0.001"}) {
    EXPECT_FALSE(CanShareUpdate(FromText<proto::TrainingSpec>(training))) << training;
  }
}

std::vector<std::string> CommunicationWords(const std::string& spec) {
  std::vector<std::string> words;
  for (const RunSetting& setting : CommunicationSettings(FromText<proto::ScaleSpec>(spec))) {
    words.push_back(setting.words);
  }
  return words;
}

TEST(PointSettingsTest, EachSettingOfTheCommunicationChangesItsWords) {
  EXPECT_THAT(CommunicationWords("backend: NCCL overlap: true bucket_bytes: 26214400 first_bucket_bytes: 1048576"),
              ElementsAre("backend=nccl", "overlap=true", "bucket_bytes=26214400", "first_bucket_bytes=1048576"));
  EXPECT_THAT(CommunicationWords("backend: SHARED_MEMORY mode: DP preset: 'fast'"),
              ElementsAre("backend=shared_memory", "overlap=false", "bucket_bytes=0", "first_bucket_bytes=0"));
}

// Every field distinguishes points, and also changes the text; otherwise two tables would have the same title.
TEST(PointSettingsTest, APartHoldsWhatIsTrainedAlike) {
  const proto::ScaleSpec spec = FromText<proto::ScaleSpec>("mode: DDP preset: 'lab' training { precision: FP32 }");
  std::vector<proto::ScalePoint> points;
  for (const char* text :
       {"", "mode: DP", "preset: 'fast'", "step: FUSED", "training { precision: BF16 }", "gradient_compression: 'bf16'",
        "buffers: 'broadcast'", "reducer: 'c10d'", "bucket_plan: 'auto'", "row: '8192'", "ranks: 2"}) {
    points.push_back(FromText<proto::ScalePoint>(text));
  }
  std::vector<const proto::ScalePoint*> all;
  for (const proto::ScalePoint& point : points) {
    all.push_back(&point);
  }
  const std::vector<SettingsPart> parts = SplitBySettings(spec, all);
  ASSERT_THAT(parts, SizeIs(9));
  EXPECT_THAT(parts[0].points, SizeIs(2));  // the first and the last: ranks are no setting; a row of an experiment is
                                            // in no part
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      EXPECT_NE(SettingsText(parts[i].settings), SettingsText(parts[j].settings));
    }
  }
}

}  // namespace
}  // namespace lockstep
