// The few words in which report says what its pages hold.
#ifndef LOCKSTEP_LIB_REPORT_VERDICT_H_
#define LOCKSTEP_LIB_REPORT_VERDICT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/proto/report.pb.h"

namespace lockstep {

// "9 of 12 questions answered, 7 plots, 2 warnings".
std::string VerdictText(const std::vector<proto::Section>& sections);

uint64_t CountPlots(const std::vector<proto::Section>& sections);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REPORT_VERDICT_H_
