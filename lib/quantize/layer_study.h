// Study of the accuracy that each layer costs: each layer alone in int8, all but each layer, and the noise of each
// layer.
#ifndef LOCKSTEP_LIB_QUANTIZE_LAYER_STUDY_H_
#define LOCKSTEP_LIB_QUANTIZE_LAYER_STUDY_H_

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/progress.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/calibration.h"
#include "lib/int8/network.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Runs the network 2 + 2 * (layers + 1) times on each image by LibTorch, with int8 imitated in fp32 (TorchForward).
// `images` should be training images that calibration has not used: the study guides a choice, and test images must
// not. Shows progress on stderr as `part`. Returns CancelledError if a stop was requested.
absl::StatusOr<proto::LayerStudy> StudyLayers(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                              const ImageSelection& images, const ProgressPart& part,
                                              c10::Device device = c10::Device(c10::kCPU));

// Returns the names of a study's layers by decreasing sensitivity: first the layers that, if only they stay in fp32,
// give class probabilities closest to those of fp32. Of equal layers, the first is the one that alone in int8 changes
// the probabilities most.
std::vector<std::string> BySensitivity(const proto::LayerStudy& study);

// Returns layers to fp32 in the order of BySensitivity until the accuracy on `images`, those of the study, is at most
// `wanted_drop` points below that of fp32; then measures on all of `test`. Fills the study's fallback, or leaves it
// empty if int8 throughout is good enough.
absl::Status AddFallback(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                         const ImageSelection& images, const ImageSet& test, double wanted_drop,
                         const ProgressPart& part, proto::LayerStudy& study,
                         c10::Device device = c10::Device(c10::kCPU));

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_LAYER_STUDY_H_
