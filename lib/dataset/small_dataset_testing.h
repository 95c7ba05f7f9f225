// Data sets with known bytes, for tests. Test-only.
#ifndef LOCKSTEP_LIB_DATASET_SMALL_DATASET_TESTING_H_
#define LOCKSTEP_LIB_DATASET_SMALL_DATASET_TESTING_H_

#include <cstdint>

#include "lib/dataset/dataset.h"

namespace lockstep::testing {

// Returns one byte of image `image` of a small set: all images, channels, rows and columns differ.
inline uint8_t SmallPixel(uint32_t image, uint32_t channel, uint32_t y, uint32_t x) {
  return static_cast<uint8_t>(image * 89 + channel * 71 + y * 37 + x * 5);
}

// Returns a set in which image i has label i % 10. The statistics are round numbers, not those of the pixels.
inline ImageSet SmallImageSet(proto::Split split, uint32_t count) {
  ImageSet set;
  set.info.set_split(split);
  set.info.set_input_format(proto::SYNTHETIC);
  set.info.set_note("small set of a test");
  set.info.set_image_count(count);
  set.info.set_channels(kImageChannels);
  set.info.set_height(kImageHeight);
  set.info.set_width(kImageWidth);
  for (uint32_t label = 0; label < 10; ++label) {
    set.info.add_class_name(std::string(1, static_cast<char>('a' + label)));
    set.info.add_class_count(count / 10 + (label < count % 10 ? 1 : 0));
  }
  for (uint32_t channel = 0; channel < kImageChannels; ++channel) {
    set.info.mutable_statistics()->add_mean(0.5);
    set.info.mutable_statistics()->add_pixel_std(0.25);
    set.info.mutable_statistics()->add_image_std(0.125 * (channel + 1));
  }
  for (uint32_t image = 0; image < count; ++image) {
    set.labels.push_back(static_cast<uint8_t>(image % 10));
    for (uint32_t channel = 0; channel < kImageChannels; ++channel) {
      for (uint32_t y = 0; y < kImageHeight; ++y) {
        for (uint32_t x = 0; x < kImageWidth; ++x) {
          set.pixels.push_back(SmallPixel(image, channel, y, x));
        }
      }
    }
  }
  return set;
}

inline Dataset SmallDataset(uint32_t train_images, uint32_t test_images) {
  Dataset dataset;
  dataset.train = SmallImageSet(proto::TRAIN, train_images);
  dataset.test = SmallImageSet(proto::TEST, test_images);
  return dataset;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_DATASET_SMALL_DATASET_TESTING_H_
