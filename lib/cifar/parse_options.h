// How strictly the readers of CIFAR-10's versions take what they find, and the MD5s that it was published with
// (data/README.md).
//
// Sources of the MD5s: https://www.cs.toronto.edu/~kriz/cifar.html for the archives; torchvision, datasets/cifar.py
// (CIFAR10.train_list, test_list, meta) for the Python version's members. None is published of the binary version's members.
#ifndef LOCKSTEP_LIB_CIFAR_PARSE_OPTIONS_H_
#define LOCKSTEP_LIB_CIFAR_PARSE_OPTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// MD5s as lower-case hex.
struct PublishedDigests {
  std::string binary_archive;                         // cifar-10-binary.tar.gz
  std::string python_archive;                         // cifar-10-python.tar.gz
  std::map<std::string, std::string> python_members;  // by name: data_batch_1 ... 5, test_batch, batches.meta
};

// Those of CIFAR-10. Lives as long as the program.
const PublishedDigests& Cifar10Digests();

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
