// Choice of the range of real numbers that int8 represents, from the values that a FineHistogram counted.
#ifndef LOCKSTEP_LIB_INT8_RANGE_CHOICE_H_
#define LOCKSTEP_LIB_INT8_RANGE_CHOICE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/int8/affine_params.h"
#include "lib/int8/fine_histogram.h"
#include "lib/proto/quantized.pb.h"

namespace lockstep {

// Returns the range that a proto::RangeMethod covers. Symmetric ranges are [-c, c]; affine ranges [low, high] contain 0
// and, except for MSE, nothing beyond min and max.
//
// MIN_MAX: all values: c = max|x|; [min, max].
//
// PERCENTILE: all but a share of the values. Symmetric: c is at least the smallest number that `percentile` % of |x| do
// not exceed, and larger by less than one fine bin. Affine: half of the share lies beyond each end; if all values have
// one sign, the whole share lies beyond that end. Zeros count. If only 0 would remain, the range is that of MIN_MAX.
//
// MSE: the least expected squared error between the real values and their int8 values converted back
// (LeastSquaresRange).
//
// ENTROPY: the smallest KL divergence of the magnitudes (MinDivergenceBins). Zeros are left out, because they
// are exact in any range. c is the threshold t for 128 levels. Affine: [max(min, -t), min(max, t)], with t for 256
// levels if all values have one sign.
//
// `percentile`, in (0, 100], applies to PERCENTILE only. A tensor whose values are all 0 gets [-1, 1] or [0, 1].
//
// Returns FailedPreconditionError with the tensor's name if the histogram counted a NaN or an infinity,
// InvalidArgumentError if the percentile is out of range, and InternalError if `method` is none of the above.
absl::StatusOr<Range> ChooseRange(const FineHistogram& histogram, proto::RangeMethod method, double percentile,
                                  QuantizationScheme scheme, absl::string_view name);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_RANGE_CHOICE_H_
