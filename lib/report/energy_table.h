// Tables of the energy of an epoch.
#ifndef LOCKSTEP_LIB_REPORT_ENERGY_TABLE_H_
#define LOCKSTEP_LIB_REPORT_ENERGY_TABLE_H_

#include <string>

#include "lib/lab_records/lab_records.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns joules per epoch, joules per image and images per joule, a row for each completed point; blanks have the
// reason. No rows if the record is older than this measurement.
proto::Table SweepEnergyTable(const LabSweep& sweep, const std::string& caption);

// Returns the same over all devices of each trained point of a scaling run.
proto::Table ScaleEnergyTable(const ScalingView& view);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_ENERGY_TABLE_H_
