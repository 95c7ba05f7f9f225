#include "lib/record/record_writer.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/base/log_line.h"
#include "lib/base/path.h"
#include "lib/record/grown_run.h"
#include "lib/record/other_result.h"
#include "lib/record/readable_text.h"
#include "lib/record/record_format.h"
#include "lib/record/record_reader.h"

namespace lockstep {
namespace {

// Prints "train_sweep: sweep.rec.part: ..." on standard error.
void LogAboutFile(const proto::Header& header, const OutputFile& file, const std::string& text) {
  LogLine(absl::StrCat(header.build().tool(), ": ", file.part_name(), ": ", text));
}

// Returns the note about bytes after the last complete record; empty if there are no such bytes.
std::string NoteBrokenEnd(RecordReader& reader) {
  const absl::StatusOr<proto::Input> input = reader.input();
  if (!input.ok()) {
    return "; the unreadable rest of the file is removed";
  }
  const uint64_t bytes = input->size_bytes() - reader.whole_bytes();
  return bytes == 0 ? "" : absl::StrCat("; ", bytes, " bytes after them are not a complete record and are removed");
}

// Returns a record with its frame, as in the file.
std::string Frame(absl::string_view record) {
  return absl::StrCat(FrameHead(record.size()), record, FrameTail(record));
}

// Returns InvalidArgumentError if PATH.part exists and is no record file. Browsers, too, name unfinished downloads
// NAME.part.
absl::Status CheckPartIsRecord(const ReplacedOutput& output) {
  const std::string part = PartPath(output.path);
  if (!output.has_part || BeginsAsRecord(part)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(part,
                                                 ": expected the journal of a stopped run, found another file, which "
                                                 "is kept; move it away, or name another output"));
}

ReplaceRule WithPartChecked(const ReplaceRule& rule) {
  return [&rule](const ReplacedOutput& output) -> absl::StatusOr<bool> {
    RETURN_IF_ERROR(CheckPartIsRecord(output));
    return rule(output);
  };
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Create(const std::string& path, const proto::Header& header,
                                                                   const ReplaceRule& rule) {
  ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> writer, Reserve(path, rule));
  RETURN_IF_ERROR(writer->Begin(header));
  return writer;
}

absl::StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Create(const std::string& path,
                                                                   const proto::Header& header) {
  return Create(path, header, ReplaceOwnResult(header));
}

absl::StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Reserve(const std::string& path, const ReplaceRule& rule) {
  ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, OutputFile::Open(path, WithPartChecked(rule)));
  return std::unique_ptr<RecordWriter>(new RecordWriter(path, std::move(file)));
}

absl::StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Resume(const std::string& path, const proto::Header& header,
                                                                   const std::vector<std::string>& other_outputs) {
  const ReplaceRule rule = ReplaceOwnResult(header, other_outputs);
  if (path == "-" || header.build().build_id().empty()) {
    return Create(path, header, rule);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> writer, Reserve(path, rule));
  writer->is_journal_ = true;
  ASSIGN_OR_RETURN(bool resumed, writer->ResumeJournal(header));
  if (!resumed) {
    ASSIGN_OR_RETURN(resumed, writer->TakeOver(header));
  }
  if (!resumed) {
    RETURN_IF_ERROR(writer->Begin(header));
  }
  if (writer->kept_.empty()) {
    RETURN_IF_ERROR(writer->Grow(header));
  }
  return writer;
}

absl::Status RecordWriter::Begin(const proto::Header& header) {
  is_begun_ = true;
  RETURN_IF_ERROR(file_->CutTo(0));
  proto::AnyRecord first;
  *first.mutable_header() = header;
  const absl::Status status = Append(first);
  header_frame_ = Frame(bytes_);
  return status;
}

// Resumes PATH.part. Returns false if PATH.part is not of the same step.
absl::StatusOr<bool> RecordWriter::ResumeJournal(const proto::Header& header) {
  const auto opened = RecordReader::Open(file_->part_name(), header.schema());
  if (!opened.ok()) {
    RETURN_IF_ERROR(absl::IsCancelled(opened.status()) ? opened.status() : absl::OkStatus());
    return false;
  }
  RecordReader& reader = **opened;
  if (reader.header().cache_key() != header.cache_key()) {
    LogAboutFile(header, *file_, "is from a stopped run with other settings, input or build; it is replaced");
    return false;
  }
  header_frame_ = Frame(reader.payload());
  resumed_from_ = reader.header().start_time();
  kept_end_ = {reader.whole_bytes()};
  proto::AnyRecord any;  // the caller parses the kept records; here other kinds are unknown fields
  absl::StatusOr<bool> more = reader.Next(any);
  for (; more.ok() && *more; more = reader.Next(any)) {
    kept_.emplace_back(reader.payload());
    kept_end_.push_back(reader.whole_bytes());
  }
  RETURN_IF_ERROR(absl::IsCancelled(more.status()) ? more.status()
                                                   : absl::OkStatus());  // a stop signal is no damage: nothing is
                                                                         // removed
  const std::string note = more.ok() ? "" : NoteBrokenEnd(reader);
  LogAboutFile(header, *file_, absl::StrCat("resumes after ", kept_.size(), " records of a stopped run", note));
  record_count_ = 1 + kept_.size();
  is_begun_ = true;
  RETURN_IF_ERROR(file_->CutTo(kept_end_.back()));
  return true;
}

// Copies the records of PATH. Returns false unless PATH is of a run of the same step that ended badly.
absl::StatusOr<bool> RecordWriter::TakeOver(const proto::Header& header) {
  const auto opened = RecordReader::Open(path_, header.schema());
  if (!opened.ok() || (*opened)->header().cache_key() != header.cache_key()) {
    return false;
  }
  RecordReader& reader = **opened;
  const std::string header_frame = Frame(reader.payload());
  std::string frames = header_frame;
  std::vector<std::string> records;
  std::vector<uint64_t> ends = {reader.whole_bytes()};
  proto::AnyRecord any;
  absl::StatusOr<bool> more = reader.Next(any);
  for (; more.ok() && *more; more = reader.Next(any)) {
    records.emplace_back(reader.payload());
    ends.push_back(reader.whole_bytes());
    absl::StrAppend(&frames, Frame(records.back()));
  }
  if (!more.ok() || reader.trailer().exit_status() == 0) {
    return false;
  }
  RETURN_IF_ERROR(file_->Replace(frames));
  LogAboutFile(header, *file_,
               absl::StrCat("resumes after ", records.size(), " records of a run that did not end well"));
  header_frame_ = header_frame;
  resumed_from_ = reader.header().start_time();
  is_begun_ = true;
  kept_ = std::move(records);
  kept_end_ = std::move(ends);
  record_count_ = 1 + kept_.size();
  return true;
}

// Reads the records of PATH into kept_ if PATH has some of this step's points. Changes no file, so that a killed run
// finds the same PATH again.
absl::Status RecordWriter::Grow(const proto::Header& header) {
  const auto opened = RecordReader::Open(path_, header.schema());
  if (!opened.ok() || !IsGrownFrom((*opened)->header(), header)) {
    return absl::OkStatus();
  }
  RecordReader& reader = **opened;
  std::vector<std::string> records;
  proto::AnyRecord any;
  absl::StatusOr<bool> more = reader.Next(any);
  for (; more.ok() && *more; more = reader.Next(any)) {
    records.emplace_back(reader.payload());
  }
  if (!more.ok()) {
    RETURN_IF_ERROR(absl::IsCancelled(more.status()) ? more.status() : absl::OkStatus());
    LogAboutFile(header, *file_, absl::StrCat("measures all points again: ", more.status().message()));
    return absl::OkStatus();
  }
  kept_ = std::move(records);
  grown_from_ = reader.header().start_time();
  LogAboutFile(header, *file_,
               absl::StrCat("keeps the finished points of ", path_, ", from the run of ", grown_from_,
                            "; only the other points are measured"));
  return absl::OkStatus();
}

absl::Status RecordWriter::KeepOnly(size_t count) {
  if (count >= kept_.size() || !grown_from_.empty()) {  // a record that grows is not in the file
    return status_;
  }
  record_count_ = 1 + count;
  return status_ = file_->CutTo(kept_end_[count]);
}

RecordWriter::~RecordWriter() {
  if (is_begun_ ? record_count_ <= 1 : file_->IsEmpty()) {
    file_->Discard();
  }
}

// Serializes a record into bytes_.
absl::Status RecordWriter::Serialise(const google::protobuf::Message& record) {
  if (!HasReadableText(record)) {
    const std::unique_ptr<google::protobuf::Message> readable(record.New());
    readable->CopyFrom(record);
    MakeTextReadable(*readable);
    return Serialise(*readable);
  }
  if (!SerialiseInOrder(record, bytes_)) {
    return status_ = absl::InternalError(absl::StrCat(path_, ": a record does not serialise"));
  }
  if (bytes_.size() > kMaxRecordBytes) {
    return status_ = absl::InternalError(absl::StrCat(path_, ": a record of ", bytes_.size(), " bytes is too large"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> RecordWriter::Frames(const std::vector<const google::protobuf::Message*>& records) {
  std::string frames;
  for (const google::protobuf::Message* record : records) {
    RETURN_IF_ERROR(Serialise(*record));
    absl::StrAppend(&frames, Frame(bytes_));
  }
  return frames;
}

// Sets the number of records in the file if `written` is OK. Syncs a journal. Returns the first error.
absl::Status RecordWriter::Note(uint64_t record_count, absl::Status written) {
  status_ = std::move(written);
  if (status_.ok() && is_journal_) {
    status_ = file_->CheckPart();
  }
  if (status_.ok() && is_journal_) {
    status_ = file_->Sync();
  }
  record_count_ = status_.ok() ? record_count : record_count_;
  return status_;
}

absl::Status RecordWriter::Append(const google::protobuf::Message& record) {
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(Serialise(record));
  return Note(record_count_ + 1, file_->Write({FrameHead(bytes_.size()), bytes_, FrameTail(bytes_)}));
}

absl::Status RecordWriter::AppendTogether(const std::vector<const google::protobuf::Message*>& records) {
  RETURN_IF_ERROR(status_);
  ASSIGN_OR_RETURN(const std::string frames, Frames(records));
  return Note(record_count_ + records.size(), file_->Write({frames}));
}

absl::Status RecordWriter::ReplaceAll(const std::vector<const google::protobuf::Message*>& records) {
  RETURN_IF_ERROR(status_);
  ASSIGN_OR_RETURN(const std::string frames, Frames(records));
  return Note(1 + records.size(), file_->Replace(absl::StrCat(header_frame_, frames)));
}

absl::Status RecordWriter::Seal(int exit_status) {
  trailer_.set_end_time(absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone()));
  trailer_.set_record_count(record_count_);
  trailer_.set_exit_status(exit_status);
  proto::AnyRecord last;
  *last.mutable_trailer() = trailer_;
  RETURN_IF_ERROR(Append(last));
  is_sealed_ = true;
  return status_ = file_->Sync();
}

absl::Status RecordWriter::Finish(int exit_status) {
  if (!is_sealed_) {
    RETURN_IF_ERROR(Seal(exit_status));
  }
  RETURN_IF_ERROR(status_);
  return status_ = file_->Commit();
}

void RecordWriter::Discard() {
  file_->Discard();
  if (status_.ok()) {
    status_ = absl::FailedPreconditionError(absl::StrCat(path_, ": the writer was closed without a result"));
  }
}

}  // namespace lockstep
