// Rules by which a file that is there may be replaced. Every function that writes a file takes a rule, and
// lib/record/output_file.h asks the rule in one place: after the lock, before anything is changed.
#ifndef LOCKSTEP_LIB_RECORD_REPLACE_RULE_H_
#define LOCKSTEP_LIB_RECORD_REPLACE_RULE_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lockstep {

// An output whose place is asked about.
struct ReplacedOutput {
  std::string path;
  bool has_part = false;  // PATH.part was there before this process opened it
};

// Returns true if what is there belongs to the command that asks, false if nothing of value is there, and
// InvalidArgumentError if something else is there: what it is, and the remedy. A rule must change nothing.
using ReplaceRule = std::function<absl::StatusOr<bool>(const ReplacedOutput& output)>;

// Replaces whatever is there: for --force.
ReplaceRule ReplaceAnything();

// Replaces an empty file at most.
ReplaceRule ReplaceNothing();

// Replaces a file whose first KiB holds `mark`. `mark` must be text that only this kind of output holds, and must stand
// in the first KiB of what is written.
ReplaceRule ReplaceMarked(const std::string& mark);

// Returns the rule `unless_forced`, or ReplaceAnything() if `force` is true.
ReplaceRule ReplaceIfForced(bool force, ReplaceRule unless_forced);

// Returns whether a regular file with at least one byte is at `path`.
bool HasBytes(const std::string& path);

// Returns the first bytes of the file at `path`, at most `size`; fewer if the file is shorter or cannot be read.
std::string StartOfFile(const std::string& path, size_t size);

// Returns the InvalidArgumentError for a file that must not be replaced: `what`, and the remedy.
absl::Status RefuseToReplace(const std::string& what);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_REPLACE_RULE_H_
