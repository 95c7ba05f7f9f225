#include "lib/audit/left_over.h"

#include "absl/strings/str_cat.h"

namespace lockstep {

std::vector<LeftOver> LeftOversOf(const Document& document) {
  std::vector<LeftOver> all;
  for (const uint32_t devices : document.SeveralDevices()) {
    all.insert(all.end(), {{.text = "2(N-1)/N and iterations", .factor = true, .iterations = true, .devices = devices},
                           {.text = "2(N-1)/N", .factor = true, .devices = devices},
                           {.text = "iterations", .iterations = true, .devices = devices},
                           {.text = "T_comm", .seconds = true, .devices = devices}});
  }
  return all;
}

void NameLeftOver(const LeftOver& left, Convention& convention) {
  if (left.devices > 0) {
    absl::StrAppend(&convention.text, ", N = ", left.devices, " in ", left.text);
    convention.meaning = absl::StrCat(MeaningOf(convention), ", N = ", left.devices, " in ", left.text);
    convention.departures += kOfOtherDevicesDepartures;
    convention.note.clear();
  }
}

}  // namespace lockstep
