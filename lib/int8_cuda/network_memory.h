// Device memory for the tensors of a network: those that are never needed together share a place (NetworkPlan).
#ifndef LOCKSTEP_LIB_INT8_CUDA_NETWORK_MEMORY_H_
#define LOCKSTEP_LIB_INT8_CUDA_NETWORK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/int8/network.h"
#include "lib/int8_cpu/network_plan.h"
#include "lib/kernels/device_buffer.h"

namespace lockstep {

// Bytes for one image, as device_layout.h has tensors.
struct PlaceSizes {
  std::vector<size_t> places;  // of the plan's
  size_t scratch = 0;  // what a layer writes before its max-pooling, which is not done in place; 0: no layer does
};
PlaceSizes MakePlaceSizes(const std::vector<LayerShape>& layers, const NetworkPlan& plan);

class NetworkMemory {
 public:
  // On the current device, for `images` images. ResourceExhausted: there is not as much.
  static absl::StatusOr<NetworkMemory> Make(const std::vector<LayerShape>& layers, const NetworkPlan& plan,
                                            uint32_t images);

  int8_t* At(uint32_t tensor) const { return static_cast<int8_t*>(places_[place_[tensor]].data()); }
  int8_t* Scratch() const { return static_cast<int8_t*>(scratch_.data()); }

 private:
  NetworkMemory() = default;

  std::vector<uint32_t> place_;  // of each tensor
  std::vector<DeviceBuffer> places_;
  DeviceBuffer scratch_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_NETWORK_MEMORY_H_
