// LabProgress: what a lab has done so far and how long that took, from which the remaining steps are planned.
#ifndef LOCKSTEP_LIB_LAB_LAB_PROGRESS_H_
#define LOCKSTEP_LIB_LAB_LAB_PROGRESS_H_

#include <map>
#include <string>
#include <vector>

#include "lib/lab/lab_costs.h"

namespace lockstep {

// Record in the lab's folder.
struct MadeRecord {
  std::vector<std::string> command;  // command of its header, without --force
  bool is_complete = false;          // false: the journal of a run that was stopped
};

// The default is a lab that has not begun in an empty folder.
struct LabProgress {
  double elapsed_seconds = 0;                // time since the start of the lab, preparation included
  double measured_seconds = 0;               // time of the steps that have run; cached steps are not counted
  double predicted_seconds = 0;              // predicted time of these steps
  double page_seconds = kReportSeconds;      // longest time that a page has taken, at least kReportSeconds
  std::map<std::string, MadeRecord> made{};  // records by their paths

  // Returns the measured time of the steps as a multiple of the predicted one; 1 until kMinPredictedSeconds were
  // predicted.
  double Pace() const;
};

// Predicted seconds below which the start of a process would dominate the quotient.
inline constexpr double kMinPredictedSeconds = 5;

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_PROGRESS_H_
