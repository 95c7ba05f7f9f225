// Reader of folders of pictures: train/<class>/*.png|jpg|bmp|webp and test/<class>/*, or val/<class>/* if there is no
// test/.
//
// Any number of classes from 2 to kMaxDatasetClasses. All pictures must have one size, that of the first picture, or
// are resized on request. Labels are the classes in byte order, which is the official order of CIFAR-10's names. Images
// are ordered by class, then by name, so that the same files give the same records everywhere. No digests of pictures
// are published, so such a set is never official. Whether a set is whole can only be told of one with CIFAR-10's
// classes.
#ifndef LOCKSTEP_LIB_CIFAR_IMAGE_FOLDER_H_
#define LOCKSTEP_LIB_CIFAR_IMAGE_FOLDER_H_

#include "absl/status/statusor.h"
#include "lib/cifar/parse_options.h"
#include "lib/cifar/source_files.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Decodes all pictures on all cores. Adds a warning for the files that source.passed_over counts, and lists them in the
// split's note.
//   - Errors of DecodeImage, with the file's name in front; of several errors, the first in order.
//   - FailedPrecondition: train holds fewer than two classes, test does not hold the same ones, a picture has another
//     size than the first one or a side beyond kMinImageSide and kMaxImageSide (without options.resize), or the classes
//     are CIFAR-10's and (without allow_partial) one does not have 5,000 and 1,000 pictures.
//   - Cancelled: SIGINT or SIGTERM.
absl::StatusOr<Dataset> ParseImageFolder(const SourceFiles& source, const ParseOptions& options);

// Does the same for a folder that is only listed, and fills source.input. Reads, digests and decodes each picture in
// one pass over 60,000 files instead of two, and never holds the bytes of all files. Also returns errors of reading.
absl::StatusOr<Dataset> ReadImageFolder(SourceFiles& source, const ParseOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_IMAGE_FOLDER_H_
