// Layout of int8 tensors on a GPU: (images, height, width, channels), channels together (NHWC), in whole loads of 16
// bytes. Padding channels may hold anything: the weights that are multiplied with them are zero.
#ifndef LOCKSTEP_LIB_INT8_CUDA_DEVICE_LAYOUT_H_
#define LOCKSTEP_LIB_INT8_CUDA_DEVICE_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "lib/int8/network.h"

namespace lockstep {

inline constexpr uint32_t kLoadBytes = 16;

constexpr uint32_t RoundedUp(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

constexpr uint32_t PaddedChannels(uint32_t channels) { return RoundedUp(channels, kLoadBytes); }

// Returns the bytes of one image of a tensor on the device.
inline size_t PaddedBytes(const Extent& extent) {
  return size_t{extent.height} * extent.width * PaddedChannels(extent.channels);
}

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_DEVICE_LAYOUT_H_
