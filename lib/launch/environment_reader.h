// Reader of numbers and texts in environment variables, with errors that name the variable. Does not depend on
// LibTorch.
#ifndef LOCKSTEP_LIB_LAUNCH_ENVIRONMENT_READER_H_
#define LOCKSTEP_LIB_LAUNCH_ENVIRONMENT_READER_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Function that returns the value of a variable, or null if it is not set, such as std::getenv.
using EnvironmentLookup = std::function<const char*(const char*)>;

class EnvironmentReader {
 public:
  // `whose` is the start of each error message ("a rank's environment"), `remedy` its end.
  EnvironmentReader(EnvironmentLookup lookup, std::string whose, std::string remedy)
      : lookup_(std::move(lookup)), whose_(std::move(whose)), remedy_(std::move(remedy)) {}

  bool Has(const char* name) const { return lookup_(name) != nullptr; }

  // Returns the variable's value, or an empty text if it is not set.
  std::string TextOrEmpty(const char* name) const;

  // Returns the variable's value. Returns InvalidArgumentError if it is not set.
  absl::StatusOr<std::string> Text(const char* name) const;

  // Returns the variable's number. Returns InvalidArgumentError if it is not set, not a number, or outside [first,
  // last].
  absl::StatusOr<int> Number(const char* name, int first, int last) const;

  // Returns the first of `names` that is set, or the last name if no variable is set.
  const char* FirstOf(const std::vector<const char*>& names) const;

  // Returns true if all variables are set, and false if no variable is set. Returns InvalidArgumentError, with their
  // names, if only some are set.
  absl::StatusOr<bool> HasAll(const std::vector<const char*>& names) const;

  // Returns InvalidArgumentError("WHOSE: NAME WHAT; REMEDY").
  absl::Status Invalid(absl::string_view name, absl::string_view what) const;

 private:
  const EnvironmentLookup lookup_;
  const std::string whose_;
  const std::string remedy_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_ENVIRONMENT_READER_H_
