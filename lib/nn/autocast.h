// Mixed precision like Python's torch.autocast: matrix products and convolutions in bf16; weights, and operators that
// need range or precision, in fp32, by LibTorch's lists (ATen/autocast_mode.h).
#ifndef LOCKSTEP_LIB_NN_AUTOCAST_H_
#define LOCKSTEP_LIB_NN_AUTOCAST_H_

#include <c10/core/DeviceType.h>

namespace lockstep {

enum class AutocastMode { kOff, kBf16 };

// Enables autocast during its lifetime for `device_type`'s operators that this thread calls; does nothing with kOff.
// Must enclose forward pass and loss; the backward pass uses the same precisions. Weights are cast once per
// lifetime.
class Bf16Autocast {
 public:
  Bf16Autocast(AutocastMode mode, c10::DeviceType device_type);
  ~Bf16Autocast();
  Bf16Autocast(const Bf16Autocast&) = delete;
  Bf16Autocast& operator=(const Bf16Autocast&) = delete;

 private:
  const bool on_;
  const c10::DeviceType device_type_;
  bool was_enabled_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_NN_AUTOCAST_H_
