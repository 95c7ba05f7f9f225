#include "lib/cifar/parse_options.h"

#include "absl/strings/str_cat.h"

namespace lockstep {

absl::Status WarnOrRefuse(const ParseOptions& options, absl::string_view what) {
  if (options.strict) {
    return absl::FailedPreconditionError(absl::StrCat(what, "; without --strict it is taken with a warning"));
  }
  if (options.warnings != nullptr) {
    options.warnings->emplace_back(what);
  }
  return absl::OkStatus();
}

}  // namespace lockstep
