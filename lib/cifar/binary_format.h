// Reader of the binary version of CIFAR-10 and CIFAR-100. https://www.cs.toronto.edu/~kriz/cifar.html defines the
// layout:
//
//   CIFAR-10   data_batch_1.bin ... data_batch_5.bin, test_batch.bin: 10,000 records each of
//                <1 byte: label, 0 to 9> <3,072 bytes: 32x32 planes R, G, B, row by row>
//              batches.meta.txt: the ten class names, one a line, then an empty line
//   CIFAR-100  train.bin: 50,000 records, test.bin: 10,000 records of
//                <1 byte: coarse label, 0 to 19> <1 byte: fine label, 0 to 99> <3,072 bytes as above>
//              fine_label_names.txt: the hundred names of the fine labels, one a line
//
// An MD5 is published for the archive (data/README.md), but not for its members. Hence a folder can be found whole, but
// only the archive can be official.
#ifndef LOCKSTEP_LIB_CIFAR_BINARY_FORMAT_H_
#define LOCKSTEP_LIB_CIFAR_BINARY_FORMAT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "lib/cifar/cifar_set.h"
#include "lib/cifar/parse_options.h"
#include "lib/cifar/source_files.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Returns the bytes of an image and its labels in the set's files.
uint32_t BinaryRecordBytes(const CifarSet& set);

// Checks all files and returns both splits; source.format determines the set. Labels are the fine ones of CIFAR-100.
//   - DataLoss, naming file, record and byte: a size that is not a whole number of records, a label beyond the classes,
//     or another number of class names.
//   - NotFound: the file of the test images or of the class names is missing.
//   - FailedPrecondition: files or records are missing, or the classes differ in size, and allow_partial is false (if
//     true, the set is accepted, and each split's note states what it holds); or an archive's MD5 is not the published
//     one, under strict (otherwise a warning).
//   - Cancelled: SIGINT or SIGTERM.
absl::StatusOr<Dataset> ParseBinary(const SourceFiles& source, const ParseOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_BINARY_FORMAT_H_
