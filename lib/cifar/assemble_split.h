// A split put together from the files that CIFAR-10 has for it, and what it lacks to be the whole split.
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

// What a split is made of.
struct SplitFiles {
  proto::Split split;
  const char* name;                // "training", "test": for messages
  std::vector<std::string> files;  // in their order
  uint32_t whole_count;            // images of the official split, equally many of each class
  const char* archive;             // where missing files are to be had, for messages
};

// Adds the images of one file to a set. Its errors need not name the file.
using AppendFile = std::function<absl::Status(const SourceFile& file, ImageSet& set)>;

// The images of those files that are there; their counts and statistics, with `class_names`, are set in info, whose
// note says what the split lacks (empty: it is whole, by counts). NotFound: none of the files is there.
// FailedPrecondition: it is not whole, and `allow_partial` is false. Cancelled: SIGINT or SIGTERM. Others are those of
// `append`, with the file's name before them.
absl::StatusOr<ImageSet> AssembleSplit(const SourceFiles& source, const SplitFiles& files,
                                       const std::vector<std::string>& class_names, bool allow_partial,
                                       const AppendFile& append);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_ASSEMBLE_SPLIT_H_
