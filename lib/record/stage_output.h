// Locked outputs of a stage: its record, and the checkpoint that a child process writes.
//
// There are two ways to write a record:
//     - A journal (record_writer.h) keeps each finished part, such as a point that was measured for an hour. The same
//       command resumes a stopped run.
//     - Any other record is written after all of it is computed. An incomplete one is of no use.
#ifndef LOCKSTEP_LIB_RECORD_STAGE_OUTPUT_H_
#define LOCKSTEP_LIB_RECORD_STAGE_OUTPUT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/header.pb.h"
#include "lib/record/output_file.h"
#include "lib/record/record_writer.h"
#include "lib/record/replace_rule.h"

namespace lockstep {

struct StageOutputOptions {
  std::string record;                      // path of the record; "-": standard output
  std::vector<std::string> other_outputs;  // files that belong to the record; see ReplaceOwnResult (other_result.h)
  // Rule for a record that is not a journal, made for the planned header; null: ReplaceOwnResult.
  std::function<ReplaceRule(const proto::Header& planned)> rule;
  std::string checkpoint;   // path of another such file, which a child process writes; empty: no checkpoint
  bool is_journal = false;  // true: a stopped run is resumed
  bool force = false;       // true: replaces any file, and does not resume a stopped run
};

struct StageOutput {
  std::unique_ptr<OutputHold> checkpoint_hold;  // null: there is no checkpoint
  std::unique_ptr<RecordWriter> writer;

  // Releases the checkpoint, and then completes the record. The order matters: a kill in between must not leave the
  // checkpoint's .part, which no later run removes. Returns the errors of RecordWriter::Finish.
  absl::Status Finish(int exit_status = 0);
};

// Locks the checkpoint and then the record. A journal is resumed or begun. Any other record is only reserved: the
// caller must call RecordWriter::Begin when the result is known. Returns the errors of OutputHold::Take and
// RecordWriter::Create, Resume and Reserve.
absl::StatusOr<StageOutput> OpenStageOutput(const StageOutputOptions& options, const proto::Header& header);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_STAGE_OUTPUT_H_
