#include "lib/train/matmul_ceiling.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <c10/core/DeviceGuard.h>

#include <cmath>

#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/device/compute_threads.h"
#include "lib/device/device.h"
#include "lib/device/torch_status.h"
#include "lib/nn/tf32.h"
#include "lib/train/phase_clock.h"

namespace lockstep {
namespace {

constexpr uint32_t kCudaSize = 8192;
constexpr double kSizeOfOneThread = 1024;
constexpr uint32_t kSizeStep = 256;
constexpr int kWarmups = 3;    // cuBLAS and oneDNN choose their kernels in the first product
constexpr int kProducts = 20;  // bf16 on an H200: 30 ms; fp32: half a second
// Time limit on a CPU, which may be extremely slow (bf16 without instructions for it).
constexpr double kMaxCpuSeconds = 0.2;

class Products {
 public:
  Products(c10::Device device, proto::Precision precision, uint32_t size)
      : device_(device), tf32_(precision == proto::TF32), clock_(device) {
    const at::TensorOptions as_drawn = at::TensorOptions().device(device).dtype(at::kFloat);
    const at::ScalarType type = precision == proto::BF16 ? at::kBFloat16 : at::kFloat;
    a_ = at::randn({size, size}, as_drawn).to(type);
    b_ = at::randn({size, size}, as_drawn).to(type);
    c_ = at::empty({size, size}, as_drawn.dtype(type));
  }

  // Returns the seconds of each product, for up to `count` products and at least one.
  std::vector<double> Time(int count) {
    const Stopwatch spent;
    clock_.Start();
    for (int i = 0; i < count && (i == 0 || device_.is_cuda() || spent.Seconds() < kMaxCpuSeconds); ++i) {
      clock_.Enter(Phase::kForward);
      at::mm_out(c_, a_, b_);
      clock_.Enter(Phase::kDataWait);
    }
    return clock_.Finish().step;
  }

 private:
  const c10::Device device_;
  const Tf32Products tf32_;
  PhaseClock clock_;
  at::Tensor a_, b_, c_;
};

}  // namespace

uint32_t MatmulSize(c10::Device device, uint32_t threads) {
  if (device.is_cuda()) {
    return kCudaSize;
  }
  return static_cast<uint32_t>(std::ceil(kSizeOfOneThread * std::cbrt(threads) / kSizeStep)) * kSizeStep;
}

absl::StatusOr<proto::MatmulCeiling> MeasureMatmulCeiling(c10::Device device, proto::Precision precision) {
  proto::MatmulCeiling ceiling;
  ceiling.set_size(MatmulSize(device, ComputeThreads()));
  ceiling.set_precision(precision);
  RETURN_IF_ERROR(CheckNotStopped());
  RETURN_IF_ERROR(CatchTorchErrors("timing matrix products", [&]() {
    const c10::DeviceGuard guard(device);
    const at::NoGradGuard no_grad;
    Products products(device, precision, ceiling.size());
    products.Time(kWarmups);
    const std::vector<double> seconds = products.Time(kProducts);
    ceiling.mutable_product_seconds()->mutable_value()->Add(seconds.begin(), seconds.end());
    return absl::OkStatus();
  }));
  return ceiling;
}

}  // namespace lockstep
