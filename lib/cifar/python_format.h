// Reader of the Python version of CIFAR-10 and CIFAR-100: the files of lib/cifar/cifar_set.h, each as described in
// lib/cifar/python_batch.h.
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

// Checks all files and returns both splits; source.format determines the set. A split is official if it is whole and
// either the archive's MD5 or the MD5s of the split's files and of the class names' file are the published ones.
//   - NotFound: the file of the test images or of the class names is missing, or all training files.
//   - FailedPrecondition: a pickle of something else (the message names file, opcode and byte); files or images are
//     missing, or the classes differ in size, and !options.allow_partial (otherwise the split's note states what it
//     holds); an MD5 is not the published one and options.strict (otherwise a warning that lists such files, and a
//     note).
//   - DataLoss, naming file, key and byte: anything broken.
//   - Cancelled: SIGINT or SIGTERM.
absl::StatusOr<Dataset> ParsePython(const SourceFiles& source, const ParseOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PYTHON_FORMAT_H_
