// The commands that make the records which answer a question of the lab. Each command runs without changes in the
// folder of dataset.rec, after the commands before it; tests/suggested_commands_test.py runs them.
//
// `training_images` is the number of training images of dataset.rec. If it is too small for the lab's batches, the
// commands name batches that fit. 0: the number is unknown, and the batches are the lab's.
#ifndef LOCKSTEP_LIB_WORDING_QUESTION_COMMANDS_H_
#define LOCKSTEP_LIB_WORDING_QUESTION_COMMANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns the commands for "Q1" to "Q7" and "B1" to "B5", in the order in which they must run.
std::vector<std::string> CommandsFor(absl::string_view question, uint64_t training_images);

// Returns "run A" or "run A and then B".
std::string RunText(const std::vector<std::string>& commands);

// Returns the command that makes the record of an experiment.
std::string ExperimentCommand(proto::Experiment experiment, uint64_t training_images);

// Returns the command that times DataParallel next to DDP.
std::string DataParallelCommand(uint64_t training_images);

// Return the command that predicts runs on more devices, and the command that audits a published table.
std::string PredictCommand();
std::string AuditCommand();

// Returns the command that explains the scale record at `path`.
std::string ExplainCommand(absl::string_view path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_QUESTION_COMMANDS_H_
