// Bandwidths of a ScalingRow that exceed the link: one rule for the rows that comm_model writes, for the report's page,
// and for its checks.
//
// Bytes / T_comm is a bandwidth only if no communication is hidden: T_comm = T_N - T_1/N leaves out the time that data
// travels while the devices compute, but the bytes include that data. Bytes over the time in which all-reduces ran is a
// bandwidth in either case.
#ifndef LOCKSTEP_LIB_SCALING_LINK_LIMIT_H_
#define LOCKSTEP_LIB_SCALING_LINK_LIMIT_H_

#include <string>
#include <vector>

#include "lib/proto/comm_model.pb.h"

namespace lockstep {

// Sets the bandwidth while collectives ran and its share of the measured link; absent, with the reason, if bytes or
// times are absent. A row that already has the bandwidth is not changed.
void FillBusyBandwidth(proto::ScalingRow& row);

// Returns a sentence for each bandwidth of the row above the link: the measured link, or the nominal link if only that
// is known. Returns an empty list if there is no such bandwidth, or if no link is known.
std::vector<std::string> BandwidthsAboveLink(const proto::ScalingRow& row);

// Makes these bandwidths and their shares of the link absent; the reason names the link and the cause. If only an
// interval reaches above the link, the interval is removed, and `method` reports this.
void BlankAboveLink(proto::ScalingRow& row);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_LINK_LIMIT_H_
