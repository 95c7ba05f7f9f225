// What a run depends on although no flag says it: the machine, the environment, the shared
// libraries in the process.
#ifndef LOCKSTEP_LIB_RECORD_SURROUNDINGS_H_
#define LOCKSTEP_LIB_RECORD_SURROUNDINGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// This machine, as the header describes it.
proto::Host DescribeHost();

// The names of the environment variables that are recorded: exact names, or prefixes that end in
// '*'.
const std::vector<std::string>& EnvironmentWhitelist();

// Those that are set, with their values.
std::map<std::string, std::string> RecordedEnvironment();

// Whether a recorded variable can change what is measured; a batch system's job number cannot.
bool ChangesResults(absl::string_view name);

// SHA-256, hex, of the host, the environment that can change a result, the search path of shared
// libraries, and the NVIDIA GPUs that the driver lists: equal means that the same program finds the
// same machine again. Loads nothing and opens no device.
std::string SurroundingsSha256();

// The shared libraries that are in the process now, as their folders list them.
std::vector<proto::LoadedFile> LoadedFiles();

// A file as its folder lists it; size_bytes 0 when there is none.
proto::LoadedFile DescribeFile(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_SURROUNDINGS_H_
