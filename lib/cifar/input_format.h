// Finds out what kind of CIFAR-10 a folder or an archive holds, by the names in it.
//
//   binary   data_batch_1.bin ... data_batch_5.bin, test_batch.bin, batches.meta.txt
//   python   data_batch_1 ... data_batch_5, test_batch, batches.meta
//   images   train/<class>/*.png, .jpg or .jpeg and test/<class>/... or val/<class>/... (split_folders.h), all in any case
//            of letters; names that begin with a dot are not
//
// each at the top or inside one folder (cifar-10-batches-bin/ ...), which is then the data set's root.
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

// "synthetic", "binary", "python" or "images", as in --input_format; for messages too.
std::string InputFormatName(proto::InputFormat format);

// The value of --input_format; INPUT_FORMAT_UNSPECIFIED for "auto", and SYNTHETIC for it when `input` is empty.
// InvalidArgument: an unknown name, or one that does not go with `input`: synthetic images want none, the others one.
absl::StatusOr<proto::InputFormat> ParseInputFormat(absl::string_view flag, absl::string_view input);

// Where a file belongs.
struct CifarPath {
  proto::InputFormat format;
  std::string root;  // "" or "cifar-10-batches-bin"
  std::string name;  // relative to root: "data_batch_1.bin", "train/cat/0001.jpg"
};

// Where the file at a '/'-separated path belongs; nothing when it is of no kind of CIFAR-10.
absl::optional<CifarPath> CifarPathOf(absl::string_view path);

// Gathers what is found, and decides.
class FormatFinder {
 public:
  void Add(const CifarPath& place) { ++found_[{place.format, place.root}]; }
  void Add(const FormatFinder& other);  // adds the findings of another one
  // Adds a file that CifarPathOf does not place, or a folder that is not looked into: for the message when nothing is
  // found, and for PassedOverIn.
  void AddOther(absl::string_view path, bool is_folder = false);

  // Returns the files below the split folders of `root` that are no pictures of a class, by split folder. Hidden ones (a name
  // that begins with a dot) are left out.
  std::map<std::string, PassedOver> PassedOverIn(const std::string& root) const;

  // The one format and root to read, of `wanted` alone unless that is INPUT_FORMAT_UNSPECIFIED. FailedPrecondition,
  // saying what was found: nothing of it, or more than one.
  absl::StatusOr<std::pair<proto::InputFormat, std::string>> Decide(const std::string& input,
                                                                    proto::InputFormat wanted) const;

 private:
  std::map<std::pair<proto::InputFormat, std::string>, size_t> found_;     // how many files
  std::vector<std::string> others_;                                        // the first few
  std::map<std::pair<std::string, std::string>, PassedOver> passed_over_;  // keys: root, split folder
  size_t other_count_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_INPUT_FORMAT_H_
