// Plan of a lab: the steps that fit into a time budget, in the order in which they run, and what is left out. A pure
// function of request, facts and progress.
#ifndef LOCKSTEP_LIB_LAB_PLAN_H_
#define LOCKSTEP_LIB_LAB_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/lab/lab_progress.h"
#include "lib/lab/lab_request.h"
#include "lib/lab/lab_unit.h"

namespace lockstep {

// Unit that is measured in a smaller extent than it could be, or not at all.
struct LeftOut {
  std::string about;                // "large batches and remedies (Q4)"
  std::string extent;               // extent that is measured; empty: none
  std::string full_extent;          // largest extent
  std::string next_extent;          // next larger extent, if later steps can still measure it; otherwise empty
  double seconds = 0;               // predicted duration of the next larger extent
  std::vector<LabStep> steps = {};  // commands that measure the unit, if it is left out; otherwise empty
};

// Unit and the extent in which it is measured.
struct PlannedUnit {
  std::string about;   // "large batches and remedies (Q4)"
  std::string extent;  // "7 rows; 1 seed per row"; empty: the unit is not measured
};

struct LabPlan {
  std::string data_set;        // line about the data set's images, and whether they were counted or assumed
  std::vector<LabStep> steps;  // steps after the preparation; the last one is the report
  double seconds = 0;          // predicted duration of the lab, with a page after each step
  double budget_seconds = 0;
  std::vector<PlannedUnit> units;
  std::vector<LeftOut> left_out;   // empty if everything is measured in its largest extent
  std::vector<std::string> notes;  // batches and units that the data set excludes, a line each with the reason
};

// Plans a lab: the units that ChooseUnits finds for the time that `progress` leaves of the budget. Called again after
// each step, it shortens what remains if the steps took longer than predicted, and extends it if they were shorter. A
// lab with all_questions has the steps of the lab without, and further ones.
//
// Returns InvalidArgumentError if no batch fits the data set on all ranks, or if the images are too small for --model.
absl::StatusOr<LabPlan> PlanLab(const LabRequest& request, const LabFacts& facts, const LabProgress& progress = {});

// Returns the plan as text: a line about the data set, a line per step with predicted seconds, the total, and what is
// left out with the commands that measure it.
std::string PlanText(const LabRequest& request, const LabPlan& plan);

// Returns the lines on what `plan` changes in the plan `before`, and why; empty if both measure the same. `cause` says
// why: "step 2 took 95 s instead of 60 s".
std::string ChangeText(const LabPlan& before, const LabPlan& plan, const std::string& cause);

// Returns the line before a step: "step 3 of 9, about 4 min left". `seconds_left` is the prediction for this step and
// all later ones.
std::string StepLine(size_t step, size_t steps, double seconds_left);

// Returns a duration as people say it: "20 s", "4 min", "1.5 h".
std::string AboutSeconds(double seconds);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_PLAN_H_
