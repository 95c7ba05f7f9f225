// CIFAR-10's Python version: data_batch_1 ... data_batch_5, test_batch and batches.meta (lib/cifar/python_batch.h).
//
// MD5s are published of the archive and of each of these files (lib/cifar/parse_options.h), so that a folder can be
// told to be official as well as an archive.
#ifndef LOCKSTEP_LIB_CIFAR_PYTHON_FORMAT_H_
#define LOCKSTEP_LIB_CIFAR_PYTHON_FORMAT_H_

#include "absl/status/statusor.h"
#include "lib/cifar/parse_options.h"
#include "lib/cifar/source_files.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

// Checks everything and takes the files apart. A split is official when it is whole and either the archive's MD5 is
// the published one or those of the split's files and of batches.meta are. NotFound: test_batch, batches.meta or all
// training files are missing. FailedPrecondition: a pickle of something else (the message names file, opcode and
// byte); files or images are missing, or the classes are not equally many, and !options.allow_partial (else the
// split's note says what it holds); an MD5 is not the published one and options.strict (else a warning for each such
// file, and the note says so). DataLoss, naming file, key and byte: anything broken. Cancelled: SIGINT or SIGTERM.
absl::StatusOr<Dataset> ParsePython(const SourceFiles& source, const ParseOptions& options);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_PYTHON_FORMAT_H_
