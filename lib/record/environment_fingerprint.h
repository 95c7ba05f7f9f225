// Fingerprint of a run's environment, which no flag describes: the machine, the environment variables, and the shared
// libraries in the process.
#ifndef LOCKSTEP_LIB_RECORD_ENVIRONMENT_FINGERPRINT_H_
#define LOCKSTEP_LIB_RECORD_ENVIRONMENT_FINGERPRINT_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// Returns the header's description of this machine.
proto::Host DescribeHost();

// Returns the names of the environment variables that are recorded: exact names, or prefixes that end in '*'.
const std::vector<std::string>& EnvironmentWhitelist();

// Returns the whitelisted environment variables that are set, with their values.
std::map<std::string, std::string> RecordedEnvironment();

// Returns true if a recorded variable can change results. A batch system's job number cannot.
bool ChangesResults(absl::string_view name);

// Returns the SHA-256, hex, of the host, the environment variables that can change a result, the search path of shared
// libraries, and the NVIDIA GPUs that the driver lists. Equal digests mean that the machine is unchanged for the same
// program. Loads no library and opens no device.
std::string EnvironmentFingerprint();

// Returns the directory entries of the shared libraries that are loaded now.
std::vector<proto::LoadedFile> LoadedFiles();

// Returns the directory entry of a file. size_bytes is 0 if there is no file.
proto::LoadedFile DescribeFile(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_ENVIRONMENT_FINGERPRINT_H_
