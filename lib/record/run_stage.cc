#include "lib/record/run_stage.h"

#include "lib/base/status_macros.h"
#include "lib/record/step_cache.h"

namespace lockstep {
namespace {

bool HoldsResult(const StageRun& run, const proto::Header& header) {
  if (run.output.force) {
    return false;
  }
  return run.is_cached ? run.is_cached(header) : IsCached(run.output.record, header);
}

}  // namespace

absl::Status RunStage(const StageRun& run) {
  if (run.dry_run) {
    return run.print_plan();
  }
  ASSIGN_OR_RETURN(const proto::Header header, run.make_header());
  if (HoldsResult(run, header)) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(StageOutput output, OpenStageOutput(run.output, header));
  const absl::Status status = run.write(header, output);
  // Without Begin, PATH.part is that of an earlier run, and stays.
  if (!status.ok() && !run.output.is_journal && output.writer->is_begun()) {
    output.writer->Discard();
  }
  return status;
}

}  // namespace lockstep
