// One file of CIFAR-10's Python version: a pickled dict, as https://www.cs.toronto.edu/~kriz/cifar.html lays it out.
//
//   data_batch_1 ... data_batch_5, test_batch: 'data' is a numpy array, uint8 (n, 3072), each row an image as planes
//     R, G, B; 'labels' a list of n numbers, 0 to 9; 'filenames' a list and 'batch_label' a text, both not used
//   batches.meta: 'label_names' is a list of the ten class names; 'num_vis' is 3072
//
// Python 2 wrote the published files (protocol 2, every text a byte string). Files saved again by Python 3 are taken
// too: protocols 2 to 5, keys as texts or bytes, numpy 1 or 2. The reader knows the opcodes and the few functions that
// numpy names in such files, and never runs anything (lib/pickle/machine.h).
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

// Adds the images of one batch, 1 to kPythonImagesPerFile of them, to pixels and labels of `set`. DataLoss, naming key
// and byte: cut off, it contradicts itself, or it is no such dict. FailedPrecondition, naming opcode and byte: a
// pickle of something else, were it harmful or not. On errors `set` is as it was.
absl::Status AppendPythonBatch(absl::string_view pickle, ImageSet& set);

// The ten class names of batches.meta, printable ASCII. Errors as above.
absl::StatusOr<std::vector<std::string>> ParsePythonClassNames(absl::string_view pickle);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PYTHON_BATCH_H_
