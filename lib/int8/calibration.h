// What a network's activations look like on some training images: their values before and after ReLU.
//
// Whoever runs the fp32 network (LibTorch in lib/quantize, the plain loops in tests) shows what it computes to a
// Calibrator, once.
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

// Some images of a split, and how they are normalised. The set must outlive it.
struct ImageSelection {
  const ImageSet& set;
  std::vector<uint32_t> indices;  // below set.size()
  NormalizationTable normalization;
};

// A layer's outputs over all images, before max-pooling.
struct LayerStatistics {
  FineHistogram before_relu;
  FineHistogram after_relu;  // nothing without ReLU

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
  // `after`: after ReLU; not read of a layer without.
  void AddLayer(size_t layer, const float* before, const float* after, size_t size);

  // FailedPrecondition: a layer gave NaN or infinity, or was shown nothing; names it.
  absl::StatusOr<Calibration> Finish() &&;

 private:
  std::vector<LayerShape> shapes_;
  Calibration calibration_;
};

// fp32 (3, 32, 32), normalised.
std::vector<float> NormalizedImage(const ImageSet& set, uint32_t index, const NormalizationTable& normalization);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CALIBRATION_H_
