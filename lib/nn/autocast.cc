#include "lib/nn/autocast.h"

#include <ATen/autocast_mode.h>

namespace lockstep {

// Makes the same calls as __enter__ and __exit__ in torch/amp/autocast_mode.py.
Bf16Autocast::Bf16Autocast(AutocastMode mode, c10::DeviceType device_type)
    : on_(mode == AutocastMode::kBf16), device_type_(device_type) {
  if (on_) {
    was_enabled_ = at::autocast::is_autocast_enabled(device_type_);
    at::autocast::set_autocast_enabled(device_type_, true);
    at::autocast::set_autocast_dtype(device_type_, at::kBFloat16);
    at::autocast::increment_nesting();
  }
}

Bf16Autocast::~Bf16Autocast() {
  if (on_) {
    if (at::autocast::decrement_nesting() == 0) {
      at::autocast::clear_cache();
    }
    at::autocast::set_autocast_enabled(device_type_, was_enabled_);
  }
}

}  // namespace lockstep
