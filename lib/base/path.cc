#include "lib/base/path.h"

#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

// Returns the number of bytes up to and including the last '/'.
size_t FolderBytes(absl::string_view path) { return path.rfind('/') + 1; }  // npos + 1 is 0

}  // namespace

std::string FileNameOf(absl::string_view path) { return std::string(path.substr(FolderBytes(path))); }

std::string FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string JoinPath(absl::string_view folder, absl::string_view name) {
  return absl::StrCat(folder, folder.empty() ? "" : "/", name);
}

std::string SiblingPath(absl::string_view path, absl::string_view name) {
  return absl::StrCat(path.substr(0, FolderBytes(path)), name);
}

std::string PartPath(absl::string_view path) { return absl::StrCat(path, ".part"); }

}  // namespace lockstep
