// Detection of the data set that a folder or an archive holds, by file names.
//
//   binary   the binary version of CIFAR-10 or CIFAR-100 (cifar_set.h)
//   python   the Python version of CIFAR-10 or CIFAR-100
//   images   train/<class>/*.png, .jpg, .jpeg, .bmp or .webp (the last one with GetWebpSupport() only) and
//            test/<class>/... or val/<class>/... (split_folders.h), in any letter case; names that begin with a dot do
//            not count
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

// Returns "synthetic", "binary", "python" or "images", as used in --input_format and in messages. The versions of
// CIFAR-100 have the words of CIFAR-10's.
std::string InputFormatName(proto::InputFormat format);

// Returns the format of a value of --input_format; BINARY and PYTHON stand for both sets. "auto" gives SYNTHETIC if
// `input` is empty, else INPUT_FORMAT_UNSPECIFIED. InvalidArgument: an unknown name, or one that does not fit `input`,
// which must be empty for synthetic images only.
absl::StatusOr<proto::InputFormat> ParseInputFormat(absl::string_view flag, absl::string_view input);

// Place of a file in a data set.
struct CifarPath {
  proto::InputFormat format;
  std::string root;  // "" or "cifar-10-batches-bin"
  std::string name;  // relative to root: "data_batch_1.bin", "train/cat/0001.jpg"
};

// Returns the place of the file at a '/'-separated path, or nothing if no known data set has such a file.
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

  // Returns the only format and root that were found, of `wanted` alone unless that is INPUT_FORMAT_UNSPECIFIED. A
  // single file with a name of CIFAR-100, such as `test`, does not count next to anything else. FailedPrecondition,
  // listing the findings: no such format and root, or more than one. If there is none, the message says what files of
  // other known forms are, and how to convert them.
  absl::StatusOr<std::pair<proto::InputFormat, std::string>> Decide(const std::string& input,
                                                                    proto::InputFormat wanted) const;

 private:
  std::map<std::pair<proto::InputFormat, std::string>, size_t> found_;     // number of files by format and root
  std::vector<std::string> others_;                                        // the first few names
  std::map<std::pair<std::string, std::string>, PassedOver> passed_over_;  // keys: root, split folder
  size_t other_count_ = 0;
  std::string foreign_;  // text about the first file of a known form that is not read (foreign_form.h)
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_INPUT_FORMAT_H_
