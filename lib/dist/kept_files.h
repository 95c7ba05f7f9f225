// What a scaling run keeps beside its record: the checkpoint of one point, and states of training (--resume).
#ifndef LOCKSTEP_LIB_DIST_KEPT_FILES_H_
#define LOCKSTEP_LIB_DIST_KEPT_FILES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dist/scale_run_options.h"
#include "lib/proto/header.pb.h"
#include "lib/proto/scale.pb.h"
#include "lib/record/run_files.h"

namespace lockstep {

// All files of the run, for DeclareRunFiles.
RunFiles FilesOf(const ScaleRunOptions& options);

// Where rank 0 keeps the state of the plan's point of this index: OUTPUT.pointN.state, N from 1. Empty: nowhere, as without
// --resume; or of an ABLATED point, which is no training.
std::string PointStatePath(const ScaleRunOptions& options, const std::vector<proto::ScalePoint>& points, size_t index);

// InvalidArgument: a state's place is no regular file: a FIFO there would wait for a writer.
absl::Status CheckStatePlaces(const ScaleRunOptions& options, const std::vector<proto::ScalePoint>& points);

// The index of the point that leaves the checkpoint; points.size(): none is asked for. It has the most ranks, and the batch
// of --checkpoint_batch, else the first; with one rank it is the point with the reducer, which has the PLAIN one's weights.
// InvalidArgument: several points are as good, as the rows of an experiment, or none is.
absl::StatusOr<size_t> ChooseCheckpointPoint(const ScaleRunOptions& options,
                                             const std::vector<proto::ScalePoint>& points);

// The header of a point's state, whose cache key covers all that can change the training's numbers. `run` is the header of
// the run's record, whose first input is the data set.
proto::Header MakeStateHeader(const proto::Header& run, const proto::ScaleSpec& spec, const proto::ScalePoint& point,
                              const std::string& other_hosts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_KEPT_FILES_H_
