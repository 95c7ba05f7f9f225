#include "absl/strings/string_view.h"
#include "lib/record/record_format.h"

#include <zlib.h>

namespace lockstep {

uint32_t Crc32(absl::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void FrameRecord(absl::string_view record, std::string& frame) {
  frame.clear();
  frame.reserve(record.size() + 16);
  frame.push_back(static_cast<char>(kRecordTag));
  for (uint64_t size = record.size(); true; size >>= 7) {
    const bool last = size < 0x80;
    frame.push_back(static_cast<char>((size & 0x7F) | (last ? 0 : 0x80)));
    if (last) {
      break;
    }
  }
  frame.append(record.data(), record.size());
  frame.push_back(static_cast<char>(kCrcTag));
  const uint32_t crc = Crc32(record);
  for (int shift = 0; shift < 32; shift += 8) {
    frame.push_back(static_cast<char>((crc >> shift) & 0xFF));
  }
}

}  // namespace lockstep
