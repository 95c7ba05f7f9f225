// Calibration by plain loops, for tests; in production LibTorch computes the values for the Calibrator. Test-only.
#ifndef LOCKSTEP_LIB_INT8_PLAIN_CALIBRATION_TESTING_H_
#define LOCKSTEP_LIB_INT8_PLAIN_CALIBRATION_TESTING_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/calibration.h"
#include "lib/int8/float_reference.h"
#include "lib/int8/network.h"

namespace lockstep::testing {

// Converts an image from (channels, height, width) to (height, width, channels).
inline std::vector<float> ChannelsLast(const std::vector<float>& image) {
  std::vector<float> result(image.size());
  for (size_t i = 0; i < image.size(); ++i) {
    result[i % kPlaneBytes * kImageChannels + i / kPlaneBytes] = image[i];
  }
  return result;
}

inline absl::StatusOr<Calibration> CalibratePlainly(const FloatNetwork& network, const ImageSelection& images) {
  Calibrator calibrator(network);
  for (const uint32_t index : images.indices) {
    const std::vector<float> image = ChannelsLast(NormalizedImage(images.set, index, images.normalization));
    calibrator.AddInput(image.data(), image.size());
    RunFloat(network, image.data(),
             [&](size_t layer, const std::vector<float>& before, const std::vector<float>& after) {
               calibrator.AddLayer(layer, before.data(), after.data(), before.size());
             });
  }
  return std::move(calibrator).Finish();
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_INT8_PLAIN_CALIBRATION_TESTING_H_
