#include "lib/doctor/findings.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace lockstep {

void AddFinding(FindingList& findings, const std::string& area, proto::DoctorFinding::State state,
                const std::string& what, const std::string& remedy, const UseKinds& needed_for) {
  proto::DoctorFinding& finding = *findings.Add();
  finding.set_area(area);
  finding.set_state(state);
  finding.set_what(what);
  finding.set_remedy(remedy);
  for (const proto::DoctorUse::Kind use : needed_for) {
    finding.add_needed_for(use);
  }
}

UseKinds NeedsGpu(const DoctorRequest& request) {
  return request.device == "cuda" ? UseKinds{proto::DoctorUse::TRAIN, proto::DoctorUse::SCALE} : UseKinds{};
}

const proto::ProbeEnd* FindBadEnd(const proto::MachineFacts& facts, absl::string_view probe) {
  for (const proto::ProbeEnd& end : facts.probe_end()) {
    if (end.probe() == probe && end.kind() != proto::ProbeEnd::ANSWERED) {
      return &end;
    }
  }
  return nullptr;
}

std::string DescribeEnd(const proto::ProbeEnd& end) {
  const std::string where = end.step().empty() ? "" : absl::StrCat(" in ", end.step());
  switch (end.kind()) {
    case proto::ProbeEnd::HUNG:
      return absl::StrCat("hung", where);
    case proto::ProbeEnd::CRASHED:
      return absl::StrCat("crashed", where, " (signal ", end.signal(), ")");
    default:
      return absl::StrCat("failed", where);
  }
}

std::string ShowBytes(double bytes) {
  constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < sizeof(kUnits) / sizeof(kUnits[0])) {
    bytes /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  return absl::StrFormat("%.*f %s", decimals, bytes, kUnits[unit]);
}

std::string ShowCudaVersion(uint32_t version) { return absl::StrCat(version / 1000, ".", version % 1000 / 10); }

std::pair<int, int> MajorAndMinor(absl::string_view version) {
  const std::vector<absl::string_view> parts = absl::StrSplit(version, '.');
  const auto number = [&parts](size_t part) {
    int value = 0;
    return part < parts.size() && absl::SimpleAtoi(parts[part], &value) ? value : 0;
  };
  return {number(0), number(1)};
}

}  // namespace lockstep
