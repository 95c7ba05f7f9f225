// Number that every rank of a point has and that is summed over the ranks (RankGroup::Sum), with its permitted range.
#ifndef LOCKSTEP_LIB_TRAIN_RANK_NUMBER_H_
#define LOCKSTEP_LIB_TRAIN_RANK_NUMBER_H_

#include <limits>

namespace lockstep {

// A number outside [min, max] cannot go into a record; it ends the point with an error that names the rank. If
// `checked` is false, any value is permitted, even NaN: the loss of training that diverges.
struct RankNumber {
  const char* name = "";  // name of the record's field, for errors: "train_accuracy"
  double value = 0;       // this rank's value
  double min = 0;
  double max = std::numeric_limits<double>::max();
  bool checked = true;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_RANK_NUMBER_H_
