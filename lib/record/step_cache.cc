#include "lib/record/step_cache.h"

#include <cstdio>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/record/record_reader.h"

namespace lockstep {

bool IsCached(const std::string& path, const proto::Header& header) {
  if (path == "-" || header.build().build_id().empty()) {
    return false;
  }
  const absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::Open(path, header.schema());
  if (!reader.ok() || (*reader)->header().cache_key() != header.cache_key()) {
    return false;
  }
  std::fprintf(stderr, "%s: cached %s\n", header.build().tool().c_str(), path.c_str());
  return true;
}

}  // namespace lockstep
