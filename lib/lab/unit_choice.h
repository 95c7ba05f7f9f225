// Choice of the units and their extents that fit into the time that is left.
#ifndef LOCKSTEP_LIB_LAB_UNIT_CHOICE_H_
#define LOCKSTEP_LIB_LAB_UNIT_CHOICE_H_

#include <vector>

#include "lib/lab/lab_progress.h"
#include "lib/lab/lab_unit.h"

namespace lockstep {

inline constexpr int kNotMeasured = -1;

// Share of the predicted time by which the remaining steps may take longer without exceeding the budget. Of the steps
// before, the pace is known; the next step is of another kind. On two H200 the steps of a lab took 8 % more than
// predicted.
inline constexpr double kReserve = 0.1;

// Experiments that are measured: those that fit, or all.
enum class Experiments { kFitting, kAll };

// The extent in which one unit is measured, and its steps.
struct UnitChoice {
  int variant = kNotMeasured;    // index of the extent
  std::vector<LabStep> steps;    // steps of this extent; those that exist keep the extent in which they were made
  std::vector<LabStep> not_run;  // steps that would be next, if variant is kNotMeasured
};

// Chooses in this way, from the time that `progress` leaves of `budget_seconds`:
//   1. The first unit is always measured, and so is a unit whose records all exist.
//   2. Each further unit that answers a question, in order, is added in its smallest extent if that fits.
//   3. The first unit grows as long as it fits, because it has most of the numbers on a page.
//   4. Units without a question are added in their smallest extent if that fits.
//   5. The other units grow in rounds, each unit by one extent per round. The next round waits while an extent of this
//      round does not fit, but would without the reserve and at the pace of the steps so far, since it may fit later: a
//      second seed of every experiment comes before the third seed of one.
// Steps 3 and 4 wait while a question is left out only because of the reserve, since it may fit later; step 5 waits for
// any unit.
//   6. With Experiments::kAll, experiments that did not fit are added in their smallest extent.
// A record that exists keeps its extent. The later steps of its unit have the same extent, or a smaller one if the unit
// may shrink. Predictions are multiplied by the pace of the steps so far if these took longer than predicted.
//
// Returns one choice per unit.
std::vector<UnitChoice> ChooseUnits(const std::vector<LabUnit>& units, const LabProgress& progress,
                                    double budget_seconds, Experiments experiments);

// Returns the predicted seconds of the steps that do not exist, with a page after each.
double RemainingSeconds(const std::vector<LabStep>& steps, const LabProgress& progress);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_UNIT_CHOICE_H_
