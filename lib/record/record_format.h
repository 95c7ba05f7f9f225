// Byte format of a record file.
//
//   0x0A  varint(size)  size bytes of the record     field 1, length-delimited
//   0x15  4 bytes                                     field 2, fixed32: CRC-32 of the record's bytes, little-endian
//   ... repeated for each record ...
//
// Hence the whole file is one protobuf message (lib/proto/header.proto), to which records can be appended. The CRC is
// zlib's (ISO 3309). A bit flip in a record's bytes or in its CRC is detected by the CRC. A bit flip in a tag or in the
// size is detected as a wrong tag, a cut-off file, or a CRC that does not match.
//
// Rationale: the CRC follows the record, not the size, because protobuf has no place for a CRC before the record. Thus
// a damaged size could make a reader read many bytes. Therefore the reader refuses sizes above kMaxRecordBytes before
// it allocates memory.
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

// Serializes `record` into `bytes`, with map entries sorted by key, so that equal messages have equal bytes in every
// process. Returns false if the record is larger than 2 GiB.
bool SerialiseInOrder(const google::protobuf::Message& record, std::string& bytes);

uint32_t Crc32(absl::string_view bytes);

// Returns the bytes before a record of `size` bytes (at most kMaxRecordBytes), and the bytes after a record.
std::string FrameHead(uint64_t size);
std::string FrameTail(absl::string_view record);

// Returns true if a file that begins with `bytes` may be a record file of any schema, complete or cut off. `bytes` must
// contain the first 64 bytes of the file, or the whole file if it is shorter.
bool BeginsAsRecordFile(absl::string_view bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORD_FORMAT_H_
