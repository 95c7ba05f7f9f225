// Detection of QEMU's user mode, which lacks some system calls. Test-only.
#ifndef LOCKSTEP_LIB_TESTING_EMULATION_H_
#define LOCKSTEP_LIB_TESTING_EMULATION_H_

#include <cstdlib>

namespace lockstep::testing {

// Returns true if this program runs under the emulator of `--config=arm64`, whose script sets the variable
// (third_party/arm64/arm64.bzl). A test of something that QEMU does not emulate should skip then and name it.
inline bool IsEmulated() { return std::getenv("LOCKSTEP_EMULATED") != nullptr; }

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_TESTING_EMULATION_H_
