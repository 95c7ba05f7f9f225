#include "lib/train/sweep_journal.h"

#include <sys/stat.h>

#include <vector>

#include "lib/base/status_macros.h"
#include "lib/record/digest.h"

namespace lockstep {
namespace {

// The records from `first` on that belong together as one finished point; none when it is not finished.
proto::SweepFile FinishedPoint(const std::vector<proto::SweepRecord>& records, size_t first,
                               uint32_t checkpoint_batch) {
  proto::SweepFile finished;
  const proto::SweepPoint& point = records[first].point();
  const proto::Outcome outcome = records[first].has_probe() ? records[first].probe().outcome() : point.outcome();
  if (outcome != proto::COMPLETED && outcome != proto::OUT_OF_MEMORY) {
    return finished;
  }
  const bool leaves_checkpoint = records[first].has_point() && point.batch_size() == checkpoint_batch && point.outcome() == proto::COMPLETED;
  if (leaves_checkpoint && (first + 1 == records.size() || !CheckpointIsThere(records[first + 1].checkpoint()))) {
    return finished;
  }
  *finished.add_record() = records[first];
  if (leaves_checkpoint) {
    *finished.add_record() = records[first + 1];
  }
  return finished;
}

}  // namespace

bool CheckpointIsThere(const proto::Checkpoint& checkpoint) {
  const absl::StatusOr<std::string> sha256 = Sha256HexOfFile(checkpoint.path());
  return sha256.ok() && *sha256 == checkpoint.sha256();
}

absl::StatusOr<std::unique_ptr<SweepJournal>> SweepJournal::Open(const SweepJournalOptions& options,
                                                                 const proto::Header& header,
                                                                 const proto::SweepSpec& spec) {
  std::vector<proto::SweepRecord> kept;
  std::unique_ptr<RecordWriter> writer;
  if (options.afresh) {
    ASSIGN_OR_RETURN(writer, RecordWriter::Create(options.output, header));
  } else {
    ASSIGN_OR_RETURN(writer, ResumeRecordFile(options.output, header, kept));
  }
  std::unique_ptr<SweepJournal> journal(new SweepJournal(std::move(writer)));
  size_t in_file = !kept.empty() && kept[0].has_spec() ? 1 : 0;  // records from the first on that stay where they are
  for (size_t i = 0; i < kept.size(); ++i) {
    proto::SweepFile records = FinishedPoint(kept, i, options.checkpoint_batch);
    if (records.record_size() == 0) {
      continue;
    }
    const bool follows = in_file == i;
    in_file += follows ? static_cast<size_t>(records.record_size()) : 0;
    journal->finished_[KeyOf(kept[i])] = {std::move(records), follows};
  }
  RETURN_IF_ERROR(journal->writer_->KeepOnly(in_file));
  if (in_file == 0) {
    proto::SweepRecord first;
    *first.mutable_spec() = spec;
    RETURN_IF_ERROR(journal->writer_->Append(first));
  }
  return journal;
}

SweepJournal::Key SweepJournal::KeyOf(const proto::SweepRecord& record) {
  return {record.has_probe(), record.has_probe() ? record.probe().batch_size() : record.point().batch_size()};
}

const proto::SweepFile* SweepJournal::Find(const Key& key) const {
  const auto found = finished_.find(key);
  return found == finished_.end() ? nullptr : &found->second.records;
}

const proto::SweepFile* SweepJournal::Finished(uint32_t batch_size) const { return Find({false, batch_size}); }

const proto::SweepFile* SweepJournal::FinishedProbe(uint32_t batch_size) const { return Find({true, batch_size}); }

absl::Status SweepJournal::Keep(const proto::SweepFile& records) {
  const auto found = finished_.find(KeyOf(records.record(0)));
  const bool in_file = found != finished_.end() && found->second.in_file;
  for (const proto::SweepRecord& record : records.record()) {
    if (record.has_checkpoint()) {
      checkpoint_ = record;
    }
    if (!in_file) {
      RETURN_IF_ERROR(writer_->Append(record));
    }
  }
  return absl::OkStatus();
}

absl::Status SweepJournal::Finish(const proto::SweepEnd& end, int exit_status) {
  proto::SweepRecord record;
  *record.mutable_end() = end;
  RETURN_IF_ERROR(writer_->Append(record));
  if (has_checkpoint()) {
    proto::Input file;
    file.set_path(checkpoint_.checkpoint().path());
    file.set_sha256(checkpoint_.checkpoint().sha256());
    struct stat info;
    file.set_size_bytes(stat(file.path().c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0);
    writer_->AddOutput(file);
  }
  return writer_->Finish(exit_status);
}

}  // namespace lockstep
