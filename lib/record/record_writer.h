// Writes a record file so that nothing half-made ever stands under the final name, and a stopped run can go on.
#ifndef LOCKSTEP_LIB_RECORD_RECORD_WRITER_H_
#define LOCKSTEP_LIB_RECORD_RECORD_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "lib/base/status_macros.h"
#include "lib/proto/header.pb.h"
#include "lib/record/output_file.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

// Appends records to PATH.part, and renames it to PATH when complete. Every record is in the file system's hands when
// Append returns. The first failure is kept and returned by every later call. Not thread-safe.
class RecordWriter {
 public:
  // Starts PATH.part (or standard output for "-") afresh with the header. Errors as Reserve's.
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Create(const std::string& path, const proto::Header& header,
                                                              const ReplaceRule& rule);

  // The same with ReplaceOwnResult(header).
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Create(const std::string& path, const proto::Header& header);

  // Create in two steps, for a tool whose header or records take work to make: an output that cannot be written is found
  // before it. Reserve opens and locks PATH.part and asks `rule`, and Begin starts it afresh; without Begin it stays as it
  // was. Errors as OutputFile::Open's. InvalidArgumentError also if PATH.part is no record file: it is somebody's, and no
  // rule allows to replace it.
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Reserve(const std::string& path, const ReplaceRule& rule);
  absl::Status Begin(const proto::Header& header);

  // Goes on with the PATH.part that a stopped run of the same step left, and says on stderr what it kept. All its whole
  // records are kept, its header among them, and none is written again: whatever ends this process, they are still
  // there. Only bytes after the last whole record, damaged or cut off, and a trailer are cut away. Without such a
  // PATH.part it goes on with the records of PATH itself, when these are of a run of the same step whose trailer has
  // another exit status than 0. A PATH.part of another cache key is replaced, and there is none to go on with when
  // `path` is "-" or the key has no build identity; then it is Create. What goes on is a journal: Append returns when
  // the record is on the disk, and fails once PATH.part was removed or is another run's. What is there is replaced by
  // the rule ReplaceOwnResult(header, beside).
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Resume(const std::string& path, const proto::Header& header,
                                                              const std::vector<std::string>& beside = {});

  // Returns the rule's answer: PATH or PATH.part was of this command.
  bool replaces_own() const { return file_->replaces_own(); }

  // The records that Resume kept, without the header, as bytes.
  const std::vector<std::string>& kept() const { return kept_; }

  // Keeps only the first `count` of them in the file; kept() does not change. Before the first Append only.
  absl::Status KeepOnly(size_t count);

  // Not finished: PATH.part stays, as the journal of what is complete, when it holds more than the header. So does one
  // that was there before and was never begun afresh.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // Makes `records` all that stands after the header, at once: whatever ends this process, the file holds either these
  // or what it held. Not for standard output.
  absl::Status ReplaceAll(const std::vector<const google::protobuf::Message*>& records);

  // `record` is a message of the schema's record type (SweepRecord for SweepFile). Texts that are not UTF-8 are written
  // as readable_text.h shows them.
  absl::Status Append(const google::protobuf::Message& record);

  // Appends records that mean nothing without one another, in one write, so that no kill comes in between.
  absl::Status AppendTogether(const std::vector<const google::protobuf::Message*>& records);

  // Names in the trailer a file that this run wrote beside the record.
  void AddOutput(const proto::Input& file) { *trailer_.add_other_output() = file; }

  // Writes the trailer and syncs the file: all that a full disk can hinder. Nothing is appended after it.
  absl::Status Seal(int exit_status = 0);

  // Seals unless that is done, renames, syncs the folder. The file is complete only when this returned OK.
  absl::Status Finish(int exit_status = 0);

  // Removes the record that will be replaced, as OutputFile does.
  absl::Status RemoveReplaced() { return file_->RemoveReplaced(); }

  // Removes PATH.part, for outputs of which a part is of no use; nothing can be written after it. After Finish has
  // renamed it there is nothing to remove.
  void Discard();

 private:
  RecordWriter(std::string path, std::unique_ptr<OutputFile> file) : path_(std::move(path)), file_(std::move(file)) {}
  absl::StatusOr<bool> GoOn(const proto::Header& header);
  absl::StatusOr<bool> TakeOver(const proto::Header& header);
  absl::Status Serialise(const google::protobuf::Message& record);
  absl::StatusOr<std::string> Frames(const std::vector<const google::protobuf::Message*>& records);
  absl::Status Note(uint64_t record_count, absl::Status written);

  const std::string path_;  // the final name, or "-"
  const std::unique_ptr<OutputFile> file_;
  bool is_begun_ = false;  // what a run before left is cut away
  bool is_journal_ = false;
  std::string header_frame_;
  bool is_sealed_ = false;
  uint64_t record_count_ = 0;
  absl::Status status_;
  std::string bytes_;  // of the last record: kept for its memory, because chunks of images are large
  proto::Trailer trailer_;
  std::vector<std::string> kept_;
  std::vector<uint64_t> kept_end_;  // [i]: where the first i of them end in the file
};

// Resume, and the kept records as messages; one that does not parse, though its checksum is right, is cut away with all
// after it.
template <typename Record>
absl::StatusOr<std::unique_ptr<RecordWriter>> ResumeRecordFile(const std::string& path, const proto::Header& header,
                                                               std::vector<Record>& kept,
                                                               const std::vector<std::string>& beside = {}) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> writer, RecordWriter::Resume(path, header, beside));
  for (const std::string& bytes : writer->kept()) {
    if (Record record; record.ParseFromString(bytes)) {
      kept.push_back(std::move(record));
    } else {
      RETURN_IF_ERROR(writer->KeepOnly(kept.size()));
      break;
    }
  }
  return writer;
}

template <typename Records>
absl::Status AppendAndFinish(const Records& records, RecordWriter& writer) {
  for (const auto& record : records) {
    RETURN_IF_ERROR(writer.Append(record));
  }
  return writer.Finish();
}

// For tools whose results come at once: Create, Append all, Finish.
template <typename Records>
absl::Status WriteRecordFile(const std::string& path, const proto::Header& header, const Records& records,
                             const ReplaceRule& rule) {
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Create(path, header, rule));
  return AppendAndFinish(records, *writer);
}

// The same with ReplaceOwnResult(header).
template <typename Records>
absl::Status WriteRecordFile(const std::string& path, const proto::Header& header, const Records& records) {
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Create(path, header));
  return AppendAndFinish(records, *writer);
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORD_WRITER_H_
