#include "lib/record/record_format.h"

#include <zlib.h>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

namespace lockstep {
namespace {

constexpr absl::string_view kSchemaPackage = "lockstep.proto.";  // start of each schema's name

}  // namespace

bool SerialiseInOrder(const google::protobuf::Message& record, std::string& bytes) {
  bytes.clear();
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  return record.SerializeToCodedStream(&coded);
}

uint32_t Crc32(absl::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string FrameHead(uint64_t size) {
  std::string head(1, static_cast<char>(kRecordTag));
  for (; size >= 0x80; size >>= 7) {
    head.push_back(static_cast<char>((size & 0x7F) | 0x80));
  }
  head.push_back(static_cast<char>(size));
  return head;
}

std::string FrameTail(absl::string_view record) {
  std::string tail(1, static_cast<char>(kCrcTag));
  const uint32_t crc = Crc32(record);
  for (int shift = 0; shift < 32; shift += 8) {
    tail.push_back(static_cast<char>((crc >> shift) & 0xFF));
  }
  return tail;
}

// The start of a record file is record { header { schema: "lockstep.proto. : three nested length-delimited fields with
// number 1.
bool BeginsAsRecordFile(absl::string_view bytes) {
  for (int depth = 0; depth < 3; ++depth) {
    if (!bytes.empty() && static_cast<unsigned char>(bytes[0]) != kRecordTag) {
      return false;
    }
    size_t size = bytes.empty() ? 0 : 1;
    while (size < bytes.size() && (static_cast<unsigned char>(bytes[size]) & 0x80) != 0) {
      ++size;
    }
    bytes.remove_prefix(size < bytes.size() ? size + 1 : bytes.size());
  }
  const size_t common = bytes.size() < kSchemaPackage.size() ? bytes.size() : kSchemaPackage.size();
  return bytes.substr(0, common) == kSchemaPackage.substr(0, common);
}

}  // namespace lockstep
