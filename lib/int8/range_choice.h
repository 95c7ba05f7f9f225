// Which real numbers int8 is to cover, chosen from the values that a FineHistogram counted.
#ifndef LOCKSTEP_LIB_INT8_RANGE_CHOICE_H_
#define LOCKSTEP_LIB_INT8_RANGE_CHOICE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/int8/affine_params.h"
#include "lib/int8/fine_histogram.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// What a proto::RangeMethod covers. Symmetric ranges are [-c, c], affine ones [low, high] with 0 among them and nothing
// beyond min and max (but MSE's).
//
// MIN_MAX: all values: c = max|x|; [min, max].
//
// PERCENTILE: all but a share of the values. Symmetric: c is at least the smallest number that `percentile` % of |x| do
// not exceed, and less than one fine bin more. Affine: half of the share lies beyond each end; if all values have one
// sign, the whole share beyond that end. Zeros count. A percentile that would leave 0 alone gives MIN_MAX.
//
// MSE: the least expected squared error of what int8 represents, quantized and back (LeastSquaresRange).
//
// ENTROPY: the least Kullback-Leibler divergence of the magnitudes (LeastEntropyBins), zeros left out: they are exact
// whatever the range. c is the threshold t for 128 levels. Affine: [max(min, -t), min(max, t)], with t for 256 levels if
// all values have one sign.
//
// `percentile`, in (0, 100], is for PERCENTILE alone. A tensor without a value other than 0 gets [-1, 1] or [0, 1].
// FailedPrecondition names the tensor: the histogram met a NaN or an infinity. InvalidArgument: the percentile. Internal:
// `method` is none of these.
absl::StatusOr<Range> ChooseRange(const FineHistogram& histogram, proto::RangeMethod method, double percentile,
                                  bool symmetric, absl::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_RANGE_CHOICE_H_
