// The stage cifar_prep: any CIFAR-10 on disk, or none, to one dataset.rec with both splits.
#ifndef LOCKSTEP_LIB_CIFAR_CIFAR_PREP_H_
#define LOCKSTEP_LIB_CIFAR_CIFAR_PREP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/cifar/synthetic.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

struct CifarPrepOptions {
  std::string input;                   // a folder or an archive ("-": from standard input); empty: synthetic images
  std::string input_format = "auto";   // as ParseInputFormat takes it
  std::string output = "dataset.rec";  // "-": standard output
  bool allow_partial = false;          // take a set that is not the whole official one
  bool strict = false;                 // refuse what differs from the published digests
  bool force = false;                  // make the output again even when it is there
  bool dry_run = false;                // read and check everything, write nothing
  SyntheticOptions synthetic;          // the counts are for synthetic images only
};

// Reads or makes the images and writes the record file. Prints warnings and the summary on stderr; when the output
// already holds this result (known from the input's digest, before anything is decoded), "cached" instead. Errors are
// those of ParseInputFormat, DeclareRunFiles, ReadSource, UnpackArchive, ParseBinary, ParsePython, ParseImageFolder, MakeSynthetic and
// RecordWriter; InvalidArgument also when synthetic counts are given for another format, and
// `strict` for a form of which no MD5 is published.
absl::Status RunCifarPrep(const CifarPrepOptions& options);

// Per split: images, where they come from, whether they are official or why not, each class with its count, mean and
// both stds. Several lines, each ended.
std::string DatasetSummary(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_CIFAR_PREP_H_
