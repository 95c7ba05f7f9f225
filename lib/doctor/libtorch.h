// Checks of LibTorch: its folder as the tools find it, its version and ABI, and whether it loads.
#ifndef LOCKSTEP_LIB_DOCTOR_LIBTORCH_H_
#define LOCKSTEP_LIB_DOCTOR_LIBTORCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/doctor/answer.h"
#include "lib/doctor/build_facts.h"
#include "lib/doctor/findings.h"
#include "lib/doctor/request.h"

namespace lockstep {

// Finds the folders in which the tools next to this program search LibTorch's libraries. Tools that Bazel built have
// the build's folders. Tools of a portable folder use LOCKSTEP_LIBRARIES, or ask PYTHON like their launcher
// (tools/package.sh).
void ProbeLibTorchFolders(const DoctorRequest& request, ProbeAnswer& answer);

// Returns the tools' search path of shared libraries: LD_LIBRARY_PATH, with these folders before or after it as for the
// tools. The next two probes are started with this path.
std::string LibraryPath(const std::vector<std::string>& folders, const BuildFacts& build, Distribution distribution,
                        const std::string& ld_library_path);

// Finds the version and the ABI, and whether the libraries load with all of their symbols.
void ProbeLibTorch(const DoctorRequest& request, ProbeAnswer& answer);

// Starts train_sweep and scale_run, if they are next to this program, with all of their symbols resolved. Starts
// neither if the LibTorch in the search path has another version, or another major version of CUDA, than the build's.
void ProbeToolStart(const DoctorRequest& request, ProbeAnswer& answer);

// Judges the area "libtorch", and one area for each tool that does not start.
void JudgeLibTorch(const proto::MachineFacts& facts, const DoctorRequest& request, const BuildFacts& build,
                   FindingList& findings);

// Returns _GLIBCXX_USE_CXX11_ABI of a library, from the names in its bytes: 1 if functions of c10 take strings of that
// ABI, 0 if they take strings of the older ABI, -1 if the library has no such functions.
int Cxx11Abi(absl::string_view library);

// Returns "2.11.0+cu130" from torch/version.py, or the one line of LibTorch's file build-version. Empty: no version
// found.
std::string TorchVersion(absl::string_view text);

// Returns the CUDA version in `text` in the form of CUDART_VERSION: 13000 from "cuda: Optional[str] = '13.0'", or from
// the end of "2.11.0+cu130". 0: no CUDA version.
uint32_t TorchCuda(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_LIBTORCH_H_
