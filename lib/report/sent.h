// What a point handed over to be sent, by kind.
#ifndef LOCKSTEP_LIB_REPORT_SENT_H_
#define LOCKSTEP_LIB_REPORT_SENT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

inline constexpr char kGradientsKind[] = "gradients";

// Bytes of one step; none where the kind was not sent in steps.
std::optional<double> BytesPerStep(const proto::Traffic& traffic);
std::optional<double> BytesPerStep(const proto::ScalePoint& point, absl::string_view kind);

// All kinds of a point: gradients, then what else each step sends, then the rest.
std::vector<const proto::Traffic*> GradientsFirst(const proto::ScalePoint& point);

// "38,560" where they are whole, else with six digits.
proto::Cell BytesCell(double bytes, proto::Provenance provenance, absl::string_view method);

// "44.70 MB", "38.56 kB", "152 bytes": of 1e6 and 1e3.
std::string SayBytes(double bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_SENT_H_
