#include "lib/record/step_cache.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_trailer.h"
#include "lib/record/recorded_file.h"

namespace lockstep {
namespace {

bool KeyIsSame(const std::string& path, const proto::Header& header) {
  const absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::Open(path, header.schema());
  return reader.ok() && (*reader)->header().cache_key() == header.cache_key();
}

bool EndedWellAndWhole(const std::string& path) {
  const absl::StatusOr<proto::Trailer> trailer = ReadTrailerAtEnd(path);
  if (!trailer.ok() || trailer->exit_status() != 0) {
    return false;
  }
  return std::all_of(trailer->other_output().begin(), trailer->other_output().end(),
                     [](const proto::Input& file) { return CheckUnchanged(file).ok(); });
}

}  // namespace

bool IsCached(const std::string& path, const proto::Header& header) {
  if (path == "-" || header.build().build_id().empty() || !CheckRegularFile(path).ok() || !KeyIsSame(path, header) ||
      !EndedWellAndWhole(path)) {
    return false;
  }
  std::fprintf(stderr, "%s: cached %s\n", header.build().tool().c_str(), path.c_str());
  return true;
}

}  // namespace lockstep
