// The commands that make the records which answer a question of the lab. Each command runs without changes in the
// folder in which report was run, after the commands before it; tests/suggested_commands_test.py runs them.
//
// On a CPU the experiments have the small extent of small_experiments.h.
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

// Returns the predicted duration of the commands: "about 70 s on two cores". Returns an empty text if it is not known:
// on GPUs, and for questions that no experiment answers.
std::string DurationOf(absl::string_view question, const DatasetFacts& facts);

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

// Returns the command that explains the scale record at `path`, and writes into the folder of the record.
std::string ExplainCommand(absl::string_view path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_QUESTION_COMMANDS_H_
