// Opens a shared library and says which one it was.
#ifndef LOCKSTEP_LIB_DOCTOR_OPEN_LIBRARY_H_
#define LOCKSTEP_LIB_DOCTOR_OPEN_LIBRARY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "lib/doctor/examination.pb.h"

namespace lockstep {

// dlopen with all symbols resolved (RTLD_NOW), visible to what is opened later. Null, with the loader's words in
// `facts`, when it cannot be opened. It is never closed.
void* OpenLibrary(const std::string& name, proto::LibraryFacts& facts);

// What mends an error of the loader, in whose words: a file that is missing, damaged, of another version, or made for a
// newer system. `owner` is whom the libraries belong to: "LibTorch".
std::string LoaderMend(absl::string_view error, const std::string& owner);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_OPEN_LIBRARY_H_
