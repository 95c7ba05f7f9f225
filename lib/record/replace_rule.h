// Rules that decide whether an existing file may be replaced. Every function that writes a file takes a rule.
// lib/record/output_file.h evaluates the rule after taking the lock and before changing anything.
#ifndef LOCKSTEP_LIB_RECORD_REPLACE_RULE_H_
#define LOCKSTEP_LIB_RECORD_REPLACE_RULE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// Output for which a rule is evaluated.
struct ReplacedOutput {
  std::string path;
  bool has_part = false;  // true if PATH.part existed before this process opened it
};

// Function that returns true if the existing file belongs to the calling command, false if no file of value exists, and
// otherwise InvalidArgumentError with a description of the file and the remedy. A rule must not change anything.
using ReplaceRule = std::function<absl::StatusOr<bool>(const ReplacedOutput& output)>;

// Returns the rule that allows replacing any file, for --force.
ReplaceRule ReplaceAnything();

// Returns the rule that allows replacing only an empty file.
ReplaceRule ReplaceNothing();

// Returns the rule that allows replacing a file with `mark` in its first KiB. `mark` must be a text that occurs only in
// this kind of output, and the new file must have it in its first KiB.
ReplaceRule ReplaceMarked(const std::string& mark);

// Flag --force of a tool.
enum class Force { kNo, kYes };
inline Force ToForce(bool force) { return force ? Force::kYes : Force::kNo; }

// Returns the rule `unless_forced`, or ReplaceAnything() with kYes.
ReplaceRule ReplaceIfForced(Force force, ReplaceRule unless_forced);

// Returns InvalidArgumentError for a file that must not be replaced. The message is `what` and the remedy.
absl::Status RefuseToReplace(const std::string& what);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_REPLACE_RULE_H_
