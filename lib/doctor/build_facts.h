// Facts about this program's environment that the build recorded.
#ifndef LOCKSTEP_LIB_DOCTOR_BUILD_FACTS_H_
#define LOCKSTEP_LIB_DOCTOR_BUILD_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

struct BuildFacts {
  std::string compiler;                    // "gcc 12.2.0"
  std::string torch_version;               // "2.11.0+cu130"; empty: built without LibTorch
  std::vector<std::string> torch_folders;  // folders of its shared libraries and of those that they need
  std::string cuda_home;                   // folder of the toolkit; empty: built without CUDA
  uint32_t cuda_version = 0;               // number in the form of CUDART_VERSION: 13000 for 13.0
  uint32_t torch_cuda_version = 0;         // CUDA of LibTorch's own build, in the same form; 0: for CPUs only
  std::string torch_pip;      // arguments of pip for this LibTorch, else for the pinned one: "torch==2.11.0"
  std::string torch_minimum;  // oldest LibTorch that Lockstep was tested with: "2.11"
  std::string torch_maximum;  // newest LibTorch that Lockstep was tested with
};

const BuildFacts& ThisBuild();

// Origin of this program: Bazel's build, or a portable folder (tools/package.sh), whose tools find LibTorch by
// themselves.
enum class Distribution { kBuilt, kPortable };

Distribution ThisDistribution();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_BUILD_FACTS_H_
