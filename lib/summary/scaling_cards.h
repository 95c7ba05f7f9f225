// Cards of Q1 to Q3 and the facts on which they decide.
#ifndef LOCKSTEP_LIB_SUMMARY_SCALING_CARDS_H_
#define LOCKSTEP_LIB_SUMMARY_SCALING_CARDS_H_

#include <string>
#include <vector>

#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/proto/report.pb.h"
#include "lib/summary/scaling_verdicts.h"

namespace lockstep {

// The way to train that the summary is about.
struct MainRows {
  std::vector<ScalingView> views;
  const ScalingView* view = nullptr;           // the main one of `views`; null if there is none
  std::vector<const proto::ScalingRow*> rows;  // its rows on the largest number of devices, at least 2
  // Other runs of the same work: of this network, device, way to train and number of devices, and like the main one on
  // virtual hosts or not.
  std::vector<const ScalingView*> others;

  // Returns the rows of a view on the number of devices of `rows`.
  std::vector<const proto::ScalingRow*> RowsOf(const ScalingView& other) const;
};
MainRows MainRowsOf(const LabRecords& lab);

// Returns "2 ranks of one CPU", "4 H100 on virtual hosts".
std::string DevicesOf(const ScalingView& view, uint32_t ranks);

// Returns the facts of Q1, in the order of the batches. Each point must have a timed epoch.
BatchFacts BatchFactsOf(const std::vector<const proto::SweepPoint*>& points);

// Return the facts of Q2 and Q3. The rows must not be empty, and are of one number of devices.
ScalingFacts ScalingFactsOf(const ScalingView& view, const std::vector<const proto::ScalingRow*>& rows);
WaitingFacts WaitingFactsOf(const std::vector<const proto::ScalingRow*>& rows);

proto::SummaryCard CardQ1(const LabRecords& lab);
proto::SummaryCard CardQ2(const LabRecords& lab);
proto::SummaryCard CardQ3(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_SCALING_CARDS_H_
