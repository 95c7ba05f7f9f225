// Writes a record file. An incomplete file never appears under the final name, and a stopped run can be resumed.
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

// Writer that appends records to PATH.part and renames it to PATH when the file is complete. When Append returns, the
// record has been passed to the file system. After a failure, every later call returns the first error. Not
// thread-safe.
class RecordWriter {
 public:
  // Starts a new PATH.part (or standard output for "-") with the header. Returns the errors of Reserve.
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Create(const std::string& path, const proto::Header& header,
                                                              const ReplaceRule& rule);

  // Does the same with the rule ReplaceOwnResult(header).
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Create(const std::string& path, const proto::Header& header);

  // Reserve and Begin are Create in two steps, so that a tool detects an unwritable output before it computes its
  // header or records. Reserve opens and locks PATH.part and evaluates `rule`. Begin starts a new PATH.part; without
  // Begin PATH.part remains unchanged. Reserve returns the errors of OutputFile::Open, and InvalidArgumentError if
  // PATH.part is not a record file: such a file is not ours, and no rule allows replacing it.
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Reserve(const std::string& path, const ReplaceRule& rule);
  absl::Status Begin(const proto::Header& header);

  // Resumes a stopped run of the same step and reports on stderr what was kept. The rule is
  // ReplaceOwnResult(header, other_outputs).
  //     - If PATH.part is of the same step, all its complete records are kept, including the header. They are not
  //       written again, so that they survive if this process is killed. Only a trailer, and damaged or cut-off bytes
  //       after the last complete record, are removed.
  //     - Otherwise, if PATH is of the same step and has a trailer with an exit status other than 0, its records are
  //       kept.
  //     - Otherwise, if PATH has some of this step's points (grown_run.h), kept() holds its records, and grown_from()
  //       the start of its run. PATH.part has only the new header; the caller must write what it keeps with ReplaceAll.
  //     - Otherwise a new PATH.part replaces a PATH.part with another cache key.
  // If `path` is "-", or the key has no build identity, Resume does the same as Create. Otherwise the file is a
  // journal: Append returns when the record is on the disk, and fails if PATH.part was removed or is another run's.
  static absl::StatusOr<std::unique_ptr<RecordWriter>> Resume(const std::string& path, const proto::Header& header,
                                                              const std::vector<std::string>& other_outputs = {});

  // Returns the rule's result: true if PATH or PATH.part was of this command.
  bool replaces_own() const { return file_->replaces_own(); }

  // Returns true if the file was begun or resumed. Otherwise PATH.part is empty or that of an earlier run.
  bool is_begun() const { return is_begun_; }

  // Returns the bytes of each record that Resume kept, without the header.
  const std::vector<std::string>& kept() const { return kept_; }

  // Returns the start time of the run whose points kept() holds, if its record had fewer points than this run; empty:
  // kept() is of the same step, or empty.
  const std::string& grown_from() const { return grown_from_; }

  // Returns the start time of the run whose header the file keeps, if that run was stopped or ended badly; empty: the
  // file has the header of this run.
  const std::string& resumed_from() const { return resumed_from_; }

  // Keeps only the first `count` of the kept records in the file; kept() does not change. Must be called before the
  // first Append.
  absl::Status KeepOnly(size_t count);

  // If the file is not finished, PATH.part remains as a journal if it holds more than the header. A PATH.part of an
  // earlier run that was never begun again also remains.
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  // Atomically replaces all records after the header by `records`: if this process is killed, the file has either the
  // old or the new records. Not for standard output.
  absl::Status ReplaceAll(const std::vector<const google::protobuf::Message*>& records);

  // Appends a record. `record` must be a message of the schema's record type (SweepRecord for SweepFile). Texts that
  // are not UTF-8 are converted by readable_text.h.
  absl::Status Append(const google::protobuf::Message& record);

  // Appends records that belong together in one write, so that a kill cannot separate them.
  absl::Status AppendTogether(const std::vector<const google::protobuf::Message*>& records);

  // Adds another file that this run wrote to the trailer.
  void AddOutput(const proto::Input& file) { *trailer_.add_other_output() = file; }

  // Writes the trailer and syncs the file, which are the last steps that can fail for a full disk. Nothing may be
  // appended afterwards.
  absl::Status Seal(int exit_status = 0);

  // Seals the file if necessary, renames it, and syncs the folder. The file is complete only if Finish has returned OK.
  absl::Status Finish(int exit_status = 0);

  // Removes the record that will be replaced; see OutputFile::RemoveReplaced.
  absl::Status RemoveReplaced() { return file_->RemoveReplaced(); }

  // Removes PATH.part, for outputs that are useless if incomplete. Nothing can be written afterwards. After Finish
  // there is nothing to remove.
  void Discard();

 private:
  RecordWriter(std::string path, std::unique_ptr<OutputFile> file) : path_(std::move(path)), file_(std::move(file)) {}
  absl::StatusOr<bool> ResumeJournal(const proto::Header& header);
  absl::StatusOr<bool> TakeOver(const proto::Header& header);
  absl::Status Grow(const proto::Header& header);
  absl::Status Serialise(const google::protobuf::Message& record);
  absl::StatusOr<std::string> Frames(const std::vector<const google::protobuf::Message*>& records);
  absl::Status Note(uint64_t record_count, absl::Status written);

  const std::string path_;  // final name, or "-"
  const std::unique_ptr<OutputFile> file_;
  bool is_begun_ = false;  // true if the file was begun, so that remains of an earlier run are removed
  bool is_journal_ = false;
  std::string header_frame_;
  bool is_sealed_ = false;
  uint64_t record_count_ = 0;
  absl::Status status_;
  std::string bytes_;  // bytes of the last record; a member to reuse its memory, because chunks of images are large
  proto::Trailer trailer_;
  std::vector<std::string> kept_;
  std::string grown_from_;
  std::string resumed_from_;
  std::vector<uint64_t> kept_end_;  // [i]: end of the first i kept records in the file, in bytes
};

// Returns the records that Resume kept; empty after Create. A record that does not parse although its checksum is right
// is removed from the file with all records after it. Must be called before the first Append.
template <typename Record>
absl::StatusOr<std::vector<Record>> ParseKept(RecordWriter& writer) {
  std::vector<Record> kept;
  for (const std::string& bytes : writer.kept()) {
    if (Record record; record.ParseFromString(bytes)) {
      kept.push_back(std::move(record));
    } else {
      RETURN_IF_ERROR(writer.KeepOnly(kept.size()));
      break;
    }
  }
  return kept;
}

template <typename Records>
absl::Status AppendAndFinish(const Records& records, RecordWriter& writer) {
  for (const auto& record : records) {
    RETURN_IF_ERROR(writer.Append(record));
  }
  return writer.Finish();
}

// Writes a whole record file, for tools that have all results at once: Create, Append for each record, Finish.
template <typename Records>
absl::Status WriteRecordFile(const std::string& path, const proto::Header& header, const Records& records,
                             const ReplaceRule& rule) {
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Create(path, header, rule));
  return AppendAndFinish(records, *writer);
}

// Does the same with the rule ReplaceOwnResult(header).
template <typename Records>
absl::Status WriteRecordFile(const std::string& path, const proto::Header& header, const Records& records) {
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Create(path, header));
  return AppendAndFinish(records, *writer);
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RECORD_WRITER_H_
