// The fits of all-reduce times that the inputs hold, as records and for predictions.
#ifndef LOCKSTEP_LIB_COMM_MODEL_FITS_H_
#define LOCKSTEP_LIB_COMM_MODEL_FITS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "lib/comm_model/inputs.h"
#include "lib/prediction/all_reduce_time.h"

namespace lockstep {

struct FittedAllReduces {
  std::vector<proto::AllReduceFit> fits;
  std::vector<AllReduceCurve> curves;  // of the accepted ones, one for each number of ranks
};

// One fit for each file, ranks and placement with at least two sizes: those of --all_reduce, and the scale record's,
// where its points hold several sizes. A rejected fit is in `fits` with its reason and in no curve. Of several accepted
// ones of as many ranks the one in place is the curve, as the reducer works in place. Errors as ParseNcclTests'.
absl::StatusOr<FittedAllReduces> FitAllReduces(const CommModelInputs& inputs);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMM_MODEL_FITS_H_
