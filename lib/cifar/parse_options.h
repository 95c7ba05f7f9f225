// Strictness of the readers of CIFAR-10's versions, and the published MD5s (data/README.md).
//
// Sources of the MD5s: https://www.cs.toronto.edu/~kriz/cifar.html for the archives; torchvision, datasets/cifar.py
// (CIFAR10 and CIFAR100: train_list, test_list, meta) for the Python version's members. No MD5s are published for the
// binary version's members.
#ifndef LOCKSTEP_LIB_CIFAR_PARSE_OPTIONS_H_
#define LOCKSTEP_LIB_CIFAR_PARSE_OPTIONS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// MD5s as lower-case hex.
struct PublishedDigests {
  std::string binary_archive;                         // cifar-10-binary.tar.gz, or that of CIFAR-100
  std::string python_archive;                         // cifar-10-python.tar.gz, or that of CIFAR-100
  std::map<std::string, std::string> python_members;  // MD5s by file name: data_batch_1 ... 5, test_batch, batches.meta
};

// The results live as long as the program.
const PublishedDigests& Cifar10Digests();
const PublishedDigests& Cifar100Digests();

struct ParseOptions {
  bool allow_partial = false;  // accepts a set that is not the whole official one
  bool strict = false;         // refuses data that would otherwise cause a warning
  uint32_t resize = 0;         // side to which pictures are resized (resize_picture.h); 0: pictures keep their size
  bool keep_pixels = true;     // false: ImageSet::pixels of pictures stays empty; checks and statistics are the same
  const PublishedDigests* published = nullptr;   // digests of official files, for tests; null: those of the set
  std::vector<std::string>* warnings = nullptr;  // receives each warning as a line without its end; null: dropped
};

// Reports valid data that differs from the published data; `what` names the file. Returns FailedPreconditionError under
// `strict`; otherwise adds a warning.
absl::Status WarnOrRefuse(const ParseOptions& options, absl::string_view what);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PARSE_OPTIONS_H_
