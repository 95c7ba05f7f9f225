#include "lib/int8_cpu/cpu_runner.h"

#include <memory>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/int8_cpu/cpu_network.h"

namespace lockstep {

MakeIntegerRunner CpuRunner(Isa isa, int threads) {
  return [isa, threads](const IntegerNetwork& network) -> absl::StatusOr<IntegerRunner> {
    ASSIGN_OR_RETURN(std::unique_ptr<CpuNetwork> made, CpuNetwork::Make(network, isa, threads));
    // std::function requires a copyable target.
    const std::shared_ptr<CpuNetwork> kept = std::move(made);
    return IntegerRunner([kept](const int8_t* images, size_t count, int32_t* logits,
                                const IntegerBatchObserver& observe) -> absl::Status {
      kept->Run(images, count, logits, observe);
      return absl::OkStatus();
    });
  };
}

}  // namespace lockstep
