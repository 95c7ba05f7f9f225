#include "lib/quantize/quantize_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/base/stopwatch.h"
#include "lib/quantize/quantize_network.h"
#include "lib/quantize/run_parts.h"
#include "lib/quantize/time_estimate.h"

namespace lockstep {
namespace {

// Images of each split on which a network is timed, first few, then more, so that a dry run takes seconds: two busy
// cores run ResNet-18 at 15 to 20 images/s in each of three or four passes.
constexpr size_t kFewImages = 2;
constexpr size_t kMinImages = 10;
constexpr size_t kMaxImages = 200;
constexpr double kTimedSeconds = 2;
// Images that are traced in each of these runs. A traced image takes 0.7 s for ResNet-18.
constexpr size_t kTracedImages = 1;

// Returns the first `count` images, or all if there are fewer.
ImageSet FirstImages(const ImageSet& set, size_t count) {
  count = std::min(count, set.size());
  ImageSet first;
  first.info = set.info;
  first.pixels.assign(set.pixels.begin(), set.pixels.begin() + static_cast<std::ptrdiff_t>(count * kImageBytes));
  first.labels.assign(set.labels.begin(), set.labels.begin() + static_cast<std::ptrdiff_t>(count));
  return first;
}

// Quantizes with the first `count` images of each split, uses all of these training images for calibration, and
// fine-tunes for one epoch on them if the run fine-tunes at all. Returns the seconds of all parts.
struct Seconds {
  double quantizing = 0;  // time of the work that grows with the images
  double tracing = 0;     // time of kTracedImages traced images
  double fine_tuning = 0;
};
absl::StatusOr<Seconds> SecondsOn(const PlannedNetwork& planned, const Dataset& dataset, proto::QuantizeSpec spec,
                                  size_t count, const MakeIntegerRunner& make, c10::Device device) {
  const Dataset few = {FirstImages(dataset.train, count), FirstImages(dataset.test, count), {}, {}};
  spec.set_calibration_images(static_cast<uint32_t>(few.train.size()));
  spec.set_fine_tune_epochs(std::min(spec.fine_tune_epochs(), 1u));
  spec.set_study_images(0);  // few images leave none for a study, which starts after calibration
  RunParts parts;
  Tracing tracing = {kTracedImages};
  const Stopwatch watch;
  ASSIGN_OR_RETURN(const proto::QuantizedNetwork record,
                   QuantizeNetwork(planned.network, few, planned.normalization, spec, make, device, parts, tracing));
  const double fine_tuning = record.fine_tuning().seconds();
  return Seconds{watch.Seconds() - fine_tuning - tracing.seconds, tracing.seconds, fine_tuning};
}

// Returns the images that a run on `count` images of each split has.
double ImagesOf(const Dataset& dataset, size_t count) {
  return static_cast<double>(std::min(count, dataset.train.size()) + std::min(count, dataset.test.size()));
}

// Estimates the time for all images from that for few, and adds the images that were timed to `timed`. A calibration
// image and a test image cost about the same, three or four passes each.
absl::StatusOr<double> ExpectedSeconds(const PlannedNetwork& planned, const Dataset& dataset,
                                       const proto::QuantizeSpec& spec, const MakeIntegerRunner& make,
                                       c10::Device device, double& timed) {
  const auto seconds_on = [&](size_t count) { return SecondsOn(planned, dataset, spec, count, make, device); };
  RETURN_IF_ERROR(seconds_on(kFewImages).status());  // LibTorch's first call takes longer
  ASSIGN_OR_RETURN(const Seconds first, seconds_on(kFewImages));
  const TimedImages few = {ImagesOf(dataset, kFewImages), first.quantizing};
  const double both = first.quantizing + first.fine_tuning;
  const size_t count = ImagesInSeconds(kTimedSeconds, {static_cast<double>(kFewImages), both}, kMinImages, kMaxImages);
  ASSIGN_OR_RETURN(const Seconds second, seconds_on(count));
  const TimedImages more = {ImagesOf(dataset, count), second.quantizing};
  timed += more.images;
  const auto trained = static_cast<double>(std::min(count, dataset.train.size()));
  const auto traced = static_cast<double>(TracedImages(planned.network, spec.calibration_images()));
  return SecondsFor(spec.calibration_images() + spec.test_images(), few, more) +
         second.tracing * traced / static_cast<double>(kTracedImages) +
         second.fine_tuning * spec.fine_tune_epochs() * static_cast<double>(dataset.train.size()) / trained;
}

// Returns "; then fine-tuned for 2 epochs of 50000 images, first learning rate 0.001, batch 128", or "" without
// fine-tuning.
std::string DescribeFineTuning(const proto::QuantizeSpec& spec, const Dataset& dataset) {
  if (spec.fine_tune_epochs() == 0) {
    return "";
  }
  return absl::StrCat("; then fine-tuned for ", spec.fine_tune_epochs(),
                      spec.fine_tune_epochs() == 1 ? " epoch of " : " epochs of ", dataset.train.size(),
                      " images, first learning rate ", spec.fine_tune_learning_rate(), ", batch ",
                      spec.fine_tune_batch());
}

// Returns "; then a study of each layer on 500 images, which takes additional time", or "" without a study.
std::string DescribeStudy(const proto::QuantizeSpec& spec) {
  return spec.study_images() == 0 ? ""
                                  : absl::StrCat("; then a study of each layer on ", spec.study_images(),
                                                 " images, which takes additional time");
}

}  // namespace

absl::StatusOr<std::string> DescribePlan(const std::vector<PlannedNetwork>& networks, const Dataset& dataset,
                                         const proto::QuantizeSpec& spec, const MakeIntegerRunner& make,
                                         c10::Device device) {
  double seconds = 0, timed = 0;
  std::vector<std::string> names;
  std::map<std::string, double> expected;  // seconds by the network's name: equal names are the same layers
  for (const PlannedNetwork& planned : networks) {
    const std::string& name = planned.network.name;
    if (expected.count(name) == 0) {
      ASSIGN_OR_RETURN(expected[name], ExpectedSeconds(planned, dataset, spec, make, device, timed));
    } else {
      RETURN_IF_ERROR(SecondsOn(planned, dataset, spec, kFewImages, make, device).status());  // only to find faults
    }
    seconds += expected[name];
    names.push_back(name);
  }
  return absl::StrCat(absl::StrJoin(names, " and "), ", weight range ", proto::WeightRange_Name(spec.weight_range()),
                      ", ", spec.calibration_images(), " calibration images of the training split, accuracies on ",
                      spec.test_images(), " test images", DescribeFineTuning(spec, dataset), "; about ",
                      std::ceil(seconds), " s, estimated from ", timed, " images", DescribeStudy(spec));
}

}  // namespace lockstep
