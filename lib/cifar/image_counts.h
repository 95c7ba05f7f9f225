// Numbers of images and classes of a folder or an archive, counted without decoding the pictures, for a plan.
#ifndef LOCKSTEP_LIB_CIFAR_IMAGE_COUNTS_H_
#define LOCKSTEP_LIB_CIFAR_IMAGE_COUNTS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace lockstep {

struct ImageCounts {
  uint32_t train_images = 0;
  uint32_t test_images = 0;
  uint32_t classes = 0;
  uint32_t height = 0;  // height and width in pixels of an image; of a set of pictures, of one training picture
  uint32_t width = 0;
};

// Counts the images that RunCifarPrep would read from the folder or archive at `path`. Reads the files of CIFAR-10 and
// CIFAR-100; of a folder of pictures it lists the files and decodes one. An archive is unpacked in memory. The labels
// are not checked, and a part of a set is accepted. `path` must not be "-", because standard input can be read only
// once.
//   - Errors of ListSource, UnpackArchive, AppendPythonBatch and DecodePicture.
//   - FailedPrecondition: there are no training images, or no test images.
absl::StatusOr<ImageCounts> CountImages(const std::string& path);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_IMAGE_COUNTS_H_
