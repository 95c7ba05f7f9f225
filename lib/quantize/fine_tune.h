// Quantization-aware fine-tuning: a short training of the weights whose forward pass includes the effect of rounding
// (B. Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, 2018,
// section 3).
#ifndef LOCKSTEP_LIB_QUANTIZE_FINE_TUNE_H_
#define LOCKSTEP_LIB_QUANTIZE_FINE_TUNE_H_

#include <c10/core/Device.h>

#include <string>

#include "absl/status/statusor.h"
#include "lib/base/progress.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/calibration.h"
#include "lib/int8/network.h"
#include "lib/int8/replay.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

struct FineTuned {
  FloatNetwork network;
  proto::FineTuning summary;  // everything except the comparison
};

// Trains for spec.fine_tune_epochs() on all of `train`: SGD with momentum 0.9 and no weight decay. The learning rate of
// step s of S is spec.fine_tune_learning_rate() / 2 * (1 + cos(pi * s / S)). Order and augmentation are functions of
// spec.seed(). `record` must be a result of QuantizeLayers for `network` with `spec`.
//
// InvalidArgument: training diverged: a loss is NaN, or an epoch's mean exceeds the first step's loss by more than
// ln(classes), the loss of guessing. Cancelled: a stop was requested. ResourceExhausted: no memory for a batch.
absl::StatusOr<FineTuned> FineTune(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                   const ImageSet& train, const proto::QuantizeSpec& spec, c10::Device device,
                                   const ProgressPart& part);

// Runs the forward pass of training and the int8 network of `record` on `images`, and adds the comparison to `summary`.
// `record` must be a result of QuantizeLayers for `network` with `spec`.
absl::Status CompareWithIntegers(const FloatNetwork& network, const proto::QuantizedNetwork& record,
                                 const proto::QuantizeSpec& spec, const ImageSelection& images,
                                 const MakeIntegerRunner& make, c10::Device device, proto::FineTuning& summary);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_QUANTIZE_FINE_TUNE_H_
