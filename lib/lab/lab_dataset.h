// Facts about the lab's data set: from its record, or counted before there is a record.
#ifndef LOCKSTEP_LIB_LAB_LAB_DATASET_H_
#define LOCKSTEP_LIB_LAB_LAB_DATASET_H_

#include <string>

#include "absl/status/status.h"
#include "lib/lab/lab_request.h"

namespace lockstep {

// Sets the numbers of images, classes and pixels in `facts` from the record of a data set, and reads only its first
// records. Returns the errors of RecordReader, and DataLossError if the record lacks a split or its images.
absl::Status ReadDatasetFacts(const std::string& dataset, LabFacts& facts);

// Sets the same facts before the preparation has run. Takes them
//   - from the flags, for synthetic images;
//   - from the record, if --input is one;
//   - from the files of --input (CountImages), which are not converted.
// If the images cannot be counted, assumes those of CIFAR-10, and sets `why_assumed` to the reason: the preparation
// reports an error of --input. Returns CancelledError after a stop signal.
absl::Status CountDatasetFacts(const LabRequest& request, LabFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAB_LAB_DATASET_H_
