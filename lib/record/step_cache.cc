#include "lib/record/step_cache.h"

#include <cstdio>
#include <memory>

#include "absl/status/statusor.h"
#include "lib/record/digest.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_trailer.h"

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
  for (const proto::Input& file : trailer->other_output()) {
    if (Sha256HexOfFile(file.path()).value_or("") != file.sha256()) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool IsCached(const std::string& path, const proto::Header& header) {
  if (path == "-" || header.build().build_id().empty() || !KeyIsSame(path, header) || !EndedWellAndWhole(path)) {
    return false;
  }
  std::fprintf(stderr, "%s: cached %s\n", header.build().tool().c_str(), path.c_str());
  return true;
}

}  // namespace lockstep
