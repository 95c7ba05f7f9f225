// The lead of a page: which setting to use, and what it costs.
#ifndef LOCKSTEP_LIB_SUMMARY_LEAD_H_
#define LOCKSTEP_LIB_SUMMARY_LEAD_H_

#include <string>

#include "lib/lab_records/lab_records.h"

namespace lockstep {

// Returns one to three sentences, each only if its numbers are known: the fastest setting of the main way to train that
// was timed more than once, with its speed-up; what communication and int8 cost; what the largest batch loses. Without
// a training run, the speed-up of published times takes the place of the setting.
std::string LeadText(const LabRecords& lab);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SUMMARY_LEAD_H_
