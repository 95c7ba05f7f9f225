#include "lib/cifar/split_folders.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

bool IsTrain(absl::string_view name) { return absl::EqualsIgnoreCase(name, "train"); }

bool IsTest(absl::string_view name) { return absl::EqualsIgnoreCase(name, "test"); }

bool IsValidation(absl::string_view name) {
  return absl::EqualsIgnoreCase(name, "val") || absl::EqualsIgnoreCase(name, "valid") ||
         absl::EqualsIgnoreCase(name, "validation");
}

// Returns the only name for which `is` holds; empty if there is none.
absl::StatusOr<std::string> OnlyOne(const std::string& path, const std::set<std::string>& names,
                                    bool (*is)(absl::string_view)) {
  std::string found;
  for (const std::string& name : names) {
    if (is(name) && !found.empty()) {
      return absl::FailedPreconditionError(absl::StrCat(path, ": expected one of the folders ", found, "/ and ", name,
                                                        "/, found both; move or rename one of them"));
    }
    found = is(name) ? name : found;
  }
  return found;
}

}  // namespace

bool IsSplitFolder(absl::string_view name) { return IsTrain(name) || IsTest(name) || IsValidation(name); }

absl::StatusOr<SplitFolders> ChooseSplitFolders(const std::string& path, const std::set<std::string>& names) {
  SplitFolders folders;
  ASSIGN_OR_RETURN(folders.train, OnlyOne(path, names, IsTrain));
  ASSIGN_OR_RETURN(folders.test, OnlyOne(path, names, IsTest));
  ASSIGN_OR_RETURN(folders.validation, OnlyOne(path, names, IsValidation));
  if (folders.test.empty()) {
    folders.test.swap(folders.validation);
  }
  return folders;
}

}  // namespace lockstep
