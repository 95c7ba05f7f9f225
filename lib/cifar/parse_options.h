// How strictly the readers of CIFAR-10's versions take what they find.
#ifndef LOCKSTEP_LIB_CIFAR_PARSE_OPTIONS_H_
#define LOCKSTEP_LIB_CIFAR_PARSE_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/cifar/published_digests.h"

namespace lockstep {

struct ParseOptions {
  bool allow_partial = false;  // take a set that is not the whole official one
  bool strict = false;         // refuse what would otherwise be a warning
  bool keep_pixels = true;     // false: of pictures ImageSet::pixels stays empty; checks and statistics are the same
  const PublishedDigests* published = &Cifar10Digests();  // what "official" is measured by; a test brings its own
  std::vector<std::string>* warnings = nullptr;  // each warning, one line without its end, is added; null: dropped
};

// Something valid is not as it was published; `what` names the file. FailedPrecondition under `strict`, else one more
// warning.
absl::Status WarnOrRefuse(const ParseOptions& options, absl::string_view what);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PARSE_OPTIONS_H_
