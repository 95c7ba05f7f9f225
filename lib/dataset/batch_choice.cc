#include "lib/dataset/batch_choice.h"

#include <algorithm>
#include <iterator>

#include "lib/dataset/sampler.h"

namespace lockstep {
namespace {

constexpr uint64_t kValidationShare = 10;  // training images per image that is held out
constexpr uint64_t kBaseShare = 8;         // training images per image of the base batch

}  // namespace

std::vector<uint32_t> FittingBatches(const std::vector<uint32_t>& batches, uint64_t training_images, uint32_t ranks) {
  const uint64_t share = ShardSize(training_images, ranks, DropLast::kYes);
  std::vector<uint32_t> fitting;
  std::copy_if(batches.begin(), batches.end(), std::back_inserter(fitting),
               [&](uint32_t batch) { return batch <= share; });
  if (fitting.empty() && !batches.empty()) {
    fitting.push_back(static_cast<uint32_t>(std::max<uint64_t>(share, 1)));  // below the batches, hence 32 bits
  }
  return fitting;
}

uint64_t DefaultValidationImages(uint64_t training_images) { return training_images / kValidationShare; }

LargeBatchSizes ChooseLargeBatchSizes(uint64_t training_images, uint32_t ranks) {
  LargeBatchSizes sizes;
  if (training_images < 2 * uint64_t{sizes.large}) {
    const uint64_t trained = training_images - DefaultValidationImages(training_images);
    sizes.large = static_cast<uint32_t>(trained / ranks * ranks);
    sizes.base = std::max(static_cast<uint32_t>(training_images / kBaseShare / ranks * ranks), ranks);
  }
  return sizes;
}

}  // namespace lockstep
