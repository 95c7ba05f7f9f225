// Digest of a data set's content: two data sets with the same digest are the same for training, whatever their files.
#ifndef LOCKSTEP_LIB_DATASET_CONTENT_DIGEST_H_
#define LOCKSTEP_LIB_DATASET_CONTENT_DIGEST_H_

#include <string>

#include "lib/dataset/dataset.h"

namespace lockstep {

// Returns the SHA-256, in hex, of both splits' images and labels, in order, and of the statistics for normalization.
std::string ContentSha256(const Dataset& dataset);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DATASET_CONTENT_DIGEST_H_
