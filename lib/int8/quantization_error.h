// The squared error that int8 costs, over the values that a FineHistogram counted.
//
// The values of a fine bin are taken as evenly spread over it, the outermost bin of a side as ending at the largest
// value. The error of such a bin is integrated in closed form, also where levels change within it. Zeros are exact in
// int8 and cost nothing.
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
  SideValues(const FineHistogram& histogram, bool positive);

  // Summed squared errors when 0, step, ... levels * step are the levels of this side, for each number of levels from 0
  // to `levels`. Each value goes to the nearest one. step > 0.
  std::vector<double> SquaredErrors(double step, int levels) const;

  double CountBeyond(double magnitude) const;

 private:
  // Sums over values of x^0, x^1, x^2.
  struct Moments {
    double count = 0;
    double sum = 0;
    double sum_of_squares = 0;
  };

  Moments Below(double magnitude) const;
  Moments Below(size_t bin, double magnitude) const;  // `magnitude` not below the bin
  // The error of the values that `upper` has more than `lower`.
  static double ErrorAround(double level, const Moments& lower, const Moments& upper);

  double width_ = 1;
  double max_ = 0;
  std::vector<double> counts_;  // of bins up to the one that holds max_
  std::vector<Moments> below_;  // of all bins before; one more than counts_
};

// What a range costs.
struct RangeQuality {
  double clipped_share = 0;  // of all values: those that clamping changes, beyond the last level by over half a step
  double snr_db = 0;         // 10 log10(power / squared error); infinite when there is no error
};

// `range` is one that MakeAffineParams takes; `name` for its error. No values: nothing is clipped.
absl::StatusOr<RangeQuality> ExpectedQuality(const FineHistogram& histogram, const Range& range, bool symmetric,
                                             absl::string_view name);

// The range with the least expected squared error. Symmetric: of c = MaxAbs() * k / 2048. Affine: of all 256 zero points
// with all steps of (max - min) / 255 * k / 2048, min and max with 0 among them. Of equal ones the largest step.
Range LeastSquaresRange(const FineHistogram& histogram, bool symmetric);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_QUANTIZATION_ERROR_H_
