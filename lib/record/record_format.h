// The bytes of a record file.
//
//   0x0A  varint(size)  size bytes of the record     field 1, length-delimited
//   0x15  4 bytes                                     field 2, fixed32: CRC-32 of the record's bytes, little-endian
//   ... again ...
//
// so that the whole file is one protobuf message (lib/proto/header.proto) and can be appended to. The CRC is zlib's
// (ISO 3309). A flip in a record's bytes or in its CRC shows in the CRC; a flip in the tags or the size shows as a wrong
// tag, a cut-off file, or a CRC that does not match the bytes then taken.
//
// Rationale: the CRC follows the record, not the size, because protobuf has no place for it before; a damaged size can
// thus make a reader take many bytes, so sizes above kMaxRecordBytes are refused before anything is allocated.
#ifndef LOCKSTEP_LIB_RECORD_RECORD_FORMAT_H_
#define LOCKSTEP_LIB_RECORD_RECORD_FORMAT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace lockstep {

inline constexpr unsigned char kRecordTag = 0x0A;        // (1 << 3) | 2
inline constexpr unsigned char kCrcTag = 0x15;           // (2 << 3) | 5
inline constexpr uint64_t kMaxRecordBytes = 256u << 20;  // 256 MiB; the largest written today are chunks of about 3 MB

// The bytes of a record: entries of a map stand by their keys, so that the same message has the same bytes in every
// process. False: it is larger than 2 GiB.
bool SerialiseInOrder(const google::protobuf::Message& record, std::string& bytes);

uint32_t Crc32(absl::string_view bytes);

// What stands before a record of `size` bytes (at most kMaxRecordBytes), and what stands after a record.
std::string FrameHead(uint64_t size);
std::string FrameTail(absl::string_view record);

// Returns whether a file that begins with `bytes` may be a record file, whole or cut off, whatever its schema. All of
// the first 64 bytes of the file must be given.
bool BeginsAsRecordFile(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORD_FORMAT_H_
