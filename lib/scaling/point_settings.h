// How the points of a scale record are trained, beside ranks and batch, and the record taken apart by it: only points
// that are trained alike are compared. Rows of an experiment (scale_run --experiment) are in no part.
#ifndef LOCKSTEP_LIB_SCALING_POINT_SETTINGS_H_
#define LOCKSTEP_LIB_SCALING_POINT_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/proto/scale.pb.h"

namespace lockstep {

// What a point was trained by: a row of an experiment says it itself.
const proto::TrainingSpec& TrainingOf(const proto::ScaleSpec& spec, const proto::ScalePoint& point);

// Those of a point of this record. What an older record does not say is what there was then: "lab", autograd, gradients
// in fp32, buffers as the spec says, our own reducer, buckets by size.
proto::PointSettings SettingsOf(const proto::ScaleSpec& spec, const proto::ScalePoint& point);

bool SameSettings(const proto::PointSettings& a, const proto::PointSettings& b);

// Whether times of one device without a reducer mean the same: who computes a step, and in which precision.
bool SameStep(const proto::PointSettings& a, const proto::PointSettings& b);

// Whether gradients go through the other GPUs' memory: peer, peer_sharded.
bool IsByPeers(absl::string_view reducer);

// "DDP, lab preset"; then what is not as it is by default: "DDP, fast preset (hand-written step, bf16), gradients sent in
// bf16".
std::string SettingsText(const proto::PointSettings& settings);

// The points that are trained alike. Valid while those that it was made from are.
struct SettingsPart {
  proto::PointSettings settings;
  std::vector<const proto::ScalePoint*> points;
};

// In the order in which the points name them.
std::vector<SettingsPart> SplitBySettings(const proto::ScaleSpec& spec,
                                          const std::vector<const proto::ScalePoint*>& points);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_SCALING_POINT_SETTINGS_H_
