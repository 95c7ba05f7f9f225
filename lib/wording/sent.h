// Bytes that a point handed over to be sent, by kind.
#ifndef LOCKSTEP_LIB_WORDING_SENT_H_
#define LOCKSTEP_LIB_WORDING_SENT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/report.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

inline constexpr char kGradientsKind[] = "gradients";

// Returns the bytes of one step; no value if the kind is not sent in steps.
std::optional<double> BytesPerStep(const proto::Traffic& traffic);
std::optional<double> BytesPerStep(const proto::ScalePoint& point, absl::string_view kind);

// Returns all kinds of a point: gradients, then the other kinds that each step sends, then the rest.
std::vector<const proto::Traffic*> GradientsFirst(const proto::ScalePoint& point);

// Returns "38,560" for a whole number, otherwise six digits.
proto::Cell BytesCell(double bytes, proto::Provenance provenance, absl::string_view method);

// Returns "44.70 MB", "38.56 kB", "152 bytes", with MB of 1e6 and kB of 1e3 bytes.
std::string FormatBytes(double bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_SENT_H_
