// Squared quantization error of int8 over the values that a FineHistogram counted.
//
// The values of a fine bin are taken as evenly spread over it; the outermost bin of a side ends at the largest value.
// The error of a bin is integrated in closed form, even if levels change within the bin. Zeros are exact in int8 and
// add no error.
#ifndef LOCKSTEP_LIB_INT8_QUANTIZATION_ERROR_H_
#define LOCKSTEP_LIB_INT8_QUANTIZATION_ERROR_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/int8/affine_params.h"
#include "lib/int8/fine_histogram.h"

namespace lockstep {

// The values on one side of 0, as magnitudes.
class SideValues {
 public:
  enum class Side { kNegative, kPositive };

  SideValues(const FineHistogram& histogram, Side side);

  // Returns the summed squared errors for each number of levels from 0 to `levels`, where the levels of this side are
  // 0, step, ... levels * step. Each value is rounded to the nearest level. `step` must be above 0.
  std::vector<double> SquaredErrors(double step, int levels) const;

  double CountBeyond(double magnitude) const;

 private:
  // Sums of x^0, x^1 and x^2 over values.
  struct Moments {
    double count = 0;
    double sum = 0;
    double sum_of_squares = 0;
  };

  Moments Below(double magnitude) const;
  Moments Below(size_t bin, double magnitude) const;  // `magnitude` must not be below the bin
  // Returns the squared error, around `level`, of the values that are in `upper` but not in `lower`.
  static double ErrorAround(double level, const Moments& lower, const Moments& upper);

  double width_ = 1;
  double max_ = 0;
  std::vector<double> counts_;  // counts of bins up to the bin that holds max_
  std::vector<Moments> below_;  // moments of all bins before each bin; one entry more than counts_
};

// Clipping and noise of a range.
struct RangeQuality {
  double clipped_share = 0;  // share of all values that clamping changes: more than half a step beyond the last level
  double snr_db = 0;         // 10 log10(power / squared error); infinite if there is no error
};

// Returns the expected quality of `range`. Errors as MakeAffineParams, which reports `name`. Without values, nothing is
// clipped.
absl::StatusOr<RangeQuality> ExpectedQuality(const FineHistogram& histogram, const Range& range,
                                             QuantizationScheme scheme, absl::string_view name);

// Returns the range with the least expected squared error; of equal ranges that with the largest step. Candidates:
// - Symmetric: c = MaxAbs() * k / 2048.
// - Affine: all 256 zero points with all steps of (max - min) / 255 * k / 2048, where [min, max] includes 0.
Range LeastSquaresRange(const FineHistogram& histogram, QuantizationScheme scheme);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANTIZATION_ERROR_H_
