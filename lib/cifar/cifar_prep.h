// The stage cifar_prep: converts CIFAR-10, CIFAR-100 or folders of pictures on disk, or synthetic images, to one
// dataset.rec with both splits.
#ifndef LOCKSTEP_LIB_CIFAR_CIFAR_PREP_H_
#define LOCKSTEP_LIB_CIFAR_CIFAR_PREP_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/cifar/synthetic.h"
#include "lib/dataset/dataset.h"

namespace lockstep {

struct CifarPrepOptions {
  std::string input;                   // folder or archive ("-": from standard input); empty: synthetic images
  std::string input_format = "auto";   // name that ParseInputFormat accepts
  std::string output = "dataset.rec";  // "-": standard output
  bool allow_partial = false;          // accepts a set that is not the whole official one
  bool strict = false;                 // refuses data that differs from the published digests
  bool force = false;                  // makes the output again even if it exists
  uint32_t resize = 0;                 // side to which pictures are resized; 0: pictures keep their size
  bool dry_run = false;                // reads and checks everything, but writes nothing
  SyntheticOptions synthetic;          // options of synthetic images; counts, classes and size are for these only
};

// Reads or makes the images and writes the record file. Prints warnings and the summary to stderr. If the output
// already holds this result, prints "cached" instead; the input's digest shows this before anything is decoded. Returns
// the errors of ParseInputFormat, DeclareRunFiles, ReadSource, UnpackArchive, ParseBinary, ParsePython,
// ParseImageFolder, MakeSynthetic and RecordWriter. Also returns InvalidArgumentError if synthetic counts are given for
// another format, `strict` for a form without published MD5s, or `resize` for anything but pictures.
absl::Status RunCifarPrep(const CifarPrepOptions& options);

// Returns several lines, each ended, with these facts about each split: images, origin, official or why not, each class
// with its count, mean and both stds.
std::string DatasetSummary(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_CIFAR_CIFAR_PREP_H_
