// Fuzz target for the record reader. Reads the raw bytes, and the bytes with corrected checksums, because otherwise no
// mutated record would pass its CRC. Checks for each accepted file that
//     - it is one protobuf message;
//     - the reader reports its size and digest;
//     - reading in salvage mode and reading without parsing give the same result;
//     - without its last byte it is still readable in salvage mode.
#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/io/coded_stream.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/digest.h"
#include "lib/record/record_format.h"
#include "lib/record/record_reader.h"
#include "lib/testing/fuzz.h"

namespace lockstep {
namespace {

using testing::MemoryFile;

using Sweep = RecordFile<proto::SweepRecord>;

// Returns `bytes` with corrected checksums. The bytes from the first invalid frame on are unchanged.
std::string WithRightChecksums(absl::string_view bytes) {
  std::string corrected;
  while (true) {
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                  static_cast<int>(bytes.size()));
    uint32_t tag = 0;
    uint32_t size = 0;
    if (!stream.ReadVarint32(&tag) || tag != kRecordTag || !stream.ReadVarint32(&size)) {
      break;
    }
    const size_t begin = stream.CurrentPosition();
    if (size > bytes.size() - begin || bytes.size() - begin - size < 5) {
      break;
    }
    const absl::string_view record = bytes.substr(begin, size);
    absl::StrAppend(&corrected, FrameHead(size), record, FrameTail(record));
    bytes.remove_prefix(begin + size + 5);
  }
  corrected.append(bytes.data(), bytes.size());
  return corrected;
}

absl::StatusOr<Sweep> Read(absl::string_view bytes, ReadMode mode) {
  const MemoryFile file(bytes);
  absl::StatusOr<Sweep> sweep = ReadRecordFile<proto::SweepFile>(file.path(), mode);
  if (!sweep.ok()) {
    testing::CheckUserError(sweep.status());
  }
  return sweep;
}

void CheckSameRecords(const Sweep& prefix, const Sweep& whole) {
  FUZZ_CHECK(prefix.header.SerializeAsString() == whole.header.SerializeAsString());
  FUZZ_CHECK(prefix.records.size() <= whole.records.size());
  for (size_t i = 0; i < prefix.records.size(); ++i) {
    FUZZ_CHECK(prefix.records[i].SerializeAsString() == whole.records[i].SerializeAsString());
  }
}

// Checks that the reader, without parsing, accepts every file that it accepts with parsing, and finds the same trailer.
void CheckUnparsed(absl::string_view bytes, const absl::StatusOr<Sweep>& strict) {
  const MemoryFile file(bytes);
  const auto reader = RecordReader::Open(file.path(), proto::SweepFile::descriptor()->full_name());
  const absl::Status rest = reader.ok() ? (*reader)->CheckRest() : reader.status();
  if (!rest.ok()) {
    testing::CheckUserError(rest);
  }
  FUZZ_CHECK(!strict.ok() || rest.ok());
  FUZZ_CHECK(!strict.ok() || (*reader)->trailer().SerializeAsString() == strict->trailer.SerializeAsString());
}

void CheckBytes(absl::string_view bytes) {
  const absl::StatusOr<Sweep> strict = Read(bytes, ReadMode::kStrict);
  const absl::StatusOr<Sweep> salvage = Read(bytes, ReadMode::kSalvage);
  CheckUnparsed(bytes, strict);
  if (!strict.ok()) {
    FUZZ_CHECK(!salvage.ok() || !salvage->salvage_note.empty());
    return;
  }
  FUZZ_CHECK(salvage.ok() && salvage->salvage_note.empty());
  FUZZ_CHECK(salvage->records.size() == strict->records.size());
  CheckSameRecords(*salvage, *strict);
  FUZZ_CHECK(strict->input.size_bytes() == bytes.size());
  FUZZ_CHECK(strict->input.sha256() == Sha256Hex(bytes));

  proto::SweepFile message;
  FUZZ_CHECK(message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  FUZZ_CHECK(static_cast<size_t>(message.record_size()) == strict->records.size() + 2);
  FUZZ_CHECK(message.crc32_size() == message.record_size());

  const absl::string_view cut = bytes.substr(0, bytes.size() - 1);
  FUZZ_CHECK(!Read(cut, ReadMode::kStrict).ok());
  const absl::StatusOr<Sweep> kept = Read(cut, ReadMode::kSalvage);
  FUZZ_CHECK(kept.ok() && kept->records.size() == strict->records.size());
  CheckSameRecords(*kept, *strict);
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes = lockstep::testing::Bytes(data, size);
  lockstep::CheckBytes(bytes);
  lockstep::CheckBytes(lockstep::WithRightChecksums(bytes));
  return 0;
}
