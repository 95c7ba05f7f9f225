#include "lib/record/stage_output.h"

#include <utility>

#include "lib/base/status_macros.h"
#include "lib/record/other_result.h"
#include "lib/record/replace_rule.h"

namespace lockstep {
namespace {

absl::StatusOr<std::unique_ptr<RecordWriter>> OpenWriter(const StageOutputOptions& options,
                                                         const proto::Header& header) {
  std::vector<std::string> other_outputs = options.other_outputs;
  if (!options.checkpoint.empty()) {
    other_outputs.push_back(options.checkpoint);
  }
  if (!options.is_journal) {
    ReplaceRule rule = options.rule ? options.rule(header) : ReplaceOwnResult(header, other_outputs);
    return RecordWriter::Reserve(options.record, ReplaceIfForced(ToForce(options.force), std::move(rule)));
  }
  return options.force ? RecordWriter::Create(options.record, header, ReplaceAnything())
                       : RecordWriter::Resume(options.record, header, other_outputs);
}

}  // namespace

absl::Status StageOutput::Finish(int exit_status) {
  checkpoint_hold.reset();
  return writer->Finish(exit_status);
}

absl::StatusOr<StageOutput> OpenStageOutput(const StageOutputOptions& options, const proto::Header& header) {
  StageOutput output;
  if (!options.checkpoint.empty()) {  // first, because the record's rule checks whether the checkpoint exists
    ASSIGN_OR_RETURN(output.checkpoint_hold, OutputHold::Take(options.checkpoint));
  }
  ASSIGN_OR_RETURN(output.writer, OpenWriter(options, header));
  return output;
}

}  // namespace lockstep
