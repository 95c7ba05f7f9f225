// The report's own record as JSON.
#ifndef LOCKSTEP_LIB_PAGE_JSON_H_
#define LOCKSTEP_LIB_PAGE_JSON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns one JSON object, a ReportFile of report.proto with its header and sections. It equals the output of `report
// --print=REPORT.rec --format=json` without the trailer (which names this file's own digest) and the checksums.
absl::StatusOr<std::string> RenderJson(const proto::Header& header, const std::vector<proto::Section>& sections);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PAGE_JSON_H_
