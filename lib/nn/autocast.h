// Mixed precision as Python's torch.autocast has it: matrix products and convolutions in bf16, weights and what needs
// range or precision in fp32, as LibTorch's lists say (ATen/autocast_mode.h).
#ifndef LOCKSTEP_LIB_NN_AUTOCAST_H_
#define LOCKSTEP_LIB_NN_AUTOCAST_H_

#include <c10/core/DeviceType.h>

namespace lockstep {

// While it lives, `device_type`'s operators that this thread calls choose their precision so; not with `on` false.
// Around the forward pass and the loss; the backward pass follows what they did. Weights are cast once for all of its
// life.
class Bf16Autocast {
 public:
  Bf16Autocast(bool on, c10::DeviceType device_type);
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
