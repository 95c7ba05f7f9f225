#include "lib/audit/quantity_kinds.h"

#include <algorithm>

#include "lib/published/published_unit.h"

namespace lockstep {

bool IsTotalTime(proto::PublishedQuantity quantity) {
  return quantity == proto::EPOCH_SECONDS || quantity == proto::STEP_SECONDS || quantity == proto::ITERATION_SECONDS;
}

bool IsComputed(proto::PublishedQuantity quantity) {
  return std::find(kComputedQuantities.begin(), kComputedQuantities.end(), quantity) != kComputedQuantities.end();
}

bool MayBeMeasured(proto::PublishedQuantity quantity) { return IsRate(quantity) || IsJudgedByLabel(quantity); }

bool IsOftenGiven(proto::PublishedQuantity quantity) {
  return quantity == proto::ITERATION_SECONDS || quantity == proto::RUN_SECONDS || quantity == proto::LEARNING_RATE ||
         quantity == proto::EPOCH_JOULES || quantity == proto::RUN_JOULES;
}

bool ComparesDevices(proto::PublishedQuantity quantity) {
  return quantity == proto::SPEEDUP || quantity == proto::EFFICIENCY_PERCENT;
}

bool IsJudgedByLabel(proto::PublishedQuantity quantity) {
  switch (quantity) {
    case proto::EPOCH_SECONDS:
    case proto::STEP_SECONDS:
    case proto::ITERATION_SECONDS:
    case proto::COMMUNICATION_PERCENT:
    case proto::COMMUNICATION_FRACTION:
    case proto::COMPUTE_OVER_COMMUNICATION:
    case proto::SERIAL_FRACTION:
    case proto::SERIAL_PERCENT:
    case proto::AMDAHL_SPEEDUP:
    case proto::GUSTAFSON_SPEEDUP:
    case proto::LEARNING_RATE:
    case proto::EPOCH_JOULES:
    case proto::RUN_JOULES:
    case proto::ITEM_JOULES:
    case proto::ENERGY_RATIO:
    case proto::RUN_SECONDS:
    case proto::IDEAL_ITEMS_PER_SECOND:
    case proto::IDEAL_SPEEDUP:
    case proto::IDEAL_EPOCH_SECONDS:
      return true;
    default:
      return false;
  }
}

}  // namespace lockstep
