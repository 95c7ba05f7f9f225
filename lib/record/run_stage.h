// Runs a stage in the order that all stages share:
//     1. plan: a dry run prints what the run would do, and ends;
//     2. cache: if the record already holds the result, the run ends;
//     3. lock and writer (stage_output.h);
//     4. the stage's work, which writes the record.
// Before, a stage checks its options, declares its files (run_files.h) and reads its inputs.
#ifndef LOCKSTEP_LIB_RECORD_RUN_STAGE_H_
#define LOCKSTEP_LIB_RECORD_RUN_STAGE_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/header.pb.h"
#include "lib/record/stage_output.h"

namespace lockstep {

struct StageRun {
  StageOutputOptions output;
  bool dry_run = false;

  // Prints the plan. Called by a dry run only.
  std::function<absl::Status()> print_plan;

  // Makes the record's header. Called at most once, and not by a dry run, whose plan may not need it.
  std::function<absl::StatusOr<proto::Header>()> make_header;

  // Returns true if the outputs hold the result already. Not called with --force. Empty: IsCached (step_cache.h).
  std::function<bool(const proto::Header& header)> is_cached;

  // Computes and writes the record, to the end. May move `output` away if it is a journal.
  std::function<absl::Status(const proto::Header& header, StageOutput& output)> write;
};

// Runs the stage. If `write` fails, PATH.part of a journal remains, and the begun PATH.part of any other record is
// removed. Returns the first error of the functions and of OpenStageOutput.
absl::Status RunStage(const StageRun& run);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_RUN_STAGE_H_
