#include "lib/networks/near_chance_text.h"

#include "absl/strings/str_format.h"
#include "lib/networks/int8_shape.h"

namespace lockstep {

std::string NearChanceText(const proto::QuantizedNetwork& network) {
  for (const proto::AccuracyStep& step : network.step()) {
    if (!step.absent_reason().empty() || step.images() == 0) {
      continue;
    }
    const double accuracy = static_cast<double>(step.correct()) / step.images();
    return !IsNearChance(accuracy)
               ? ""
               : absl::StrFormat(
                     "%.2f %% of the test images are right%s, and by chance %.0f %%: these accuracies do not "
                     "show what int8 costs. Train the network longer, or check the normalization of its images",
                     100 * accuracy, step.stage() == proto::FP32_NETWORK ? " in fp32" : "", 100.0 / kInt8Classes);
  }
  return "";
}

}  // namespace lockstep
