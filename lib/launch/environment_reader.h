// Numbers and texts of environment variables, read with errors that name the variable. Knows nothing of LibTorch.
#ifndef LOCKSTEP_LIB_LAUNCH_ENVIRONMENT_READER_H_
#define LOCKSTEP_LIB_LAUNCH_ENVIRONMENT_READER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// The value of a variable, null when it is not set: std::getenv.
using EnvironmentLookup = std::function<const char*(const char*)>;

class EnvironmentReader {
 public:
  // `whose` begins each message ("a rank's environment"), `remedy` ends it.
  EnvironmentReader(EnvironmentLookup lookup, std::string whose, std::string remedy)
      : lookup_(std::move(lookup)), whose_(std::move(whose)), remedy_(std::move(remedy)) {}

  bool Has(const char* name) const { return lookup_(name) != nullptr; }

  // The variable's value; empty when it is not set.
  std::string TextOrEmpty(const char* name) const;

  // InvalidArgument: it is not set.
  absl::StatusOr<std::string> Text(const char* name) const;

  // InvalidArgument: it is not set, no number, or outside of [first, last].
  absl::StatusOr<int> Number(const char* name, int first, int last) const;

  // The first of `names` that is set; the last one when none is.
  const char* FirstOf(const std::vector<const char*>& names) const;

  // True when all are set, false when none is. InvalidArgument, and says which, when only some are.
  absl::StatusOr<bool> HasAll(const std::vector<const char*>& names) const;

  // InvalidArgument: "WHOSE: NAME WHAT; REMEDY".
  absl::Status Unfit(absl::string_view name, absl::string_view what) const;

 private:
  const EnvironmentLookup lookup_;
  const std::string whose_;
  const std::string remedy_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_ENVIRONMENT_READER_H_
