// Assembly of a split from the files of CIFAR-10 or CIFAR-100, with a note on what the split lacks to be whole.
#ifndef LOCKSTEP_LIB_CIFAR_ASSEMBLE_SPLIT_H_
#define LOCKSTEP_LIB_CIFAR_ASSEMBLE_SPLIT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/cifar/source_files.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Files of a split.
struct SplitFiles {
  proto::Split split;
  const char* name;                // "training" or "test", for messages
  std::vector<std::string> files;  // file names, in order
  uint32_t whole_count;            // number of images of the official split, equally many of each class
  std::string archive;             // archive that has the missing files, for messages
};

// Adds the images of one file to a set. Errors need not name the file.
using AppendFile = std::function<absl::Status(const SourceFile& file, ImageSet& set)>;

// Returns the images of those files that exist. Sets the counts, statistics and `class_names` in info, and the note to
// what the split lacks (empty: the split is whole, by counts).
//   - NotFound: no file exists.
//   - FailedPrecondition: the split is not whole, and `allow_partial` is false.
//   - Cancelled: SIGINT or SIGTERM.
//   - Errors of `append`, with the file's name in front.
absl::StatusOr<ImageSet> AssembleSplit(const SourceFiles& source, const SplitFiles& files,
                                       const std::vector<std::string>& class_names, bool allow_partial,
                                       const AppendFile& append);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_ASSEMBLE_SPLIT_H_
