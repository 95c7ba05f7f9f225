// What a scaling run is to do, decided before anything is trained: the user's options against the data set and the
// machine.
#ifndef LOCKSTEP_LIB_DIST_SCALE_RUN_PLAN_H_
#define LOCKSTEP_LIB_DIST_SCALE_RUN_PLAN_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/dist/scale_run_options.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

class World;

struct ScaleRunPlan {
  c10::Device device = c10::Device(c10::kCPU);  // its kind; a rank has the one of its number
  proto::ScaleSpec spec;                        // complete; of several variants what the first has
  std::vector<proto::ScaleSpec> variants;       // the ways to train (point_variants.h), each settled and checked
  std::vector<std::string> left_out;            // and why: variants, or rows of an experiment, that cannot be
  std::vector<proto::ScalePoint> points;        // in the order in which they are measured: see PlanPoints
  std::vector<std::string> rows;                // of an experiment, that were asked for; empty: all
  std::string dataset_path;                     // where a rank finds the data set
  std::string dataset_sha256;                   // SHA-256 of the file that was planned for
  std::string dataset_content_sha256;           // SHA-256 of its images; empty: all ranks read the same file
  size_t checkpoint_point = 0;                  // index of the point that leaves the checkpoint; points.size(): none
};

// For options that passed CheckScaleRunOptions; `world` is null where scale_run starts the ranks itself. InvalidArgument: no such model, or as PlanPoints. Unavailable: no such
// device, or fewer GPUs than ranks.
absl::StatusOr<ScaleRunPlan> MakeScaleRunPlan(const ScaleRunOptions& options, const Dataset& dataset,
                                              const World* world);

// As PointName, and where there are several variants which one it is.
std::string NameIn(const ScaleRunPlan& plan, const proto::ScalePoint& point);

// The largest number of ranks of any point.
uint32_t MaxRanks(const proto::ScaleSpec& spec);

// What to tell who asked for a run that cannot say what was probably meant: no epoch is timed, or no base case is measured.
std::vector<std::string> PlanWarnings(const ScaleRunPlan& plan);

// For a person who wants to know before it starts; several lines.
std::string PlanText(const ScaleRunPlan& plan);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_SCALE_RUN_PLAN_H_
