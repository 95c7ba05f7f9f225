#include "lib/cifar/synthetic.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/cifar/statistics.h"
#include "lib/dataset/counter_random.h"

namespace lockstep {
namespace {

constexpr int32_t kChannels = kImageChannels;
constexpr int32_t kMaxShift = 8;  // a pattern is larger than an image by this, for every shift
constexpr int32_t kKnotStep = 8;  // pixels between the knots of a smooth field

// Values chosen by training lenet5 (data/README.md), in units of a byte: largest distances of the knots of class
// pattern and background from 0, largest colour shift, and standard deviation of the noise.
constexpr int32_t kPatternAmplitude = 100;
constexpr int32_t kBackgroundAmplitude = 90;
constexpr int32_t kColourShift = 30;
constexpr int32_t kNoiseStd = 20;
constexpr int32_t kMaxRivalPercent = 45;
constexpr int32_t kMinContrastPercent = 60;

// Returns a smooth field (3, size, size): random knots every 8 pixels, bilinear between them. Values within
// +-amplitude.
std::vector<int32_t> SmoothField(CounterRandom& random, int32_t size, int32_t amplitude) {
  const int32_t knots = (size + kKnotStep - 1) / kKnotStep + 1;
  std::vector<int32_t> knot(kChannels * knots * knots);
  for (int32_t& value : knot) {
    value = random.Between(-amplitude, amplitude);
  }
  std::vector<int32_t> field;
  field.reserve(kChannels * size * size);
  for (int32_t c = 0; c < kChannels; ++c) {
    for (int32_t y = 0; y < size; ++y) {
      for (int32_t x = 0; x < size; ++x) {
        const int32_t* corner = &knot[(c * knots + y / kKnotStep) * knots + x / kKnotStep];
        const int32_t right = x % kKnotStep;
        const int32_t down = y % kKnotStep;
        const int32_t upper = corner[0] * (kKnotStep - right) + corner[1] * right;
        const int32_t lower = corner[knots] * (kKnotStep - right) + corner[knots + 1] * right;
        field.push_back((upper * (kKnotStep - down) + lower * down) / (kKnotStep * kKnotStep));
      }
    }
  }
  return field;
}

// Patterns of all classes, each (3, size, size).
struct Patterns {
  int32_t image_size;  // height and width of an image
  int32_t size;        // height and width of a pattern
  std::vector<std::vector<int32_t>> of_class;
};

Patterns MakePatterns(const SyntheticOptions& options) {
  const int32_t image_size = static_cast<int32_t>(options.size);
  Patterns patterns = {image_size, image_size + kMaxShift, {}};
  for (uint32_t label = 0; label < options.classes; ++label) {
    CounterRandom random(options.seed, RandomPurpose::kSyntheticClass, label, 0);
    patterns.of_class.push_back(SmoothField(random, patterns.size, kPatternAmplitude));
  }
  return patterns;
}

// Position of a pattern in an image.
struct Placement {
  int32_t left;
  int32_t top;
  bool mirror;

  explicit Placement(CounterRandom& random)
      : left(random.Between(0, kMaxShift)), top(random.Between(0, kMaxShift)), mirror(random.Below(2) == 1) {}

  int32_t At(const Patterns& patterns, uint32_t label, int32_t c, int32_t y, int32_t x) const {
    const int32_t column = left + (mirror ? patterns.image_size - 1 - x : x);
    return patterns.of_class[label][(c * patterns.size + top + y) * patterns.size + column];
  }
};

// Returns nearly normal noise: the sum of four bytes has mean 510 and standard deviation sqrt(4 * (256^2 - 1) / 12) =
// 147.8.
int32_t Noise(uint32_t bits) {
  const int32_t sum = static_cast<int32_t>((bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24));
  return (sum - 510) * kNoiseStd / 148;
}

void AppendImage(const Patterns& patterns, uint32_t label, CounterRandom random, PixelBytes& pixels) {
  const uint32_t classes = static_cast<uint32_t>(patterns.of_class.size());
  const int32_t size = patterns.image_size;
  const uint32_t rival = (label + 1 + random.Below(classes - 1)) % classes;
  const int32_t rival_percent = random.Between(0, kMaxRivalPercent);
  const int32_t contrast_percent = random.Between(kMinContrastPercent, 100);
  const Placement own_place(random);
  const Placement rival_place(random);
  const std::vector<int32_t> background = SmoothField(random, size, kBackgroundAmplitude);
  for (int32_t c = 0; c < kChannels; ++c) {
    const int32_t middle = 120 + random.Between(-kColourShift, kColourShift);
    for (int32_t y = 0; y < size; ++y) {
      for (int32_t x = 0; x < size; ++x) {
        const int32_t blend = own_place.At(patterns, label, c, y, x) * (100 - rival_percent) +
                              rival_place.At(patterns, rival, c, y, x) * rival_percent;
        const int32_t smooth = blend / 100 + background[(c * size + y) * size + x];
        const int32_t value =
            middle + smooth * contrast_percent / 100 + Noise(static_cast<uint32_t>(random.Next() >> 32));
        pixels.push_back(static_cast<uint8_t>(std::clamp(value, 0, 255)));
      }
    }
  }
}

absl::StatusOr<ImageSet> MakeSplit(proto::Split split, uint32_t count, uint64_t seed, const Patterns& patterns) {
  const uint32_t classes = static_cast<uint32_t>(patterns.of_class.size());
  ImageSet set;
  set.info.set_split(split);
  set.info.set_input_format(proto::SYNTHETIC);
  set.info.set_note(absl::StrCat("synthetic, seed ", seed));
  set.info.set_height(static_cast<uint32_t>(patterns.image_size));
  set.info.set_width(static_cast<uint32_t>(patterns.image_size));
  for (uint32_t label = 0; label < classes; ++label) {
    set.info.add_class_name(absl::StrCat("pattern_", label));
  }
  set.pixels.reserve(count * set.image_bytes());
  Progress progress(split == proto::TRAIN ? "synthetic training images" : "synthetic test images", count, "images");
  for (uint32_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(CheckNotStopped());
    progress.Update(i);
    const uint32_t label = i % classes;
    set.labels.push_back(static_cast<uint16_t>(label));
    AppendImage(patterns, label, CounterRandom(seed, RandomPurpose::kSyntheticImage, split, i), set.pixels);
  }
  DescribeImages(set);
  return set;
}

absl::Status CheckRange(absl::string_view flag, uint32_t value, uint32_t min, uint32_t max, absl::string_view what) {
  if (value >= min && value <= max) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value, ": expected ", min, " to ", max, what));
}

}  // namespace

absl::StatusOr<Dataset> MakeSynthetic(const SyntheticOptions& options) {
  RETURN_IF_ERROR(CheckRange("train_images", options.train_images, 1, kMaxSyntheticImages, " synthetic images"));
  RETURN_IF_ERROR(CheckRange("test_images", options.test_images, 1, kMaxSyntheticImages, " synthetic images"));
  RETURN_IF_ERROR(CheckRange("classes", options.classes, kMinSyntheticClasses, kMaxSyntheticClasses, " classes"));
  RETURN_IF_ERROR(CheckRange("size", options.size, kMinSyntheticSize, kMaxSyntheticSize, " pixels"));
  const Patterns patterns = MakePatterns(options);
  Dataset dataset;
  ASSIGN_OR_RETURN(dataset.train, MakeSplit(proto::TRAIN, options.train_images, options.seed, patterns));
  ASSIGN_OR_RETURN(dataset.test, MakeSplit(proto::TEST, options.test_images, options.seed, patterns));
  return dataset;
}

}  // namespace lockstep
