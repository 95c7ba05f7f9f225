#include "lib/wording/excluded_answers.h"

#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/dataset/batch_choice.h"
#include "lib/networks/int8_shape.h"

namespace lockstep {
namespace {

std::string WhyNoInt8(const DatasetFacts& facts) {
  const auto known = [](uint32_t value, int64_t of_int8) { return value == 0 ? of_int8 : int64_t{value}; };
  const int64_t classes = known(facts.classes, kInt8Classes), height = known(facts.height, kInt8ImageSize),
                width = known(facts.width, kInt8ImageSize);
  return IsInt8Shape(classes, height, width)
             ? ""
             : absl::StrCat("an int8 answer needs ", Int8ShapeText(),
                            ", for which the kernels of quantize are written, and the data set has ",
                            ClassesAndPixels(classes, height, width),
                            "; a data set of the first shape, such as CIFAR-10, gives one");
}

std::string TooFewImages(absl::string_view needed, const DatasetFacts& facts) {
  return absl::StrCat(needed, " on ", kCommandRanks, " ranks, for which ", facts.training_images, " training image",
                      facts.training_images == 1 ? " is" : "s are", " too few; a larger data set allows them");
}

}  // namespace

uint64_t DatasetFacts::ImagesForBatches() const {
  return training_images == 0 ? std::numeric_limits<uint64_t>::max() : training_images;
}

std::string WhyNoCommands(absl::string_view question, const DatasetFacts& facts) {
  if (absl::StartsWith(question, "B")) {
    return WhyNoInt8(facts);
  }
  const LargeBatchSizes sizes = ChooseLargeBatchSizes(facts.ImagesForBatches(), kCommandRanks);
  return question == "Q4" && sizes.large <= sizes.base ? TooFewImages("an answer needs two batches", facts) : "";
}

std::string WhyNoDataParallel(const DatasetFacts& facts) {
  // DataParallel divides a batch among the devices, and repeats no image.
  return facts.ImagesForBatches() < kCommandRanks ? TooFewImages("DataParallel needs batches", facts) : "";
}

}  // namespace lockstep
