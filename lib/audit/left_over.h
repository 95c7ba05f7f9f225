// Parts of a bandwidth's formula that were left as they are for another number of devices.
#ifndef LOCKSTEP_LIB_AUDIT_LEFT_OVER_H_
#define LOCKSTEP_LIB_AUDIT_LEFT_OVER_H_

#include <cstdint>
#include <vector>

#include "lib/audit/conventions.h"

namespace lockstep {

// The left-over parts, and the number of devices that they belong to.
struct LeftOver {
  const char* text;  // "2(N-1)/N"
  bool factor = false;
  bool iterations = false;
  bool seconds = false;
  uint32_t devices = 0;  // 0: nothing was left

  TablePlace Place(bool left, const TablePlace& place) const { return left ? TablePlace{devices, place.batch} : place; }
};

inline constexpr LeftOver kNothingLeft = {.text = ""};

// Returns the left-over parts for each number of devices of the document.
std::vector<LeftOver> LeftOversOf(const Document& document);

// Appends the left-over part to the text of a convention, and increases the convention's departures.
void NameLeftOver(const LeftOver& left, Convention& convention);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_LEFT_OVER_H_
