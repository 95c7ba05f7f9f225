// StartValues: the values at which the sums of a class of pixels start:
//
//   bias - zero * sum of the weights at real taps
//
// because values are kept with 128 added. Intermediate int32 sums may wrap around; the final sums are exact.
#ifndef LOCKSTEP_LIB_INT8_CPU_START_VALUES_H_
#define LOCKSTEP_LIB_INT8_CPU_START_VALUES_H_

#include <cstdint>
#include <vector>

#include "lib/int8/integer_reference.h"
#include "lib/int8_cpu/window_class.h"

namespace lockstep {

class StartValues {
 public:
  // `zero`: the zero point as the kernels multiply it. `layer` must outlive this object.
  StartValues(const IntegerLayer& layer, int32_t zero);

  // Returns one value per output, followed by zeros up to a multiple of `lanes`.
  std::vector<int32_t> Of(const WindowClass& window, uint32_t lanes) const;

 private:
  const IntegerLayer& layer_;
  const uint32_t zero_;
  std::vector<uint32_t> tap_sums_;  // sum of each output's weights at each tap
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CPU_START_VALUES_H_
