// The two folders of an image set that hold training and test images, by their names.
#ifndef LOCKSTEP_LIB_CIFAR_SPLIT_FOLDERS_H_
#define LOCKSTEP_LIB_CIFAR_SPLIT_FOLDERS_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

// Names as they are on disk. Empty: there is no such folder.
struct SplitFolders {
  std::string train;       // train, in any letter case
  std::string test;        // test, in any letter case; if there is none, the validation folder
  std::string validation;  // val, valid or validation next to test: not read
};

// Returns true for a name of one of the three kinds.
bool IsSplitFolder(absl::string_view name);

// Chooses among the folders of the set at `path`, each of which must be a split folder. Returns FailedPreconditionError
// if two could hold the same split.
absl::StatusOr<SplitFolders> ChooseSplitFolders(const std::string& path, const std::set<std::string>& names);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_SPLIT_FOLDERS_H_
