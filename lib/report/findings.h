// Findings: the line below the title of a figure that no card is about.
#ifndef LOCKSTEP_LIB_REPORT_FINDINGS_H_
#define LOCKSTEP_LIB_REPORT_FINDINGS_H_

#include <string>
#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep {

// Returns the extreme of the drawn values that a reader looks for, with its place: "Highest rate: 125k images/s at
// batch 512, bf16". The values are means; the line does not say that they differ significantly. Returns an empty string
// if the kind of the plot has no such extreme or the plot has no values.
std::string FindingOf(const proto::Plot& plot);

// Sets the findings of all plots to which no card links.
void AddFindings(const proto::Summary& summary, std::vector<proto::Section>& page);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_FINDINGS_H_
