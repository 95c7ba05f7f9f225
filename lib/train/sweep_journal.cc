#include "lib/train/sweep_journal.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "lib/base/readable_line.h"
#include "lib/base/status_macros.h"
#include "lib/record/record_writer.h"
#include "lib/record/recorded_file.h"

namespace lockstep {
namespace {

// Returns the records from `first` on that together make one finished point; empty if it is not finished.
proto::SweepFile FinishedPoint(const std::vector<proto::SweepRecord>& records, size_t first,
                               uint32_t checkpoint_batch) {
  proto::SweepFile finished;
  const proto::SweepPoint& point = records[first].point();
  const proto::Outcome outcome = records[first].has_probe() ? records[first].probe().outcome() : point.outcome();
  if (outcome != proto::COMPLETED && outcome != proto::OUT_OF_MEMORY) {
    return finished;
  }
  const bool leaves_checkpoint = records[first].has_point() && point.batch_size() == checkpoint_batch;
  if (leaves_checkpoint && (outcome != proto::COMPLETED || first + 1 == records.size() ||
                            !CheckpointIsThere(records[first + 1].checkpoint()))) {
    return finished;
  }
  *finished.add_record() = records[first];
  if (leaves_checkpoint) {
    *finished.add_record() = records[first + 1];
  }
  return finished;
}

void AddRecords(const proto::SweepFile& file, std::vector<const google::protobuf::Message*>& records) {
  for (const proto::SweepRecord& record : file.record()) {
    records.push_back(&record);
  }
}

}  // namespace

bool CheckpointIsThere(const proto::Checkpoint& checkpoint) { return CheckUnchanged(FileOf(checkpoint)).ok(); }

proto::Input FileOf(const proto::Checkpoint& checkpoint) {
  proto::Input file;
  file.set_path(checkpoint.path());
  file.set_sha256(checkpoint.sha256());
  struct stat info;
  file.set_size_bytes(stat(file.path().c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size) : 0);
  return file;
}

std::string WrittenText(const proto::Checkpoint& checkpoint) {
  return absl::StrFormat("wrote %s, test accuracy %.2f %% after epoch %d", ReadableLine(checkpoint.path()),
                         100 * checkpoint.test_accuracy(), checkpoint.epochs());
}

SweepJournal::SweepJournal(StageOutput output, const proto::SweepSpec& spec) : output_(std::move(output)) {
  *spec_.mutable_spec() = spec;
}

absl::StatusOr<std::unique_ptr<SweepJournal>> SweepJournal::Open(StageOutput output, uint32_t checkpoint_batch,
                                                                 const proto::SweepSpec& spec) {
  ASSIGN_OR_RETURN(const std::vector<proto::SweepRecord> kept, ParseKept<proto::SweepRecord>(*output.writer));
  std::unique_ptr<SweepJournal> journal(new SweepJournal(std::move(output), spec));
  if (kept.empty()) {
    return journal;
  }
  journal->spec_written_ = true;
  journal->ReadFinished(kept, checkpoint_batch);
  const std::string& grown_from = journal->output_.writer->grown_from();
  journal->NoteEarlierRun(grown_from);
  size_t finished_records = 1;  // includes the spec
  for (const auto& [key, finished] : journal->finished_) {
    finished_records += static_cast<size_t>(finished.record_size());
  }
  if (!grown_from.empty() || finished_records < kept.size() || !kept[0].has_spec()) {
    RETURN_IF_ERROR(journal->Rewrite());
  }
  return journal;
}

void SweepJournal::ReadFinished(const std::vector<proto::SweepRecord>& kept, uint32_t checkpoint_batch) {
  for (size_t i = 0; i < kept.size(); ++i) {
    proto::SweepFile records = FinishedPoint(kept, i, checkpoint_batch);
    if (records.record_size() > 0 && finished_.emplace(KeyOf(kept[i]), std::move(records)).second) {
      ahead_.push_back(KeyOf(kept[i]));
    }
  }
}

// Notes in each finished point the run that measured it, unless an even earlier run did.
void SweepJournal::NoteEarlierRun(const std::string& start_time) {
  for (auto& [key, records] : finished_) {
    proto::SweepRecord& first = *records.mutable_record(0);
    if (!start_time.empty() && first.has_point() && first.point().earlier_run().empty()) {
      first.mutable_point()->set_earlier_run(start_time);
    }
  }
}

// Rewrites the file with the spec, settled_ and ahead_, and nothing else.
absl::Status SweepJournal::Rewrite() {
  std::vector<const google::protobuf::Message*> records = {&spec_};
  for (const proto::SweepFile& settled : settled_) {
    AddRecords(settled, records);
  }
  for (const Key& key : ahead_) {
    AddRecords(finished_.at(key), records);
  }
  return output_.writer->ReplaceAll(records);
}

SweepJournal::Key SweepJournal::KeyOf(const proto::SweepRecord& record) {
  return {record.has_probe(), record.has_probe() ? record.probe().batch_size() : record.point().batch_size()};
}

const proto::SweepFile* SweepJournal::Find(const Key& key) const {
  const auto found = finished_.find(key);
  return found == finished_.end() ? nullptr : &found->second;
}

const proto::SweepFile* SweepJournal::Finished(uint32_t batch_size) const { return Find({false, batch_size}); }

const proto::SweepFile* SweepJournal::FinishedProbe(uint32_t batch_size) const { return Find({true, batch_size}); }

// Appends the records, and before the first ones the spec, in one write.
absl::Status SweepJournal::Append(const proto::SweepFile& records) {
  std::vector<const google::protobuf::Message*> next;
  if (!std::exchange(spec_written_, true)) {
    next.push_back(&spec_);
  }
  AddRecords(records, next);
  return output_.writer->AppendTogether(next);
}

absl::Status SweepJournal::Keep(const proto::SweepFile& records) {
  for (const proto::SweepRecord& record : records.record()) {
    if (record.has_checkpoint()) {
      checkpoint_ = record;
    }
  }
  settled_.push_back(records);
  const auto found = std::find(ahead_.begin(), ahead_.end(), KeyOf(records.record(0)));
  const bool stands_there = found != ahead_.end() && found == ahead_.begin();
  if (found != ahead_.end()) {
    ahead_.erase(found);
  } else if (ahead_.empty()) {
    return Append(records);
  }
  return stands_there ? absl::OkStatus() : Rewrite();
}

absl::Status SweepJournal::Finish(const proto::SweepEnd& end, int exit_status) {
  if (!std::exchange(ahead_, {}).empty()) {  // probes of an earlier search that this run did not need
    RETURN_IF_ERROR(Rewrite());
  }
  proto::SweepFile last;
  *last.add_record()->mutable_end() = end;
  RETURN_IF_ERROR(Append(last));
  if (has_checkpoint()) {
    output_.writer->AddOutput(FileOf(checkpoint_.checkpoint()));
  }
  return output_.Finish(exit_status);
}

}  // namespace lockstep
