// Quantization-aware fine-tuning: the weights are trained a little more, with what rounding does to them in sight (B. Jacob et
// al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, 2018, section 3).
#ifndef LOCKSTEP_LIB_QUANTIZE_FINE_TUNE_H_
#define LOCKSTEP_LIB_QUANTIZE_FINE_TUNE_H_

#include <c10/core/Device.h>

#include <string>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/calibration.h"
#include "lib/int8/network.h"
#include "lib/int8/replay.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

struct FineTuned {
  FloatNetwork network;
  proto::FineTuning summary;  // but the comparison
};

// Trains for spec.fine_tune_epochs() on all of `train`: SGD with momentum 0.9 and no weight decay, the learning rate of step s
// of S being spec.fine_tune_learning_rate() / 2 * (1 + cos(pi * s / S)). Order and augmentation are functions of spec.seed().
// `record`: what QuantizeLayers made of `network` with `spec`.
//
// InvalidArgument: training diverged: a loss is no number, or an epoch's mean is more than ln(classes), what guessing costs,
// above the first step's. Cancelled: a stop was asked for. ResourceExhausted: no memory for a batch.
absl::StatusOr<FineTuned> FineTune(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                   const ImageSet& train, const proto::QuantizeSpec& spec, c10::Device device,
                                   const std::string& label);

// Runs the forward pass of training on `images`, and the int8 network that `record` holds; adds the comparison to `summary`.
// `record`: what QuantizeLayers made of `network` with `spec`.
absl::Status CompareWithIntegers(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                 const proto::QuantizeSpec& spec, const ImageSelection& images,
                                 const MakeIntegerRunner& make, c10::Device device, proto::FineTuning& summary);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_FINE_TUNE_H_
