// Fills a record's header: what made it, from what, on what machine.
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

// What the caller of MakeHeader knows.
struct HeaderOptions {
  absl::string_view schema;  // full name of the file message; must be one of kSchemas
  uint64_t seed = 0;
  absl::optional<absl::Time> start_time;  // unset: now
  std::vector<proto::Input> inputs;
  std::vector<proto::Device> devices;
  proto::Libraries libraries;
  // Every flag that can change the result, by name. --output, --force and what only changes the
  // talk stay out.
  std::map<std::string, std::string> result_flags;
};

// A header with build, host, start time, whitelisted environment, and the cache key of all that can
// change the result: tool, schema and version, build_id, result_flags, digests of the inputs,
// library versions; with devices, these, the cores and control group limits of the process, and the
// recorded environment but for job numbers.
proto::Header MakeHeader(const HeaderOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_RECORD_PROVENANCE_H_
