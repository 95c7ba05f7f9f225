// Numbers in units that people read, with three significant digits. For messages; records hold seconds and bytes.
#ifndef LOCKSTEP_LIB_BASE_READABLE_NUMBER_H_
#define LOCKSTEP_LIB_BASE_READABLE_NUMBER_H_

#include <string>

namespace lockstep {

// Returns "205 ms", "1.23 s", "75.1 us"; from 1,000 s on whole seconds: "1234 s".
std::string SecondsText(double seconds);

// Returns "134 bytes", "44.7 MB", "1.20 GB"; MB = 1e6 bytes.
std::string BytesText(double bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_BASE_READABLE_NUMBER_H_
