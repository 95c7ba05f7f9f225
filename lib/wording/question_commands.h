// The commands that make the records which answer a question of the lab. Each command runs without changes in the
// folder in which report was run, after the commands before it; tests/suggested_commands_test.py runs them.
//
// If dataset.rec has too few images for the lab's batches, the commands name batches that fit.
#ifndef LOCKSTEP_LIB_WORDING_QUESTION_COMMANDS_H_
#define LOCKSTEP_LIB_WORDING_QUESTION_COMMANDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/scale.pb.h"
#include "lib/wording/excluded_answers.h"

namespace lockstep {

// Returns the commands for "Q1" to "Q7" and "B1" to "B5", in the order in which they must run. Returns no command if
// WhyNoCommands has a reason.
std::vector<std::string> CommandsFor(absl::string_view question, const DatasetFacts& facts);

// Returns "run A" or "run A and then B".
std::string RunText(const std::vector<std::string>& commands);

// Returns RunText of CommandsFor, or WhyNoCommands.
std::string AnswerText(absl::string_view question, const DatasetFacts& facts);

// Returns the same text on the command that makes the record of an experiment.
std::string ExperimentText(proto::Experiment experiment, const DatasetFacts& facts);

// Returns the same text on the command that times DataParallel next to DDP, or WhyNoDataParallel.
std::string DataParallelText(const DatasetFacts& facts);

// Return the command that predicts runs on more devices, and the command that audits a published table.
std::string PredictCommand();
std::string AuditCommand();

// Returns the command that explains the scale record at `path`.
std::string ExplainCommand(absl::string_view path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_QUESTION_COMMANDS_H_
