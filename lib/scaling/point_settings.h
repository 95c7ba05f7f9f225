// Settings of a scale record and of its points, apart from ranks and batch, and the record split by them: only points
// that are trained alike are compared. Rows of an experiment (scale_run --experiment) are in no part.
#ifndef LOCKSTEP_LIB_SCALING_POINT_SETTINGS_H_
#define LOCKSTEP_LIB_SCALING_POINT_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// Returns the training of a point. A row of an experiment has its own.
const proto::TrainingSpec& TrainingOf(const proto::ScaleSpec& spec, const proto::ScalePoint& point);

// Returns the settings of a point of this record. If an older record lacks a setting, its value is the only one of that
// time: "lab", autograd, gradients in fp32, buffers of the spec, our own reducer, buckets by size.
proto::PointSettings SettingsOf(const proto::ScaleSpec& spec, const proto::ScalePoint& point);

bool SameSettings(const proto::PointSettings& a, const proto::PointSettings& b);

// Returns true if times of one device without a reducer mean the same: same step and precision.
bool SameStep(const proto::PointSettings& a, const proto::PointSettings& b);

// Returns true if gradients are exchanged through the memory of the host's other GPUs: peer, peer_sharded, and
// hierarchical, which also uses NCCL between hosts.
bool IsByPeers(absl::string_view reducer);

// Returns true if each rank can update a share of the weights for all ranks of its host: always with peer_sharded, and
// with hierarchical if possible.
bool CanShareUpdate(const proto::TrainingSpec& training);

// Returns "DDP, lab preset", followed by the settings that are not the default: "DDP, fast preset (fused step,
// bf16), gradients sent in bf16".
std::string SettingsText(const proto::PointSettings& settings);

// Setting that all points of a scale record share: the name of its field in ScaleSpec, and its words.
struct RunSetting {
  std::string name;   // "overlap"
  std::string words;  // "overlap=false"
};

// Returns the settings of a run's communication that its points do not hold: backend, overlap, and the caps of the
// buckets. The same settings in the same order for every spec. Two runs with the same training are made in the same way
// if these settings and SettingsText of their points are equal.
std::vector<RunSetting> CommunicationSettings(const proto::ScaleSpec& spec);

// Points that are trained alike. Valid as long as the points from which it was made.
struct SettingsPart {
  proto::PointSettings settings;
  std::vector<const proto::ScalePoint*> points;
};

// Returns the parts in the order in which the points first name them.
std::vector<SettingsPart> SplitBySettings(const proto::ScaleSpec& spec,
                                          const std::vector<const proto::ScalePoint*>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POINT_SETTINGS_H_
