// Which layers cost the accuracy: each one alone in int8, all but each one, and how much noise each one adds.
#ifndef LOCKSTEP_LIB_QUANTIZE_LAYER_STUDY_H_
#define LOCKSTEP_LIB_QUANTIZE_LAYER_STUDY_H_

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/calibration.h"
#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Runs the network 2 + 2 * (layers + 1) times on each image, by LibTorch, int8 imitated in fp32 (TorchForward). The
// images are training images that calibration has not seen: a choice that is made by what they tell must leave the test
// images alone. Shows progress on stderr under `label`. Cancelled: a stop was asked for.
absl::StatusOr<proto::LayerStudy> StudyLayers(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                              const ImageSelection& images, const std::string& label,
                                              c10::Device device = c10::Device(c10::kCPU));

// The names of a study's layers, those first without which in int8 the class probabilities come nearest to fp32's; of
// equal ones the one that alone in int8 changes them most.
std::vector<std::string> BySensitivity(const proto::LayerStudy& study);

// Puts layers back to fp32 in that order until the accuracy on `images`, those of the study, is at most `wanted_drop` points
// below fp32's; then measures on all of `test`. Fills the study's fallback; nothing, when int8 itself is good enough.
absl::Status AddFallback(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                         const ImageSelection& images, const ImageSet& test, double wanted_drop,
                         const std::string& label, proto::LayerStudy& study,
                         c10::Device device = c10::Device(c10::kCPU));

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_LAYER_STUDY_H_
