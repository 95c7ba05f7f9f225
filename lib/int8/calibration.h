// Statistics of a network's activations on some training images: their values before and after ReLU.
//
// The caller runs the fp32 network (LibTorch in lib/quantize, plain loops in tests) and passes each activation to a
// Calibrator once.
#ifndef LOCKSTEP_LIB_INT8_CALIBRATION_H_
#define LOCKSTEP_LIB_INT8_CALIBRATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/fine_histogram.h"
#include "lib/int8/network.h"

namespace lockstep {

// Images of a split, and their normalisation. `set` must outlive this struct.
struct ImageSelection {
  const ImageSet& set;
  std::vector<uint32_t> indices;  // below set.size()
  NormalizationTable normalization;
};

// A layer's outputs over all images, before max-pooling.
struct LayerStatistics {
  FineHistogram before_relu;
  FineHistogram after_relu;  // empty without ReLU

  const FineHistogram& Output(const LayerShape& shape) const { return shape.relu ? after_relu : before_relu; }
};

struct Calibration {
  FineHistogram input;  // normalised
  std::vector<LayerStatistics> layers;
};

class Calibrator {
 public:
  // Copies the layers' shapes.
  explicit Calibrator(const FloatNetwork& network);

  void AddInput(const float* values, size_t size) { calibration_.input.Add(values, size); }
  // Adds the outputs of one layer. `after`: values after ReLU; not read if the layer has no ReLU.
  void AddLayer(size_t layer, const float* before, const float* after, size_t size);

  // Returns FailedPreconditionError with the name of the layer if a layer gave NaN or infinity, or got no values.
  absl::StatusOr<Calibration> Finish() &&;

 private:
  std::vector<LayerShape> shapes_;
  Calibration calibration_;
};

// Returns a normalised image, fp32 (3, 32, 32).
std::vector<float> NormalizedImage(const ImageSet& set, uint32_t index, const NormalizationTable& normalization);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CALIBRATION_H_
