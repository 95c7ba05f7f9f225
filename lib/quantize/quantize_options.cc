#include "lib/quantize/quantize_options.h"

#include "lib/quantize/choose_normalization.h"

namespace lockstep {

proto::QuantizeSpec QuantizeOptions::DefaultQuantizeSpec() {
  proto::QuantizeSpec spec;
  spec.set_normalization(kAutoNormalization);
  spec.set_weight_range(proto::MAX_ABS);
  spec.set_activation_range(proto::MIN_MAX);
  spec.set_percentile(99.99);
  spec.set_calibration_images(400);
  spec.set_fine_tune_learning_rate(1e-3);  // 1/100 of ResNet-18's learning rate
  spec.set_fine_tune_batch(128);
  return spec;
}

}  // namespace lockstep
