// LibTorch: where the tools will find it, of which version and ABI, and whether it loads.
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

// Where the tools beside this program search LibTorch's libraries. Tools of Bazel's have the build's folders. Those
// of a portable folder take LOCKSTEP_LIBRARIES, or ask PYTHON as their launcher does (tools/package.sh).
void ProbeLibTorchFolders(const DoctorRequest& request, ProbeAnswer& answer);

// The search path of shared libraries that the tools have: LD_LIBRARY_PATH as it is, and these folders at the side on
// which the tools have them. The next two probes are started with it.
std::string LibraryPath(const std::vector<std::string>& folders, const BuildFacts& build, bool portable,
                        const std::string& ld_library_path);

// Version, ABI, and whether the libraries load with all of their symbols.
void ProbeLibTorch(const DoctorRequest& request, ProbeAnswer& answer);

// Starts train_sweep and scale_run, if they are next to this program, with all of their symbols resolved. Starts neither
// if the LibTorch in the search path is of another version, or for another major version of CUDA, than the build's.
void ProbeToolStart(const DoctorRequest& request, ProbeAnswer& answer);

// The areas "libtorch" and one for each tool that does not start.
void JudgeLibTorch(const proto::MachineFacts& facts, const DoctorRequest& request, const BuildFacts& build,
                   FindingList& findings);

// _GLIBCXX_USE_CXX11_ABI of a library, from the names in its bytes: 1 when functions of c10 take the strings of that
// ABI, 0 when they take the older ones, -1 when it has none of either.
int Cxx11Abi(absl::string_view library);

// "2.11.0+cu130" from torch/version.py, or the one line of LibTorch's file build-version. Empty: neither.
std::string TorchVersion(absl::string_view text);

// The CUDA version in it, as CUDART_VERSION writes it: 13000 from "cuda: Optional[str] = '13.0'", or from the end of
// "2.11.0+cu130". 0: none.
uint32_t TorchCuda(absl::string_view text);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_LIBTORCH_H_
