#include "lib/export/event_file.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "lib/export/tensorboard.pb.h"

namespace lockstep {
namespace {

constexpr uint32_t kCastagnoli = 0x82F63B78;  // reversed polynomial

std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kCastagnoli : 0);
    }
    table[byte] = crc;
  }
  return table;
}

// Returns the bytes in little-endian order on any machine.
template <typename Unsigned>
std::string Bytes(Unsigned number) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(number); ++i) {
    bytes += static_cast<char>(number >> (8 * i));
  }
  return bytes;
}

// Returns the rotated CRC plus a constant. The CRC of data that contains CRCs would be weak.
uint32_t Masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8; }

void AddValue(const char* tag, double value, tensorboard::Summary& summary) {
  tensorboard::Summary::Value& added = *summary.add_value();
  added.set_tag(tag);
  added.set_simple_value(static_cast<float>(value));
}

tensorboard::Event EventOf(const proto::EpochResult& epoch) {
  tensorboard::Event event;
  event.set_step(epoch.epoch() + 1);
  tensorboard::Summary& summary = *event.mutable_summary();
  AddValue("loss/train", epoch.mean_loss(), summary);
  AddValue("accuracy/train", epoch.train_accuracy(), summary);
  if (epoch.has_test_accuracy()) {
    AddValue("accuracy/test", epoch.test_accuracy(), summary);
  }
  if (epoch.has_mirrored_test_accuracy()) {
    AddValue("accuracy/test_mirrored", epoch.mirrored_test_accuracy(), summary);
  }
  if (epoch.has_validation_accuracy()) {
    AddValue("accuracy/validation", epoch.validation_accuracy(), summary);
  }
  AddValue("learning_rate", epoch.learning_rate(), summary);
  AddValue("seconds/epoch", epoch.train_seconds(), summary);
  return event;
}

}  // namespace

uint32_t Crc32c(absl::string_view bytes) {
  static const std::array<uint32_t, 256> table = MakeTable();
  uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ table[(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  return ~crc;
}

std::string EventFrame(absl::string_view event) {
  const std::string length = Bytes(static_cast<uint64_t>(event.size()));
  return absl::StrCat(length, Bytes(Masked(Crc32c(length))), event, Bytes(Masked(Crc32c(event))));
}

std::string EventFileBytes(const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs, double begin_seconds) {
  tensorboard::Event first;
  first.set_wall_time(begin_seconds);
  first.set_file_version("brain.Event:2");
  first.mutable_source_metadata()->set_writer(kEventFileMark);
  std::string bytes = EventFrame(first.SerializeAsString());
  double now = begin_seconds;
  for (const proto::EpochResult& epoch : epochs) {
    now += epoch.train_seconds() + epoch.evaluate_seconds();
    tensorboard::Event event = EventOf(epoch);
    event.set_wall_time(now);
    absl::StrAppend(&bytes, EventFrame(event.SerializeAsString()));
  }
  return bytes;
}

}  // namespace lockstep
