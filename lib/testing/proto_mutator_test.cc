#include "lib/testing/proto_mutator.h"

#include <cmath>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep::testing {
namespace {

// Appends an x. Stands in for libFuzzer's mutations of bytes.
size_t AppendX(uint8_t* data, size_t size, size_t max_size) {
  if (size < max_size) {
    data[size++] = 0xC0 | 'x';  // not valid UTF-8
  }
  return size;
}

TEST(ProtoMutatorTest, WhatComesOutParsesAgain) {
  ProtoMutator mutator(1, &AppendX);
  proto::SweepFile message;
  for (int i = 0; i < 5000; ++i) {
    mutator.Mutate(message);
    if (message.ByteSizeLong() > 10'000) {
      message.Clear();
    }
    proto::SweepFile again;
    ASSERT_TRUE(again.ParseFromString(message.SerializeAsString())) << i;
  }
}

TEST(ProtoMutatorTest, ReachesEveryKindOfRecordAndOddNumbers) {
  ProtoMutator mutator(2, &AppendX);
  proto::SweepFile message;
  std::set<int> kinds;
  bool nan = false, unknown_outcome = false;
  for (int i = 0; i < 60'000; ++i) {
    mutator.Mutate(message);
    for (const proto::SweepRecord& record : message.record()) {
      kinds.insert(record.kind_case());
      for (const double value : record.point().epoch_seconds().value()) {
        nan = nan || std::isnan(value);
      }
      unknown_outcome = unknown_outcome || !proto::Outcome_IsValid(record.point().outcome());
    }
    if (message.ByteSizeLong() > 3000) {
      message.Clear();
    }
  }
  EXPECT_THAT(kinds, ::testing::IsSupersetOf({proto::SweepRecord::kHeader, proto::SweepRecord::kTrailer,
                                              proto::SweepRecord::kSpec, proto::SweepRecord::kPoint,
                                              proto::SweepRecord::kCheckpoint, proto::SweepRecord::kEnd}));
  EXPECT_TRUE(nan);
  EXPECT_TRUE(unknown_outcome);
}

TEST(ProtoMutatorTest, CrossOverTakesAMessageOverWhereItsTypeHasAPlace) {
  proto::SweepFile other;
  other.add_record()->mutable_point()->set_batch_size(77);
  bool taken = false;
  for (uint32_t seed = 0; seed < 100; ++seed) {
    proto::SweepFile message;
    ProtoMutator(seed, &AppendX).CrossOver(other, message);
    taken = taken || (message.record_size() == 1 && message.record(0).point().batch_size() == 77);
  }
  EXPECT_TRUE(taken);
}

}  // namespace
}  // namespace lockstep::testing
