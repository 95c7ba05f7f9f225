// Reads record files, and believes nothing that it has not checked.
#ifndef LOCKSTEP_LIB_RECORD_RECORD_READER_H_
#define LOCKSTEP_LIB_RECORD_RECORD_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "lib/base/status_macros.h"
#include "lib/proto/header.pb.h"
#include "lib/record/digested_input.h"

namespace lockstep {

// The largest JSON here is 0.3 MB; parsed, it takes some ten times its size.
inline constexpr uint64_t kMaxJsonBytes = uint64_t{64} << 20;

// One pass over a record file. Holds one record at a time. Not thread-safe.
class RecordReader {
 public:
  // Opens the file ("-": standard input) and reads its header. `schema` is the full name of the file message expected,
  // or "" for any that this build knows. NotFound: no such file. DataLoss: not a record file, or broken.
  // FailedPrecondition: a record file of another tool, or of a version that this build does not know.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Open(const std::string& path, absl::string_view schema);

  // Makes the bytes of a record file of its JSON.
  using FromJson = std::function<absl::StatusOr<std::string>(const std::string& json)>;

  // The same, of a record file or of its JSON, a file that begins with '{'. DataLoss also: the JSON is larger than
  // kMaxJsonBytes. Others as `from_json`'s.
  static absl::StatusOr<std::unique_ptr<RecordReader>> OpenAny(const std::string& path, const FromJson& from_json);

  // Opens a record file that is in memory, and reads its header. `path` is the file's name in messages and in input().
  // Errors as Open's.
  static absl::StatusOr<std::unique_ptr<RecordReader>> OpenBytes(const std::string& path, std::string bytes);

  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // As given to Open.
  const std::string& path() const { return path_; }

  const proto::Header& header() const { return header_; }

  // Reads the next record into `record` and returns true; false once the trailer was read and found to agree.
  // DataLoss names file, record and byte, and says how many records before it are whole: a wrong tag or CRC, bytes that
  // do not parse, a cut-off end, a trailer that counts otherwise, bytes after the trailer. Cancelled: a stop signal came.
  absl::StatusOr<bool> Next(google::protobuf::Message& record);

  // Reads all records that are left, up to the trailer, without parsing them: every checksum is right, and the trailer
  // agrees. Errors as Next's.
  absl::Status CheckRest();

  // Valid after Next returned false, or CheckRest OK.
  const proto::Trailer& trailer() const { return trailer_; }

  // The file as an input of the next tool: digest and size of the whole file, which is read to its end first; of JSON,
  // those of the record file that it stands for, by which other records name it. DataLoss:
  // it cannot be read to its end. Cancelled: as Next.
  absl::StatusOr<proto::Input> input();

  // The bytes of the record read last: the header's after Open, the trailer's after Next returned false.
  absl::string_view payload() const { return payload_; }

  // Records read so far, the header counted.
  uint64_t record_count() const { return record_count_; }

  // Where the last of them ends, in bytes from the file's start.
  uint64_t whole_bytes() const { return whole_bytes_; }

 private:
  RecordReader(std::string path, std::unique_ptr<DigestedInput> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  static absl::StatusOr<std::unique_ptr<RecordReader>> OpenFile(const std::string& path, absl::string_view schema);
  absl::Status Convert(const FromJson& from_json);
  uint64_t offset() const { return is_converted_ ? converted_offset_ : file_->offset(); }
  absl::Status ReadHeader(absl::string_view schema);
  absl::StatusOr<bool> ReadFrame(std::string& payload);
  absl::StatusOr<bool> NextFrame();
  void CountFrame();
  absl::StatusOr<uint64_t> ReadSize();
  absl::Status ReadAndCheckCrc(absl::string_view payload);
  absl::StatusOr<size_t> ReadSome(void* bytes, size_t size);
  absl::Status ReadExactly(void* bytes, size_t size, const char* what);
  absl::Status Broken(const std::string& what) const;
  absl::Status CutOff(const char* what) const;

  const std::string path_;
  const std::unique_ptr<DigestedInput> file_;  // null: the bytes are in memory
  FromJson from_json_;                         // null: JSON is no record file
  std::string converted_;  // bytes made of JSON, or given as bytes, and the position of the next one
  uint64_t converted_offset_ = 0;
  bool is_converted_ = false;
  proto::Header header_;
  proto::Trailer trailer_;
  std::string payload_;
  uint64_t record_count_ = 0;
  uint64_t whole_bytes_ = 0;
};

// A whole record file in memory.
template <typename Record>
struct RecordFile {
  proto::Header header;
  std::vector<Record> records;  // without header and trailer
  proto::Trailer trailer;       // unset fields when salvaged from a cut-off file
  proto::Input input;           // without a digest when salvaged from a file that cannot be read to its end
  std::string salvage_note;     // empty: the file was whole; else what is damaged, and how many records were whole
};

// kStrict: a file that is not whole is an error. kSalvage: the records before the first damage are returned with a note.
enum class ReadMode { kStrict, kSalvage };

// Reads a file whose message type is `File` (proto::SweepFile). Errors as RecordReader's.
template <typename File, typename Record = std::decay_t<decltype(std::declval<File>().record(0))>>
absl::StatusOr<RecordFile<Record>> ReadRecordFile(const std::string& path, ReadMode mode = ReadMode::kStrict) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader, RecordReader::Open(path, File::descriptor()->full_name()));
  RecordFile<Record> file;
  file.header = reader->header();
  while (true) {
    Record record;
    absl::StatusOr<bool> more = reader->Next(record);
    if (!more.ok() && (mode == ReadMode::kStrict || !absl::IsDataLoss(more.status()))) {
      return more.status();
    }
    if (!more.ok()) {
      file.salvage_note = std::string(more.status().message());
      break;
    }
    if (!*more) {
      file.trailer = reader->trailer();
      break;
    }
    file.records.push_back(std::move(record));
  }
  absl::StatusOr<proto::Input> input = reader->input();
  if (input.ok()) {
    file.input = *std::move(input);
  } else if (file.salvage_note.empty() || !absl::IsDataLoss(input.status())) {
    return input.status();
  } else {
    file.input.set_path(path);
  }
  return file;
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORD_READER_H_
