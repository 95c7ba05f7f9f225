#include "lib/record/step_cache.h"

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/record/record_reader.h"
#include "lib/record/recorded_file.h"

namespace lockstep {
namespace {

void LogForTool(const proto::Header& header, const std::string& text) {
  LogLine(absl::StrCat(header.build().tool(), ": ", text));
}

// Returns true if the record is of this step and its run ended well. Returns an error if the record is of this step,
// but the record or another file of its run is damaged, changed or missing.
absl::StatusOr<bool> Holds(const std::string& path, const proto::Header& header) {
  const absl::StatusOr<std::unique_ptr<RecordReader>> reader = RecordReader::Open(path, header.schema());
  if (!reader.ok() || (*reader)->header().cache_key() != header.cache_key()) {
    return false;  // other_result.h decides whether such a file may be replaced
  }
  RETURN_IF_ERROR((*reader)->CheckRest());
  if ((*reader)->trailer().exit_status() != 0) {
    return false;
  }
  for (const proto::Input& file : (*reader)->trailer().other_output()) {
    RETURN_IF_ERROR(CheckUnchanged(file));
  }
  return true;
}

}  // namespace

bool IsCached(const std::string& path, const proto::Header& header) {
  if (path == "-" || header.build().build_id().empty() || !CheckRegularFile(path).ok()) {
    return false;
  }
  const absl::StatusOr<bool> holds = Holds(path, header);
  if (!holds.ok() && !absl::IsCancelled(holds.status())) {
    LogForTool(header, absl::StrCat("making ", path, " again: ", holds.status().message()));
  }
  if (!holds.value_or(false)) {
    return false;
  }
  LogForTool(header, absl::StrCat("cached ", path));
  return true;
}

}  // namespace lockstep
