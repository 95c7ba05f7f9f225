// What a stopped sweep finished and so is not measured again, and the one place that writes a sweep's record.
//
// From Open to Finish the file holds every finished point at every moment, whatever ends the process. So one that
// stands behind a point that is tried again stays where it is, and the new point is put before it.
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
#include "lib/record/output_file.h"
#include "lib/record/record_writer.h"

namespace lockstep {

struct SweepJournalOptions {
  std::string output;             // the record's path, or "-"
  bool afresh = false;            // --force: what a stopped run left is not used
  std::string checkpoint;         // the checkpoint's path; empty: none
  uint32_t checkpoint_batch = 0;  // whose point is finished only together with its checkpoint; 0: none
};

// Writes spec, points, probes and end as they come. Not thread-safe.
class SweepJournal {
 public:
  // Goes on with OUTPUT.part of the same cache key, or starts one. A point is finished when it completed or ran out of
  // memory, and so is a probe; one that was killed or failed is tried again. The checkpoint's point is finished when it
  // completed, the checkpoint's record follows it, and its file is still the one that the record names, by SHA-256.
  // No other run writes the checkpoint until Finish, or until the journal is gone. Errors like RecordWriter::Create's
  // and Resume's.
  static absl::StatusOr<std::unique_ptr<SweepJournal>> Open(const SweepJournalOptions& options,
                                                            const proto::Header& header, const proto::SweepSpec& spec);

  // The point of this batch, and its checkpoint if it left one, as a stopped run finished it; else null.
  const proto::SweepFile* Finished(uint32_t batch_size) const;

  // The same of a probe.
  const proto::SweepFile* FinishedProbe(uint32_t batch_size) const;

  // Adds what a point or a probe left, records as Finished returns them, after what was kept before; unless they stand
  // there already.
  absl::Status Keep(const proto::SweepFile& records);

  // Appends the end, names the checkpoint in the trailer, lets go of the checkpoint, and completes the file.
  absl::Status Finish(const proto::SweepEnd& end, int exit_status);

  bool has_checkpoint() const { return checkpoint_.has_checkpoint(); }

 private:
  SweepJournal(std::unique_ptr<OutputHold> checkpoint_hold, std::unique_ptr<RecordWriter> writer,
               const proto::SweepSpec& spec);
  void ReadFinished(const std::vector<proto::SweepRecord>& kept, uint32_t checkpoint_batch);
  absl::Status Rewrite();

  using Key = std::pair<bool, uint32_t>;  // whether it is a probe, and its batch size
  static Key KeyOf(const proto::SweepRecord& record);
  const proto::SweepFile* Find(const Key& key) const;

  std::unique_ptr<OutputHold> checkpoint_hold_;  // null: there is no checkpoint, or it is written
  const std::unique_ptr<RecordWriter> writer_;
  proto::SweepRecord spec_;
  std::map<Key, proto::SweepFile> finished_;  // by the stopped run
  std::vector<proto::SweepFile> settled_;     // what Keep was given, in the file behind the spec
  std::vector<Key> ahead_;                    // of finished_, in the file behind these
  proto::SweepRecord checkpoint_;
};

// Whether the file that `checkpoint` names is still the one that was written.
bool CheckpointIsThere(const proto::Checkpoint& checkpoint);

// The file as a trailer names it.
proto::Input FileOf(const proto::Checkpoint& checkpoint);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SWEEP_JOURNAL_H_
