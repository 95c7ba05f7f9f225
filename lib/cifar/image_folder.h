// CIFAR-10 as pictures: train/<class>/*.png|jpg and test/<class>/*, or val/<class>/* where there is no test/.
//
// Labels are the classes in byte order, which for CIFAR-10's names is the official order; images are in the order of
// class, then name, so that the same files make the same records everywhere. No digests of pictures are published: such
// a set is never called official.
#ifndef LOCKSTEP_LIB_CIFAR_IMAGE_FOLDER_H_
#define LOCKSTEP_LIB_CIFAR_IMAGE_FOLDER_H_

#include "absl/status/statusor.h"
#include "lib/cifar/parse_options.h"
#include "lib/cifar/source_files.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Decodes all pictures, on all cores. Errors of a picture are DecodeImage's with the file's name in front; of several,
// the first in order. FailedPrecondition: train does not hold ten classes, test not the same, or (without
// allow_partial) there are not 5,000 and 1,000 pictures of each. Cancelled: SIGINT or SIGTERM. What source.passed_over
// counts is a warning, and stands in the split's note.
absl::StatusOr<Dataset> ParseImageFolder(const SourceFiles& source, const ParseOptions& options);

// The same of a folder that is listed only: each picture is read, digested and decoded in one go, and source.input is
// filled. One pass over 60,000 files instead of two, and their bytes are never held together. Errors of reading too.
absl::StatusOr<Dataset> ReadImageFolder(SourceFiles& source, const ParseOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_IMAGE_FOLDER_H_
