#include "lib/export/event_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/export/tensorboard.pb.h"

namespace lockstep {
namespace {

// Sources: RFC 3720, appendix B.4, and the check value of the CRC catalogues.
TEST(Crc32cTest, IsTheStandards) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AA);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62A8AB43);
  EXPECT_EQ(Crc32c(""), 0);
}

// The first frame of every event file that TensorBoard's own writer makes, without wall_time 0.
TEST(EventFrameTest, HasLengthAndChecks) {
  const std::string event =
      "\x1a\x0d"
      "brain.Event:2";
  const std::string frame = EventFrame(event);
  ASSERT_EQ(frame.size(), 8 + 4 + event.size() + 4);
  EXPECT_EQ(frame.substr(0, 8), std::string("\x0f\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(frame.substr(12, event.size()), event);
  EXPECT_NE(frame.substr(8, 4), frame.substr(frame.size() - 4));
}

std::vector<tensorboard::Event> Read(const std::string& bytes) {
  std::vector<tensorboard::Event> events;
  for (size_t at = 0; at < bytes.size();) {
    const size_t length = static_cast<uint8_t>(bytes[at]) + 256 * static_cast<uint8_t>(bytes[at + 1]);
    EXPECT_TRUE(events.emplace_back().ParseFromString(bytes.substr(at + 12, length)));
    EXPECT_EQ(bytes.substr(at, 16 + length), EventFrame(bytes.substr(at + 12, length)));
    at += 16 + length;
  }
  return events;
}

TEST(EventFileTest, AnEventAnEpoch) {
  google::protobuf::RepeatedPtrField<proto::EpochResult> epochs;
  for (uint32_t number = 0; number < 2; ++number) {
    proto::EpochResult& epoch = *epochs.Add();
    epoch.set_epoch(number);
    epoch.set_mean_loss(2 - number);
    epoch.set_train_accuracy(0.25);
    epoch.set_train_seconds(3);
    epoch.set_evaluate_seconds(1);
  }
  epochs[1].set_test_accuracy(0.5);
  epochs[1].set_validation_accuracy(0.75);
  epochs[1].set_mirrored_test_accuracy(0.625);
  const std::vector<tensorboard::Event> events = Read(EventFileBytes(epochs, 1000));
  ASSERT_EQ(events.size(), 3);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  EXPECT_EQ(events[1].step(), 1);
  EXPECT_EQ(events[1].wall_time(), 1004);
  EXPECT_EQ(events[1].summary().value_size(), 4);  // not evaluated
  EXPECT_EQ(events[2].wall_time(), 1008);
  ASSERT_EQ(events[2].summary().value_size(), 7);
  EXPECT_EQ(events[2].summary().value(0).tag(), "loss/train");
  EXPECT_EQ(events[2].summary().value(0).simple_value(), 1);
  EXPECT_EQ(events[2].summary().value(2).tag(), "accuracy/test");
  EXPECT_EQ(events[2].summary().value(2).simple_value(), 0.5);
  EXPECT_EQ(events[2].summary().value(3).tag(), "accuracy/test_mirrored");
  EXPECT_EQ(events[2].summary().value(3).simple_value(), 0.625);
  EXPECT_EQ(events[2].summary().value(4).tag(), "accuracy/validation");
  EXPECT_EQ(events[2].summary().value(4).simple_value(), 0.75);
}

}  // namespace
}  // namespace lockstep
