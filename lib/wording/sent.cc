#include "lib/wording/sent.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"

namespace lockstep {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53; above it a double has no fraction

}  // namespace

std::optional<double> BytesPerStep(const proto::Traffic& traffic) {
  if (traffic.steps() == 0) {
    return std::nullopt;
  }
  return static_cast<double>(traffic.size_bytes()) / static_cast<double>(traffic.steps());
}

std::optional<double> BytesPerStep(const proto::ScalePoint& point, absl::string_view kind) {
  for (const proto::Traffic& traffic : point.traffic()) {
    if (traffic.kind() == kind) {
      return BytesPerStep(traffic);
    }
  }
  return std::nullopt;
}

std::vector<const proto::Traffic*> GradientsFirst(const proto::ScalePoint& point) {
  std::vector<const proto::Traffic*> kinds;
  for (const proto::Traffic& traffic : point.traffic()) {
    kinds.push_back(&traffic);
  }
  const auto place = [](const proto::Traffic* traffic) {
    return traffic->kind() == kGradientsKind ? 0 : traffic->steps() > 0 ? 1 : 2;
  };
  std::stable_sort(kinds.begin(), kinds.end(),
                   [&](const proto::Traffic* a, const proto::Traffic* b) { return place(a) < place(b); });
  return kinds;
}

proto::Cell BytesCell(double bytes, proto::Provenance provenance, absl::string_view method) {
  proto::Cell cell = NumberCell(bytes, provenance, method, 6);
  if (std::floor(bytes) == bytes && std::abs(bytes) < kLargestWhole) {
    cell.set_text(absl::StrCat(bytes < 0 ? "-" : "", FormatCount(static_cast<uint64_t>(std::abs(bytes)))));
  }
  return cell;
}

std::string FormatBytes(double bytes) {
  for (const Unit& unit : {kMegabytes, kKilobytes}) {
    if (bytes >= unit.size) {
      return NumberWithUnit(FormatNumber(bytes * unit.scale), unit);
    }
  }
  return absl::StrCat(FormatNumber(bytes, 3), " bytes");
}

}  // namespace lockstep
