// Which bandwidths of a ScalingRow a link can carry: one rule for the rows that comm_model writes, for the report's page, and
// for its checks.
//
// Bytes / T_comm is a bandwidth only where nothing is hidden: T_comm = T_N - T_1/N leaves out what travels while the devices
// compute, but the bytes do not. Bytes over the time in which all-reduces ran is one in either case.
#ifndef LOCKSTEP_LIB_SCALING_LINK_LIMIT_H_
#define LOCKSTEP_LIB_SCALING_LINK_LIMIT_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Sets the bandwidth while collectives ran and its share of the measured link; absent, with the reason, where bytes or times
// are. A row that has them keeps them.
void FillBusyBandwidth(proto::ScalingRow& row);

// Returns a sentence for each bandwidth of the row that is more than the link: the measured one, or the nominal one where
// only that is known. Empty: there is none, or no link is known.
std::vector<std::string> BandwidthsAboveLink(const proto::ScalingRow& row);

// Makes these bandwidths and their shares of the link absent, with the link and why as the reason. An interval that reaches above
// the link is left out, and `method` says so.
void BlankAboveLink(proto::ScalingRow& row);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_LINK_LIMIT_H_
