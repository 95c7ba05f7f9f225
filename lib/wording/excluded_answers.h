// Questions that a data set excludes, because a tool would refuse each command that could answer them.
#ifndef LOCKSTEP_LIB_WORDING_EXCLUDED_ANSWERS_H_
#define LOCKSTEP_LIB_WORDING_EXCLUDED_ANSWERS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace lockstep {

// Number of ranks in the suggested commands: of the experiments, and the larger number of the other runs.
inline constexpr uint32_t kCommandRanks = 2;

// Facts about dataset.rec, which the suggested commands must fit. 0: the number is unknown, and assumed to be large
// enough (images) or CIFAR-10's (the others).
struct DatasetFacts {
  uint64_t training_images = 0;
  uint32_t classes = 0;
  uint32_t height = 0;  // height and width of an image in pixels
  uint32_t width = 0;
  bool only_cpu = false;  // true: all runs of the page are on a CPU, which trains LeNet-5 in minutes and not ResNet-18
  std::string path = {};  // path of the data set's record, as the user gave it; empty: dataset.rec
  std::string folder = {};  // folder of the page's records, into which commands write; empty: the current one

  // Returns the number of images for choices of batches, all of which fit if the number is unknown.
  uint64_t ImagesForBatches() const;
};

// Returns the reason why no command answers "Q1" to "Q7" or "B1" to "B5" on this data set, and what would answer it, as
// a sentence without its first capital and its full stop. Returns an empty text if commands can answer it.
std::string WhyNoCommands(absl::string_view question, const DatasetFacts& facts);

// Returns the reason why DataParallel cannot be timed on this data set, in the same form.
std::string WhyNoDataParallel(const DatasetFacts& facts);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_WORDING_EXCLUDED_ANSWERS_H_
