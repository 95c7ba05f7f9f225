#include "lib/quantize/quantize_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/base/stopwatch.h"
#include "lib/quantize/quantize_network.h"

namespace lockstep {
namespace {

constexpr size_t kWarmUpImages = 10;  // LibTorch's first call takes longer
constexpr size_t kTimedImages = 200;  // enough that what a run costs once does not show much

// The first `count` images, or all when there are fewer.
ImageSet FirstImages(const ImageSet& set, size_t count) {
  count = std::min(count, set.size());
  ImageSet first;
  first.info = set.info;
  first.pixels.assign(set.pixels.begin(), set.pixels.begin() + static_cast<std::ptrdiff_t>(count * kImageBytes));
  first.labels.assign(set.labels.begin(), set.labels.begin() + static_cast<std::ptrdiff_t>(count));
  return first;
}

// Quantizes with the first `count` images of each split, all of the training ones for calibration.
absl::StatusOr<double> SecondsOn(const FloatNetwork& network, const Dataset& dataset, proto::QuantizeSpec spec,
                                 size_t count) {
  const Dataset few = {FirstImages(dataset.train, count), FirstImages(dataset.test, count), {}};
  spec.set_calibration_images(static_cast<uint32_t>(few.train.size()));
  const Stopwatch watch;
  RETURN_IF_ERROR(QuantizeNetwork(network, few, spec).status());
  return watch.Seconds();
}

// The time for a few images, taken as many times as there are images: one for calibration and one of the test split
// cost about the same, three or four passes each.
absl::StatusOr<double> ExpectedSeconds(const FloatNetwork& network, const Dataset& dataset,
                                       const proto::QuantizeSpec& spec) {
  RETURN_IF_ERROR(SecondsOn(network, dataset, spec, kWarmUpImages).status());
  ASSIGN_OR_RETURN(const double seconds, SecondsOn(network, dataset, spec, kTimedImages));
  const double timed = std::min(kTimedImages, dataset.train.size()) + std::min(kTimedImages, dataset.test.size());
  return seconds * (spec.calibration_images() + spec.test_images()) / timed;
}

}  // namespace

absl::StatusOr<std::string> DescribePlan(const std::vector<FloatNetwork>& networks, const Dataset& dataset,
                                         const proto::QuantizeSpec& spec) {
  double seconds = 0;
  std::vector<std::string> names;
  for (const FloatNetwork& network : networks) {
    ASSIGN_OR_RETURN(const double expected, ExpectedSeconds(network, dataset, spec));
    seconds += expected;
    names.push_back(network.name);
  }
  return absl::StrCat(absl::StrJoin(names, " and "), ", weight range ", proto::WeightRange_Name(spec.weight_range()),
                      ", ", spec.calibration_images(), " calibration images of the training split, accuracies on ",
                      spec.test_images(), " test images; about ", std::ceil(seconds), " s");
}

}  // namespace lockstep
