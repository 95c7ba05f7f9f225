// Parts of a bandwidth's formula that were left standing as they are for another number of devices.
#ifndef LOCKSTEP_LIB_AUDIT_LEFT_OVER_H_
#define LOCKSTEP_LIB_AUDIT_LEFT_OVER_H_

#include <cstdint>
#include <vector>

#include "lib/audit/conventions.h"

namespace lockstep {

// Which parts, and whose they are.
struct LeftOver {
  const char* text;  // "2(N-1)/N"
  bool factor;
  bool iterations;
  bool seconds;
  uint32_t devices = 0;  // 0: nothing was left

  TablePlace Place(bool left, const TablePlace& place) const { return left ? TablePlace{devices, place.batch} : place; }
};

inline constexpr LeftOver kNothingLeft = {"", false, false, false};

// Every part left over from every number of devices of the document.
std::vector<LeftOver> LeftOversOf(const Document& document);

// Says so in a convention, and moves it away from the plain ones.
void NameLeftOver(const LeftOver& left, Convention& convention);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_LEFT_OVER_H_
