// Opens a shared library and reports its path.
#ifndef LOCKSTEP_LIB_DOCTOR_OPEN_LIBRARY_H_
#define LOCKSTEP_LIB_DOCTOR_OPEN_LIBRARY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/doctor/examination.pb.h"

namespace lockstep {

// Opens a library with all symbols resolved (RTLD_NOW) and visible to later libraries, and never closes it. Returns
// null, with the loader's message in `facts`, on errors.
void* OpenLibrary(const std::string& name, proto::LibraryFacts& facts);

// Returns the remedy for an error message of the loader: a file that is missing, damaged, of another version, or made
// for a newer system. `owner` is the owner of the libraries: "LibTorch".
std::string LoaderRemedy(absl::string_view error, const std::string& owner);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_OPEN_LIBRARY_H_
