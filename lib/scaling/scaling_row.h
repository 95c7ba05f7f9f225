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

// Inputs of the row of one (ranks, batch).
struct RowInputs {
  const proto::ScaleSpec& run;
  const proto::CommModelSpec& spec;
  const BaseCases& bases;
  const proto::ScalePoint& point;    // PLAIN of one rank, else ALL_REDUCE or STAR
  const proto::ScalePoint* ablated;  // null: not run
  const proto::ScalePoint* reduced;  // ALL_REDUCE or STAR of one rank; null: not run, or ranks > 1
  const PooledProbe& probe;          // pool of these ranks, over all points
  std::string run_start;             // start of the run that measured `point` (point_run.h)
};

// Fills strong, weak and epoch speed-up, the serial fractions that follow, and run_start if a base case is of another
// run.
void FillSpeedups(const RowInputs& in, const Spread& epoch, const Spread& step, proto::ScalingRow& row);

// Fills the quantities of one device: T_comp = s_1, the reducer's own cost, and no link.
void FillBaseCase(const RowInputs& in, const Spread& step, proto::ScalingRow& row);

// Fills communication that was not hidden, by events and by ablation, and the overlap.
void FillExposed(const RowInputs& in, const Spread& step, proto::ScalingRow& row);

// Fills T_comp, T_comm and the rest of T_comm. Must be called after FillExposed. Returns T_comm.
std::optional<Spread> FillSplit(const RowInputs& in, const Spread& step, proto::ScalingRow& row);

// Fills the bytes that each rank sends in a step, by the formula of its reducer, and bytes * steps / T_comm.
void FillBandwidth(const RowInputs& in, const std::optional<Spread>& communication, proto::ScalingRow& row);

// Fills the measured link, the bandwidth as a share of the measured and of the nominal link, and the bandwidth while
// all-reduces ran. Bandwidths above the link are blank (link_limit.h). Must be called after FillBandwidth and
// FillExposed.
void FillLink(const RowInputs& in, proto::ScalingRow& row);

// Returns "E_1(64) is missing: ...".
std::string NotThere(absl::string_view symbol, uint32_t batch, const absl::Status& why);

// Returns "E_1(64)/E_2(32), base case: plain training on 1 device at batch 64 (sweep record)".
std::string WithBase(absl::string_view formula, uint32_t batch, const BaseCase& base);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_SCALING_ROW_H_
