// Reader of CIFAR-10's Python version: data_batch_1 ... data_batch_5, test_batch, batches.meta
// (lib/cifar/python_batch.h).
//
// MD5s are published for the archive and for each of these files (lib/cifar/parse_options.h), so a folder can be
// official as well as an archive.
#ifndef LOCKSTEP_LIB_CIFAR_PYTHON_FORMAT_H_
#define LOCKSTEP_LIB_CIFAR_PYTHON_FORMAT_H_

#include "absl/status/statusor.h"
#include "lib/cifar/parse_options.h"
#include "lib/cifar/source_files.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Checks all files and returns both splits. A split is official if it is whole and either the archive's MD5 or the MD5s
// of the split's files and of batches.meta are the published ones.
//   - NotFound: test_batch, batches.meta or all training files are missing.
//   - FailedPrecondition: a pickle of something else (the message names file, opcode and byte); files or images are
//     missing, or the classes differ in size, and !options.allow_partial (otherwise the split's note states what it
//     holds); an MD5 is not the published one and options.strict (otherwise a warning for each such file and a note).
//   - DataLoss, naming file, key and byte: anything broken.
//   - Cancelled: SIGINT or SIGTERM.
absl::StatusOr<Dataset> ParsePython(const SourceFiles& source, const ParseOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PYTHON_FORMAT_H_
