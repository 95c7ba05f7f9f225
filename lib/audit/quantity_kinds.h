// Quantities that the audit recomputes, and how each one is judged.
#ifndef LOCKSTEP_LIB_AUDIT_QUANTITY_KINDS_H_
#define LOCKSTEP_LIB_AUDIT_QUANTITY_KINDS_H_

#include <array>

#include "lib/proto/published.pb.h"

namespace lockstep {

// Quantities that are recomputed. Each one comes after the quantities that it is computed from.
inline constexpr std::array kComputedQuantities = {
    proto::EPOCH_SECONDS,  // only next to phases (lib/audit/phase_rows.h)
    proto::STEP_SECONDS,   // only next to phases
    proto::RUN_SECONDS,    // only next to times of its epochs or steps
    proto::ITERATION_SECONDS,
    proto::ITEMS_PER_SECOND,
    proto::ITEMS_PER_SECOND_PER_DEVICE,
    proto::IDEAL_ITEMS_PER_SECOND,
    proto::IDEAL_SPEEDUP,
    proto::IDEAL_EPOCH_SECONDS,
    proto::SPEEDUP,
    proto::SPEEDUP_PERCENT,
    proto::EFFICIENCY_PERCENT,
    proto::SERIAL_FRACTION,
    proto::SERIAL_PERCENT,
    proto::AMDAHL_SPEEDUP,
    proto::GUSTAFSON_SPEEDUP,
    proto::ITERATIONS,
    proto::COMPUTE_SECONDS,
    proto::COMMUNICATION_SECONDS,
    proto::COMMUNICATION_PERCENT,
    proto::COMMUNICATION_FRACTION,
    proto::COMPUTE_OVER_COMMUNICATION,
    proto::TRAFFIC_ELEMENTS,
    proto::TRAFFIC_GIGABYTES,
    proto::TRAFFIC_MEGABYTES,
    proto::TRAFFIC_MEBIBYTES,
    proto::BANDWIDTH_GIGABYTES_PER_SECOND,
    proto::UTILIZATION_PERCENT,
    proto::LEARNING_RATE,
    proto::EPOCH_JOULES,
    proto::RUN_JOULES,
    proto::ITEM_JOULES,
    proto::ENERGY_RATIO,
};

// Returns true for a time that is read off a clock and may be a total of phases: of an epoch, an epoch without loading,
// or an iteration. Its printed digits stay the input of other numbers, whatever gives them.
bool IsTotalTime(proto::PublishedQuantity quantity);

// Returns true if numbers of `quantity` are recomputed, unless they were read off.
bool IsComputed(proto::PublishedQuantity quantity);

// Returns true for a quantity that is often measured. Numbers of such a quantity are given if no formula applies.
bool MayBeMeasured(proto::PublishedQuantity quantity);

// Returns true for a quantity that need not follow from others even if a formula applies: the time of an iteration or
// of a run, a learning rate, and the energy of an epoch or run, which a counter may have measured.
bool IsOftenGiven(proto::PublishedQuantity quantity);

// Returns true for speed-ups and efficiencies, which compare times or rates of one batch and may omit the batch.
bool ComparesDevices(proto::PublishedQuantity quantity);

// Returns true for a quantity whose contexts are judged separately in every table. The other quantities are judged by
// context only in tables of rates.
bool IsJudgedByLabel(proto::PublishedQuantity quantity);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_AUDIT_QUANTITY_KINDS_H_
