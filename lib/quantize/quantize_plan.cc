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

// The first `count` images.
ImageSet FirstImages(const ImageSet& set, size_t count) {
  ImageSet first;
  first.info = set.info;
  first.pixels.assign(set.pixels.begin(), set.pixels.begin() + static_cast<std::ptrdiff_t>(count * kImageBytes));
  first.labels.assign(set.labels.begin(), set.labels.begin() + static_cast<std::ptrdiff_t>(count));
  return first;
}

// One network on a few images of the data set, timed, and taken as many times as there are images: a calibration image
// and a test image cost about the same, three or four passes each. The first run warms LibTorch up.
absl::StatusOr<double> ExpectedSeconds(const FloatNetwork& network, const Dataset& dataset, proto::QuantizeSpec spec) {
  const double images = spec.calibration_images() + spec.test_images();
  const auto sample = static_cast<uint32_t>(std::min({size_t{50}, dataset.train.size(), dataset.test.size()}));
  const Dataset few = {FirstImages(dataset.train, sample), FirstImages(dataset.test, sample), {}};
  spec.set_calibration_images(sample);
  RETURN_IF_ERROR(QuantizeNetwork(network, few, spec).status());
  const Stopwatch watch;
  RETURN_IF_ERROR(QuantizeNetwork(network, few, spec).status());
  return watch.Seconds() * images / (2.0 * sample);
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
