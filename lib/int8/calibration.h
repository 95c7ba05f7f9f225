// What a network's activations look like on some training images: ranges and histograms, before and after ReLU.
#ifndef LOCKSTEP_LIB_INT8_CALIBRATION_H_
#define LOCKSTEP_LIB_INT8_CALIBRATION_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/int8/network.h"
#include "lib/int8/quant_params.h"
#include "lib/proto/quantity.pb.h"

namespace lockstep {

// Some images of a split, and how they are normalised. The set must outlive it.
struct ImageSelection {
  const ImageSet& set;
  std::vector<uint32_t> indices;  // below set.size()
  NormalizationTable normalization;
};

// Values of one kind over all images: a layer's outputs before ReLU, say.
struct ValueStatistics {
  RangeSummary summary;
  proto::Histogram histogram;  // over [min, max]
};

struct LayerStatistics {
  ValueStatistics before_relu;
  ValueStatistics after_relu;  // before pooling; without ReLU the same as before_relu
};

struct Calibration {
  ValueStatistics input;  // normalised
  std::vector<LayerStatistics> layers;
};

// Runs the images through the fp32 network, twice: for the ranges, then for the histograms. FailedPrecondition: a layer
// gives NaN or infinity, or there is no image. Cancelled: a stop was asked for.
absl::StatusOr<Calibration> Calibrate(const FloatNetwork& network, const ImageSelection& images);

// fp32 (3, 32, 32), normalised.
std::vector<float> NormalizedImage(const ImageSet& set, uint32_t index, const NormalizationTable& normalization);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CALIBRATION_H_
