// Reader of one file of the Python version of CIFAR-10 or CIFAR-100: a pickled dict, see
// https://www.cs.toronto.edu/~kriz/cifar.html.
//
//   data_batch_1 ... data_batch_5, test_batch: 'data' is a numpy array, uint8 (n, 3072), each row an image as planes
//     R, G, B; 'labels' holds n numbers, 0 to 9; 'filenames' a list and 'batch_label' a text, both not used
//   batches.meta: 'label_names' is a list of the ten class names; 'num_vis' is 3072
//   train, test: as above, with 'fine_labels' (0 to 99) and 'coarse_labels' (0 to 19) instead of 'labels'
//   meta: 'fine_label_names' is a list of the hundred class names
//
// Labels are a list, a tuple or a numpy array of integers; elements of a list may be integers of numpy.
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
#include "lib/cifar/cifar_set.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Adds the images of one batch of `of`, at least 1 and at most as many as its training files have, to pixels and labels
// of `set`. On errors `set` is unchanged.
//   - DataLoss, naming key and byte: the pickle is cut off, contradicts itself, or is no such dict.
//   - FailedPrecondition, naming opcode and byte: a pickle of something else, harmful or not.
absl::Status AppendPythonBatch(absl::string_view pickle, ImageSet& set, const CifarSet& of = Cifar10());

// Returns the class names of batches.meta or meta, in printable ASCII. Errors as above.
absl::StatusOr<std::vector<std::string>> ParsePythonClassNames(absl::string_view pickle,
                                                               const CifarSet& of = Cifar10());

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PYTHON_BATCH_H_
