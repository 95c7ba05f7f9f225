// Reader of one file of CIFAR-10's Python version: a pickled dict, see https://www.cs.toronto.edu/~kriz/cifar.html.
//
//   data_batch_1 ... data_batch_5, test_batch: 'data' is a numpy array, uint8 (n, 3072), each row an image as planes
//     R, G, B; 'labels' a list of n numbers, 0 to 9; 'filenames' a list and 'batch_label' a text, both not used
//   batches.meta: 'label_names' is a list of the ten class names; 'num_vis' is 3072
//
// Python 2 wrote the published files (protocol 2, every text a byte string). Files that were saved again by Python 3
// are accepted, too: protocols 2 to 5, keys as texts or bytes, numpy 1 or 2. The reader knows the opcodes and the few
// functions that numpy names in such files, and never executes anything (lib/pickle/machine.h).
#ifndef LOCKSTEP_LIB_CIFAR_PYTHON_BATCH_H_
#define LOCKSTEP_LIB_CIFAR_PYTHON_BATCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

inline constexpr uint32_t kPythonClasses = 10;
inline constexpr uint32_t kPythonImagesPerFile = 10'000;

// Adds the images of one batch, 1 to kPythonImagesPerFile of them, to pixels and labels of `set`. On errors `set` is
// unchanged.
//   - DataLoss, naming key and byte: the pickle is cut off, contradicts itself, or is no such dict.
//   - FailedPrecondition, naming opcode and byte: a pickle of something else, harmful or not.
absl::Status AppendPythonBatch(absl::string_view pickle, ImageSet& set);

// Returns the ten class names of batches.meta, in printable ASCII. Errors as above.
absl::StatusOr<std::vector<std::string>> ParsePythonClassNames(absl::string_view pickle);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PYTHON_BATCH_H_
