// Journal of a sweep: writes the sweep's record, and keeps what a stopped sweep has finished, so that it is not
// measured again.
//
// From Open() to Finish() the file always holds every finished point, however the process ends. Therefore a finished
// point that comes after a point that is tried again stays in place, and the new point is inserted before it.
#ifndef LOCKSTEP_LIB_TRAIN_SWEEP_JOURNAL_H_
#define LOCKSTEP_LIB_TRAIN_SWEEP_JOURNAL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/sweep.pb.h"
#include "lib/record/stage_output.h"

namespace lockstep {

// Writes points, probes and end as they are known. The spec is written together with the first of them, so that a sweep
// that fails at once leaves no journal. Not thread-safe.
class SweepJournal {
 public:
  // Opens the journal in `output`, which must be one (stage_output.h). A point or probe that a stopped run left, or a
  // record with fewer points (RecordWriter::grown_from), is finished if it completed or ran out of memory; a killed or
  // failed one is tried again. The point of `checkpoint_batch` (0: no such point) is finished only if all this holds:
  // - it completed;
  // - the checkpoint's record follows it;
  // - the file still has the SHA-256 that this record names.
  //
  // No other run can write the outputs until Finish() or until the journal is destroyed. Returns the errors of
  // RecordWriter.
  static absl::StatusOr<std::unique_ptr<SweepJournal>> Open(StageOutput output, uint32_t checkpoint_batch,
                                                            const proto::SweepSpec& spec);

  // Returns the records of a point that a stopped run finished, and of its checkpoint if it left one; else null.
  const proto::SweepFile* Finished(uint32_t batch_size) const;

  // Returns the records of a probe that a stopped run finished, else null.
  const proto::SweepFile* FinishedProbe(uint32_t batch_size) const;

  // Adds the records of a point or a probe, in the form that Finished() returns, after the records kept before. Writes
  // nothing if they are there already.
  absl::Status Keep(const proto::SweepFile& records);

  // Appends the end, names the checkpoint in the trailer, and completes the file (StageOutput::Finish).
  absl::Status Finish(const proto::SweepEnd& end, int exit_status);

  bool has_checkpoint() const { return checkpoint_.has_checkpoint(); }
  const proto::Checkpoint& checkpoint() const { return checkpoint_.checkpoint(); }

 private:
  SweepJournal(StageOutput output, const proto::SweepSpec& spec);
  void ReadFinished(const std::vector<proto::SweepRecord>& kept, uint32_t checkpoint_batch);
  void NoteEarlierRun(const std::string& start_time);
  absl::Status Append(const proto::SweepFile& records);
  absl::Status Rewrite();

  using Key = std::pair<bool, uint32_t>;  // true for a probe; batch size
  static Key KeyOf(const proto::SweepRecord& record);
  const proto::SweepFile* Find(const Key& key) const;

  StageOutput output_;
  proto::SweepRecord spec_;
  bool spec_written_ = false;
  std::map<Key, proto::SweepFile> finished_;  // points and probes that the stopped run finished
  std::vector<proto::SweepFile> settled_;     // records passed to Keep(), in file order after the spec
  std::vector<Key> ahead_;                    // keys of finished_ that follow settled_ in the file, in file order
  proto::SweepRecord checkpoint_;
};

// Returns "wrote trained.pt, test accuracy 36.60 % after epoch 2".
std::string WrittenText(const proto::Checkpoint& checkpoint);

// Returns true if the file that `checkpoint` names still has the contents that were written.
bool CheckpointIsThere(const proto::Checkpoint& checkpoint);

// Returns the checkpoint's file in the form that a trailer holds.
proto::Input FileOf(const proto::Checkpoint& checkpoint);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_JOURNAL_H_
