// The command that measures a record again, with another number of repeats or seeds.
#ifndef LOCKSTEP_LIB_WARNINGS_REPEAT_COMMAND_H_
#define LOCKSTEP_LIB_WARNINGS_REPEAT_COMMAND_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// Returns the command that made a record, as a shell reads it and with the present names of its flags, with `flag`
// ("--repeats=5") instead of its own flag of that name, and with --force, because its output exists. Returns an empty
// text if the record has no command.
std::string RepeatCommand(const proto::Header& header, absl::string_view flag);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WARNINGS_REPEAT_COMMAND_H_
