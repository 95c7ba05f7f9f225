#include "lib/doctor/open_library.h"

#include <dlfcn.h>
#include <link.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace lockstep {

void* OpenLibrary(const std::string& name, proto::LibraryFacts& facts) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* error = dlerror();
    facts.set_error(error == nullptr ? "unknown error" : error);
    return nullptr;
  }
  link_map* map = nullptr;
  facts.set_path(dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr ? map->l_name : name);
  return library;
}

// The messages are those of glibc's loader (elf/dl-load.c, dl-version.c, dl-lookup.c).
std::string LoaderRemedy(absl::string_view error, const std::string& owner) {
  if (absl::StrContains(error, "cannot open shared object file")) {
    return absl::StrCat("install ", owner, " again with all of its libraries, or add their folder to LD_LIBRARY_PATH");
  }
  if (absl::StrContains(error, "invalid ELF header") || absl::StrContains(error, "file too short") ||
      absl::StrContains(error, "ELF file") || absl::StrContains(error, "cannot read file data")) {
    return absl::StrCat("the file is damaged or built for another machine: install ", owner, " again");
  }
  if (absl::StrContains(error, "undefined symbol")) {
    return absl::StrCat("libraries of two versions are mixed: remove all folders but ", owner,
                        "'s from LD_LIBRARY_PATH");
  }
  if (absl::StrContains(error, "version `")) {
    return absl::StrCat(owner, " was built for a newer system: use a build for this one, or a newer system");
  }
  return absl::StrCat("install ", owner, " again");
}

}  // namespace lockstep
