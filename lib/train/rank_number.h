// Number that every rank of a point has and whose sum over the ranks is wanted (RankGroup::Sum), with the values that it
// may have on each of them.
#ifndef LOCKSTEP_LIB_TRAIN_RANK_NUMBER_H_
#define LOCKSTEP_LIB_TRAIN_RANK_NUMBER_H_

#include <limits>

namespace lockstep {

// A number outside of [min, max] cannot go into a record, so it ends the point and names the rank. Without `checked` it may
// be anything, NaN too: the loss of training that diverges.
struct RankNumber {
  const char* name = "";  // name of the record's field, for errors: "train_accuracy"
  double value = 0;       // this rank's
  double min = 0;
  double max = std::numeric_limits<double>::max();
  bool checked = true;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_RANK_NUMBER_H_
