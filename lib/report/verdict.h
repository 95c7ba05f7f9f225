// A line that sums up the pages of a report.
#ifndef LOCKSTEP_LIB_REPORT_VERDICT_H_
#define LOCKSTEP_LIB_REPORT_VERDICT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the number of plots that the sections ask for.
uint64_t CountPlots(const std::vector<proto::Section>& sections);

// Returns "8 of 12 questions answered, 3 partly, 7 plots, 2 warnings". The number of answers is the summary's, and is
// left out if no section has a summary. If `drawn` is smaller than CountPlots, the plots are given as "5 of 7 plots
// drawn".
std::string VerdictText(const std::vector<proto::Section>& sections, uint64_t drawn);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_VERDICT_H_
