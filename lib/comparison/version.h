// Version of the program and of the system that made a run.
#ifndef LOCKSTEP_LIB_COMPARISON_VERSION_H_
#define LOCKSTEP_LIB_COMPARISON_VERSION_H_

#include <string>
#include <vector>

#include "lib/proto/header.pb.h"

namespace lockstep {

// One part of a version.
struct VersionPart {
  std::string name;   // "build", "LibTorch", "environment"
  std::string words;  // "build 0123456789ab (0.1.0, ...)", "LibTorch 2.11.0", "environment NCCL_ALGO=Tree"
};

// Returns the parts of a version: the build with its commit, the libraries, the driver, and the recorded environment
// variables that can change a result. All headers have the same number of parts with the same names. Runs whose parts
// are equal are of one version; `report --compare` and the page of runs next to each other both decide by these parts.
std::vector<VersionPart> VersionOf(const proto::Header& header);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMPARISON_VERSION_H_
