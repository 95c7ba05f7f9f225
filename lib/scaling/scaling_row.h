// The parts of one ScalingRow (lib/proto/comm_model.proto), each filled from one point of a scaling run.
//
// A quantity whose inputs are absent is absent, with the reason. Every function expects a completed point with times.
#ifndef LOCKSTEP_LIB_SCALING_SCALING_ROW_H_
#define LOCKSTEP_LIB_SCALING_SCALING_ROW_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/scaling/base_cases.h"
#include "lib/scaling/pooled_probe.h"
#include "lib/statistics/spread.h"

namespace lockstep {

// All that the row of one (ranks, batch) is made from.
struct RowInputs {
  const proto::ScaleSpec& run;
  const proto::CommModelSpec& spec;
  const BaseCases& bases;
  const proto::ScalePoint& point;    // PLAIN of one rank, else ALL_REDUCE or STAR
  const proto::ScalePoint* ablated;  // null: not run
  const proto::ScalePoint* reduced;  // ALL_REDUCE or STAR of one; null: not run, or ranks > 1
  const PooledProbe& probe;          // of these ranks, of all points
};

// Strong, weak and epoch speed-up, and the serial fractions that follow.
void FillSpeedups(const RowInputs& in, const Spread& epoch, const Spread& step, proto::ScalingRow& row);

// What one device has: T_comp = s_1, the reducer's own cost, and no link.
void FillBaseCase(const RowInputs& in, const Spread& step, proto::ScalingRow& row);

// Communication that was not hidden: by events and by leaving it out; overlap.
void FillExposed(const RowInputs& in, const Spread& step, proto::ScalingRow& row);

// T_comp, T_comm and what is left of T_comm; after FillExposed. Returns T_comm.
std::optional<Spread> FillSplit(const RowInputs& in, const Spread& step, proto::ScalingRow& row);

// Bytes that each rank sends in a step, by the formula of its reducer, and bytes * steps / T_comm.
void FillBandwidth(const RowInputs& in, const std::optional<Spread>& communication, proto::ScalingRow& row);

// The measured link, the bandwidth as a share of it and of the nominal one, and the bandwidth while all-reduces ran; what is
// above the link is blank (link_limit.h). After FillBandwidth and FillExposed.
void FillLink(const RowInputs& in, proto::ScalingRow& row);

// "E_1(64) is not there: ..."
std::string NotThere(absl::string_view symbol, uint32_t batch, const absl::Status& why);

// "E_1(64)/E_2(32), base case: plain training on 1 device at batch 64 (sweep record)"
std::string WithBase(absl::string_view formula, uint32_t batch, const BaseCase& base);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALING_ROW_H_
