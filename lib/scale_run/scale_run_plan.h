// Plan of a scaling run, made before anything is trained: the user's options, checked against the data set and the
// machine.
#ifndef LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_PLAN_H_
#define LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_PLAN_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/proto/scale.pb.h"
#include "lib/scale_run/scale_run_options.h"

namespace lockstep {

class World;

struct ScaleRunPlan {
  c10::Device device = c10::Device(c10::kCPU);  // kind of device; each rank uses the device of its number
  proto::ScaleSpec spec;                        // complete; if there are several variants, that of the first
  std::vector<proto::ScaleSpec> variants;       // the ways to train (point_variants.h), each settled and checked
  std::vector<std::string> left_out;  // variants, or rows of an experiment, that are impossible, each with the reason
  std::vector<proto::ScalePoint> points;  // points in the order in which they are measured: see PlanPoints
  std::vector<std::string> rows;          // requested rows of an experiment; empty: all
  std::string dataset_path;               // path at which a rank finds the data set
  std::string dataset_sha256;             // SHA-256 of the planned file
  std::string dataset_content_sha256;     // SHA-256 of its images; empty: all ranks read the same file
  size_t checkpoint_point = 0;            // index of the point that leaves the checkpoint; points.size(): none
};

// Makes the plan. `options` must have passed CheckScaleRunOptions; `world` must be null if scale_run starts the ranks
// itself. InvalidArgument: unknown model, or an error of PlanPoints. Unavailable: unknown device, or fewer GPUs than
// ranks.
absl::StatusOr<ScaleRunPlan> MakeScaleRunPlan(const ScaleRunOptions& options, const Dataset& dataset,
                                              const World* world);

// Returns PointName, followed by the variant if there are several.
std::string NameIn(const ScaleRunPlan& plan, const proto::ScalePoint& point);

// Returns the largest number of ranks of any point.
uint32_t MaxRanks(const proto::ScaleSpec& spec);

// Returns warnings for runs that probably miss what the user wants: no timed epoch, or no base case.
std::vector<std::string> PlanWarnings(const ScaleRunPlan& plan);

// Returns a description of the plan for --dry_run; several lines.
std::string PlanText(const ScaleRunPlan& plan);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_SCALE_RUN_PLAN_H_
