// Reads record files and checks all of their contents.
#ifndef LOCKSTEP_LIB_RECORD_RECORD_READER_H_
#define LOCKSTEP_LIB_RECORD_RECORD_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
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

// Limit on the size of JSON. The largest JSON here has 0.3 MB; parsed JSON takes about ten times its size.
inline constexpr uint64_t kMaxJsonBytes = uint64_t{64} << 20;

// Requirement on the JSON of a record: whether its long bytes fields, such as pixels, may be given by their digest only
// (`report --print` without --print_bytes). They are then empty.
enum class BytesOfJson { kRequired, kMayBeLeftOut };

// Reader that makes one pass over a record file and holds one record at a time. Not thread-safe.
class RecordReader {
 public:
  // Opens the file ("-": standard input) and reads its header. `schema` is the full name of the expected file message,
  // or "" for any schema that this build knows. NotFound: there is no such file. DataLoss: the file is not a record
  // file, or is damaged. FailedPrecondition: the file is a folder, a record file of another tool, or of an unknown
  // version. For a tool's own outputs, which are never JSON.
  static absl::StatusOr<std::unique_ptr<RecordReader>> Open(const std::string& path, absl::string_view schema);

  // Opens an input: a record file, or its JSON (a file that begins with '{', whatever its name is). If records of the
  // JSON were changed since it was printed, logs a warning. Returns the errors of Open and ReadRecordJson. DataLoss:
  // the JSON is larger than kMaxJsonBytes. FailedPrecondition: bytes that are required are left out.
  static absl::StatusOr<std::unique_ptr<RecordReader>> OpenInput(const std::string& path, absl::string_view schema,
                                                                 BytesOfJson bytes = BytesOfJson::kRequired);

  // Opens a record file or its JSON that is in memory, and reads its header. Bytes may be left out. `path` is the
  // file's name in messages and in input(). Returns the errors of Open and ReadRecordJson.
  static absl::StatusOr<std::unique_ptr<RecordReader>> OpenBytes(const std::string& path, std::string bytes);

  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // Returns the path given to Open.
  const std::string& path() const { return path_; }

  const proto::Header& header() const { return header_; }

  // Returns the number of records, without the header, that were changed since the JSON was printed; 0 for a record
  // file, whose checksums show changes.
  uint64_t changed_records() const { return changed_records_; }

  // Reads the next record into `record` and returns true, or returns false after a trailer with the right record count.
  // Cancelled: a stop signal was received. DataLoss, with file, record, byte and the number of complete records before:
  //     - a wrong tag or CRC, or bytes that do not parse;
  //     - a cut-off end;
  //     - a trailer with another record count, or bytes after the trailer.
  absl::StatusOr<bool> Next(google::protobuf::Message& record);

  // Reads all remaining records and the trailer without parsing the records. Checks every checksum and the trailer's
  // record count. Returns the errors of Next.
  absl::Status CheckRest();

  // Returns the trailer. May be called only after Next has returned false or CheckRest has returned OK.
  const proto::Trailer& trailer() const { return trailer_; }

  // Reads the file to its end and returns its description as an input of the next tool, with digest and size of the
  // whole file. For JSON these are the digest and size of the converted record file, by which other records refer to
  // it. DataLoss: the file cannot be read to its end. Cancelled: a stop signal was received.
  absl::StatusOr<proto::Input> input();

  // Returns the bytes of the record read last: the header after Open, the trailer after Next has returned false.
  absl::string_view payload() const { return payload_; }

  // Returns the number of records read so far, including the header.
  uint64_t record_count() const { return record_count_; }

  // Returns the end of the last record read, in bytes from the start of the file.
  uint64_t whole_bytes() const { return whole_bytes_; }

 private:
  RecordReader(std::string path, absl::string_view schema, std::unique_ptr<DigestedInput> file)
      : path_(std::move(path)), schema_(schema), file_(std::move(file)) {}
  static absl::StatusOr<std::unique_ptr<RecordReader>> OpenFile(const std::string& path, absl::string_view schema);
  absl::Status ConvertFile();
  absl::StatusOr<std::string> Convert(const std::string& json);
  uint64_t offset() const { return is_converted_ ? converted_offset_ : file_->offset(); }
  absl::Status ReadHeader();
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
  const std::string schema_;                   // expected schema; empty: any
  const std::unique_ptr<DigestedInput> file_;  // null: the bytes are in memory
  std::optional<BytesOfJson> json_;            // empty: JSON is not accepted
  std::string converted_;                      // bytes converted from JSON, or given to OpenBytes
  uint64_t converted_offset_ = 0;              // position in converted_ of the next byte
  bool is_converted_ = false;
  uint64_t changed_records_ = 0;
  proto::Header header_;
  proto::Trailer trailer_;
  std::string payload_;
  uint64_t record_count_ = 0;
  uint64_t whole_bytes_ = 0;
};

// Record file in memory.
template <typename Record>
struct RecordFile {
  proto::Header header;
  std::vector<Record> records;  // all records except header and trailer
  proto::Trailer trailer;       // empty if salvaged from a damaged file
  proto::Input input;           // empty digest if the file could not be read to its end
  std::string salvage_note;     // damage and number of complete records; empty: the file was complete
};

// Treatment of damaged files. kStrict: damage is an error. kSalvage: the records before the first damage are returned
// with a note.
enum class ReadMode { kStrict, kSalvage };

// Reads a record file, or its JSON, whose message type is `File` (proto::SweepFile). Returns the errors of
// RecordReader::OpenInput and Next.
template <typename File, typename Record = std::decay_t<decltype(std::declval<File>().record(0))>>
absl::StatusOr<RecordFile<Record>> ReadRecordFile(const std::string& path, ReadMode mode = ReadMode::kStrict) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordReader> reader,
                   RecordReader::OpenInput(path, File::descriptor()->full_name()));
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
