#include "lib/int8_cuda/cuda_runner.h"

#include <memory>
#include <utility>
#include <vector>

#include "lib/base/status_macros.h"
#include "lib/int8_cuda/cuda_network.h"
#include "lib/int8_cuda/gpu_isa.h"

namespace lockstep {
namespace {

constexpr uint32_t kImagesAtOnce = 512;  // some 100 MB for ResNet-18

absl::StatusOr<IntegerRunner> MakeRunnerOf(const IntegerNetwork& network, GpuIsa isa) {
  ASSIGN_OR_RETURN(std::unique_ptr<CudaNetwork> made, CudaNetwork::Make(network, isa, kImagesAtOnce));
  // std::function requires a copyable target.
  const std::shared_ptr<CudaNetwork> kept = std::move(made);
  return IntegerRunner(
      [kept](const int8_t* images, size_t count, int32_t* logits, const IntegerBatchObserver& observe) -> absl::Status {
        return kept->Run(images, count, logits, observe);
      });
}

}  // namespace

bool IsGpuIsaName(absl::string_view name) { return ParseGpuIsa(name).ok(); }

absl::StatusOr<CudaRunner> MakeCudaRunner(absl::string_view isa) {
  GpuIsa chosen = GpuIsa::kDp4a;
  if (isa == "auto") {
    ASSIGN_OR_RETURN(chosen, BestGpuIsa());
  } else {
    ASSIGN_OR_RETURN(chosen, ParseGpuIsa(isa));
    RETURN_IF_ERROR(CheckGpuIsa(chosen));
  }
  return CudaRunner{[chosen](const IntegerNetwork& network) { return MakeRunnerOf(network, chosen); },
                    std::string(GpuIsaName(chosen))};
}

}  // namespace lockstep
