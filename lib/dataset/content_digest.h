// Whether two data sets are the same to a training, whoever wrote their files, and when.
#ifndef LOCKSTEP_LIB_DATASET_CONTENT_DIGEST_H_
#define LOCKSTEP_LIB_DATASET_CONTENT_DIGEST_H_

#include <string>

#include "lib/dataset/dataset.h"

namespace lockstep {

// SHA-256, hex, of both splits' images and labels, in order, and of the statistics that training normalises with.
std::string ContentSha256(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_CONTENT_DIGEST_H_
