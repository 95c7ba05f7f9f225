// Makes a record's header, which describes the program, the inputs and the machine.
#ifndef LOCKSTEP_LIB_RECORD_PROVENANCE_H_
#define LOCKSTEP_LIB_RECORD_PROVENANCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "lib/proto/header.pb.h"

namespace lockstep {

// Facts for MakeHeader that its caller must provide.
struct HeaderOptions {
  absl::string_view schema;  // full name of the file message; must be one of kSchemas
  uint64_t seed = 0;
  absl::optional<absl::Time> start_time;  // unset: current time
  std::vector<proto::Input> inputs;
  std::vector<proto::Device> devices;
  proto::Libraries libraries;
  // Values of all flags that can change the result, by name. Must not contain --output, --force and flags that only
  // change messages.
  std::map<std::string, std::string> result_flags;
  // Names of the points that the run measures, and values of flags that only choose points. Both are part of the cache
  // key, but not of the key by which a run with more points keeps these (grown_run.h). Empty: the run has no points.
  std::vector<std::string> points;
  std::map<std::string, std::string> point_flags;
};

// Returns a header with build, host, start time, whitelisted environment and cache key. The cache key covers everything
// that can change the result:
//     - tool, schema and its version, build_id, result_flags, digests of the inputs, library versions;
//     - if there are devices: the devices, the cores and control group limits of the process, and the recorded
//       environment without job numbers.
proto::Header MakeHeader(const HeaderOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_PROVENANCE_H_
