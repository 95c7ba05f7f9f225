// What this program's build knew of its surroundings.
#ifndef LOCKSTEP_LIB_DOCTOR_BUILD_FACTS_H_
#define LOCKSTEP_LIB_DOCTOR_BUILD_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

struct BuildFacts {
  std::string compiler;                    // "gcc 12.2.0"
  std::string torch_version;               // "2.11.0+cu130"; empty: built without LibTorch
  std::vector<std::string> torch_folders;  // of its shared libraries and those that they need
  std::string cuda_home;                   // the toolkit; empty: built without CUDA
  uint32_t cuda_version = 0;               // as CUDART_VERSION writes it: 13000 for 13.0
  uint32_t torch_cuda_version = 0;         // CUDA of LibTorch's own build, written likewise; 0: for CPUs only
  std::string torch_pip;      // arguments of pip for this LibTorch, else for the pinned one: "torch==2.11.0"
  std::string torch_minimum;  // oldest LibTorch that Lockstep was tried with: "2.11"
  std::string torch_maximum;  // newest one
};

const BuildFacts& ThisBuild();

// Whether this program stands in a portable folder (tools/package.sh), whose tools find LibTorch by themselves.
bool IsPortable();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DOCTOR_BUILD_FACTS_H_
