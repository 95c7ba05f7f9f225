#include "lib/scale_run/kept_files.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/proto/training_state.pb.h"
#include "lib/record/output_place.h"
#include "lib/record/provenance.h"
#include "lib/scale_run/scale_plan.h"
#include "lib/scaling/point_name.h"

namespace lockstep {
namespace {

constexpr char kStatePrefix[] = ".point";
constexpr char kStateSuffix[] = ".state";

bool IsTraining(const proto::ScalePoint& point) { return point.reduction() != proto::ABLATED; }

// Returns the batch of a point in the mode in which --batch_size gave it.
uint32_t AskedBatch(const proto::ScaleSpec& spec, const proto::ScalePoint& point) {
  const bool global = spec.batch_mode() == proto::GLOBAL || spec.experiment() != proto::EXPERIMENT_UNSPECIFIED;
  return global ? point.global_batch() : point.batch_per_device();
}

}  // namespace

RunFiles FilesOf(const ScaleRunOptions& options) {
  RunFiles files = {{options.input, options.prediction},
                    {{"--output", options.output, ""}, {"--checkpoint", options.checkpoint, ""}}};
  if (options.resume) {
    files.outputs.push_back({"--resume", absl::StrCat(options.output, kStatePrefix), kStateSuffix});
  }
  return files;
}

std::string PointStatePath(const ScaleRunOptions& options, const std::vector<proto::ScalePoint>& points, size_t index) {
  return options.resume && IsTraining(points[index])
             ? absl::StrCat(options.output, kStatePrefix, index + 1, kStateSuffix)
             : "";
}

absl::Status CheckStatePlaces(const ScaleRunOptions& options, const std::vector<proto::ScalePoint>& points) {
  for (size_t i = 0; i < points.size(); ++i) {
    if (const std::string path = PointStatePath(options, points, i); !path.empty()) {
      RETURN_IF_ERROR(CheckOutputPlace(path));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> ChooseCheckpointPoint(const ScaleRunOptions& options,
                                             const std::vector<proto::ScalePoint>& points) {
  if (options.checkpoint.empty() || points.empty()) {
    return points.size();
  }
  uint32_t max_ranks = 0;
  for (const proto::ScalePoint& point : points) {
    max_ranks = std::max(max_ranks, point.ranks());
  }
  const uint32_t batch =
      options.checkpoint_batch != 0 ? options.checkpoint_batch : AskedBatch(options.spec, points.front());
  std::vector<size_t> chosen;
  std::vector<std::string> names;
  for (size_t i = 0; i < points.size(); ++i) {
    const bool plain_next_to_its_like = points[i].reduction() == proto::PLAIN && i + 1 < points.size() &&
                                        points[i + 1].ranks() == 1 && points[i + 1].reduction() != proto::PLAIN;
    if (IsTraining(points[i]) && points[i].ranks() == max_ranks && AskedBatch(options.spec, points[i]) == batch &&
        !plain_next_to_its_like) {
      chosen.push_back(i);
      names.push_back(PointName(points[i]));
    }
  }
  if (chosen.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--checkpoint_batch=", options.checkpoint_batch,
                                                   " is not one of the batches that are planned on ", max_ranks,
                                                   " ranks; give one of --batch_size"));
  }
  return chosen.size() == 1
             ? absl::StatusOr<size_t>(chosen[0])
             : absl::InvalidArgumentError(absl::StrCat("--checkpoint names one file, and ", chosen.size(),
                                                       " points could write it: ", absl::StrJoin(names, "; "),
                                                       "; select one of them, for example with --rows and --seeds=1"));
}

proto::Header MakeStateHeader(const proto::Header& run, const proto::ScaleSpec& spec, const proto::ScalePoint& point,
                              const std::string& other_hosts) {
  HeaderOptions header;
  header.schema = proto::TrainingStateFile::descriptor()->full_name();
  header.seed = run.seed();
  header.inputs = {run.input(0)};
  const int devices = std::min(run.device_size(), static_cast<int>(point.ranks()));
  header.devices.assign(run.device().begin(), run.device().begin() + devices);
  header.libraries = run.libraries();
  proto::ScaleSpec training = spec;  // spec without the fields for other points and for timeouts
  training.clear_timeout_seconds();
  training.clear_ranks();
  training.clear_batch_size();
  training.clear_experiment();
  training.clear_seeds();
  training.clear_launch();
  header.result_flags = {
      {"spec", training.ShortDebugString()}, {"point", point.ShortDebugString()}, {"other_hosts", other_hosts}};
  return MakeHeader(header);
}

}  // namespace lockstep
