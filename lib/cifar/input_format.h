// Detection of the version of CIFAR-10 that a folder or an archive holds, by file names.
//
//   binary   data_batch_1.bin ... data_batch_5.bin, test_batch.bin, batches.meta.txt
//   python   data_batch_1 ... data_batch_5, test_batch, batches.meta
//   images   train/<class>/*.png, .jpg or .jpeg and test/<class>/... or val/<class>/... (split_folders.h), in any
//            letter case; names that begin with a dot do not count
//
// The files must be at the top or inside one folder (cifar-10-batches-bin/ ...), which is then the data set's root.
#ifndef LOCKSTEP_LIB_CIFAR_INPUT_FORMAT_H_
#define LOCKSTEP_LIB_CIFAR_INPUT_FORMAT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "lib/cifar/passed_over.h"
#include "lib/proto/dataset.pb.h"

namespace lockstep {

// Returns "synthetic", "binary", "python" or "images", as used in --input_format and in messages.
std::string InputFormatName(proto::InputFormat format);

// Returns the format of a value of --input_format. "auto" gives SYNTHETIC if `input` is empty, else
// INPUT_FORMAT_UNSPECIFIED. InvalidArgument: an unknown name, or one that does not fit `input`, which must be empty for
// synthetic images only.
absl::StatusOr<proto::InputFormat> ParseInputFormat(absl::string_view flag, absl::string_view input);

// Place of a file in a data set.
struct CifarPath {
  proto::InputFormat format;
  std::string root;  // "" or "cifar-10-batches-bin"
  std::string name;  // relative to root: "data_batch_1.bin", "train/cat/0001.jpg"
};

// Returns the place of the file at a '/'-separated path, or nothing if no version of CIFAR-10 has such a file.
absl::optional<CifarPath> CifarPathOf(absl::string_view path);

// Collects the files found and decides on a format.
class FormatFinder {
 public:
  void Add(const CifarPath& place) { ++found_[{place.format, place.root}]; }
  void Add(const FormatFinder& other);  // adds the findings of another finder
  // Adds a file that CifarPathOf does not place, or a folder that is not searched. They are used in the message if
  // nothing is found, and by PassedOverIn.
  void AddOther(absl::string_view path, EntryKind kind = EntryKind::kFile);

  // Returns, for each split folder of `root`, the files below it that are not pictures of a class. Hidden files (a name
  // that begins with a dot) are left out.
  std::map<std::string, PassedOver> PassedOverIn(const std::string& root) const;

  // Returns the only format and root that were found, of `wanted` alone unless that is INPUT_FORMAT_UNSPECIFIED.
  // FailedPrecondition, listing the findings: no such format and root, or more than one.
  absl::StatusOr<std::pair<proto::InputFormat, std::string>> Decide(const std::string& input,
                                                                    proto::InputFormat wanted) const;

 private:
  std::map<std::pair<proto::InputFormat, std::string>, size_t> found_;     // number of files by format and root
  std::vector<std::string> others_;                                        // the first few names
  std::map<std::pair<std::string, std::string>, PassedOver> passed_over_;  // keys: root, split folder
  size_t other_count_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_INPUT_FORMAT_H_
