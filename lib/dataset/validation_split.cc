#include "lib/dataset/validation_split.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/dataset/sampler.h"

namespace lockstep {
namespace {

// Arbitrary seed. It must never change: recipes that were chosen on other images cannot be compared.
constexpr uint64_t kSplitSeed = 0x5eed0fda7a5e7ull;

absl::Status CheckEnoughLeft(uint32_t images, uint64_t batch_images, uint64_t all) {
  const uint64_t min_images = std::max<uint64_t>(batch_images, 1);
  if (all >= min_images && images <= all - min_images) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--validation_images=", images, " leaves ", all > images ? all - images : 0, " of ", all,
                   " training images, expected a batch of ", min_images, " or more; give ",
                   all > min_images ? absl::StrCat("at most ", all - min_images) : "0",
                   all > min_images ? " (0 holds none out), or a smaller batch" : ", which holds none out"));
}

void CopyImage(const ImageSet& from, size_t index, ImageSet& to, size_t place) {
  const size_t bytes = from.image_bytes();
  std::memmove(to.pixels.data() + place * bytes, from.pixels.data() + index * bytes, bytes);
  to.labels[place] = from.labels[index];
}

void Resize(size_t images, ImageSet& set) {
  set.pixels.resize(images * set.image_bytes());
  set.labels.resize(images);
}

// Updates the fields of DatasetInfo that are counts of images.
void CountAgain(ImageSet& set) {
  set.info.set_image_count(set.size());
  const std::vector<uint64_t> counts = CountClasses(set);
  for (int label = 0; label < set.info.class_count_size(); ++label) {
    set.info.set_class_count(label, static_cast<uint32_t>(counts[static_cast<size_t>(label)]));
  }
}

}  // namespace

absl::Status HoldOutValidation(uint32_t images, uint64_t batch_images, Dataset& dataset) {
  if (images == 0) {
    return absl::OkStatus();
  }
  ImageSet& train = dataset.train;
  ImageSet& validation = dataset.validation;
  const size_t all = train.size();
  if (const absl::Status status = CheckEnoughLeft(images, batch_images, all); !status.ok()) {
    return status;
  }
  const std::vector<uint32_t> order = EpochOrder(static_cast<uint32_t>(all), kSplitSeed, 0);
  std::vector<bool> held_out(all);
  std::for_each(order.end() - images, order.end(), [&held_out](uint32_t index) { held_out[index] = true; });
  validation.info = train.info;
  Resize(images, validation);
  size_t trained = 0, held = 0;
  for (size_t index = 0; index < all; ++index) {
    held_out[index] ? CopyImage(train, index, validation, held++) : CopyImage(train, index, train, trained++);
  }
  Resize(trained, train);
  CountAgain(train);
  CountAgain(validation);
  return absl::OkStatus();
}

}  // namespace lockstep
