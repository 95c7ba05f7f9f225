// Files that a scaling run writes in addition to its record: the checkpoint of one point, and training states
// (--resume).
#ifndef LOCKSTEP_LIB_SCALE_RUN_KEPT_FILES_H_
#define LOCKSTEP_LIB_SCALE_RUN_KEPT_FILES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/record/run_files.h"
#include "lib/scale_run/scale_run_options.h"

namespace lockstep {

// Returns all files of the run, for DeclareRunFiles.
RunFiles FilesOf(const ScaleRunOptions& options);

// Returns the path at which rank 0 keeps the state of point `index`: OUTPUT.pointN.state, N = index + 1. Empty: no
// state is kept, because --resume is off or the point is ABLATED, which is not a valid training.
std::string PointStatePath(const ScaleRunOptions& options, const std::vector<proto::ScalePoint>& points, size_t index);

// Checks the paths of the states. InvalidArgument: a path is not a regular file. Opening a FIFO there would wait for a
// writer.
absl::Status CheckStatePlaces(const ScaleRunOptions& options, const std::vector<proto::ScalePoint>& points);

// Returns the index of the point that leaves the checkpoint, or points.size() if no checkpoint was requested. The point
// has the largest number of ranks, and the batch of --checkpoint_batch or else the first batch. With one rank it is the
// point with the reducer, whose weights are equal to the PLAIN point's. InvalidArgument: several points qualify, for
// example the rows of an experiment, or no point does.
absl::StatusOr<size_t> ChooseCheckpointPoint(const ScaleRunOptions& options,
                                             const std::vector<proto::ScalePoint>& points);

// Returns the header of a point's state. Its cache key covers everything that can change the training's numbers. `run`
// must be the header of the run's record, with the data set as its first input.
proto::Header MakeStateHeader(const proto::Header& run, const proto::ScaleSpec& spec, const proto::ScalePoint& point,
                              const std::string& other_hosts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALE_RUN_KEPT_FILES_H_
