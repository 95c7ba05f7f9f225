// Writes a record file so that nothing half-made ever stands under the final name.
#ifndef LOCKSTEP_LIB_RECORD_RECORD_WRITER_H_
#define LOCKSTEP_LIB_RECORD_RECORD_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// Appends records to PATH.part, and renames it to PATH when complete. Every record is in the file system's hands when
// Append returns. The first failure is kept and returned by every later call. Not thread-safe.
class RecordWriter {
 public:
  // Opens PATH.part (or standard output for "-") and writes the header. FailedPrecondition: another process writes the
  // same output. NotFound: the folder does not exist. InvalidArgument: PATH is a folder.
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Create(const std::string& path, const proto::Header& header);

  // Not finished: PATH.part stays, as the journal of what is complete, when it holds more than the header.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // `record` is a message of the schema's record type (SweepRecord for SweepFile).
  absl::Status Append(const google::protobuf::Message& record);

  // Writes the trailer, syncs file and folder, renames. The file is complete only when this returned OK.
  absl::Status Finish(int exit_status = 0);

 private:
  RecordWriter(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  absl::Status AppendBytes(const std::string& record);
  absl::Status Fail(const std::string& what);

  const std::string path_;  // the final name, or "-"
  int fd_;
  uint64_t record_count_ = 0;
  absl::Status status_;
  std::string bytes_;  // of the last record, and its frame: kept for their memory, because chunks of images are large
  std::string frame_;
};

// For tools whose results come at once: Create, Append all, Finish.
template <typename Records>
absl::Status WriteRecordFile(const std::string& path, const proto::Header& header, const Records& records) {
  absl::StatusOr<std::unique_ptr<RecordWriter>> writer = RecordWriter::Create(path, header);
  if (!writer.ok()) {
    return writer.status();
  }
  for (const auto& record : records) {
    if (absl::Status status = (*writer)->Append(record); !status.ok()) {
      return status;
    }
  }
  return (*writer)->Finish();
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORD_WRITER_H_
