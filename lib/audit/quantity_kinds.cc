#include "lib/audit/quantity_kinds.h"

#include <algorithm>
#include <iterator>

#include "lib/published/published_unit.h"

namespace lockstep {

bool IsComputed(proto::PublishedQuantity quantity) {
  return std::find(std::begin(kComputedQuantities), std::end(kComputedQuantities), quantity) !=
         std::end(kComputedQuantities);
}

bool MayBeMeasured(proto::PublishedQuantity quantity) { return IsRate(quantity) || IsJudgedByLabel(quantity); }

bool IsJudgedByLabel(proto::PublishedQuantity quantity) {
  switch (quantity) {
    case proto::COMMUNICATION_PERCENT:
    case proto::COMMUNICATION_FRACTION:
    case proto::COMPUTE_OVER_COMMUNICATION:
      return true;
    default:
      return false;
  }
}

}  // namespace lockstep
