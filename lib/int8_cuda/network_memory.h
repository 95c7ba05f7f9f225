// NetworkMemory: device memory for the tensors of a network. Tensors that are never needed together share a buffer, a
// place of NetworkPlan.
#ifndef LOCKSTEP_LIB_INT8_CUDA_NETWORK_MEMORY_H_
#define LOCKSTEP_LIB_INT8_CUDA_NETWORK_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/cuda/device_buffer.h"
#include "lib/int8/network.h"
#include "lib/int8/network_plan.h"

namespace lockstep {

// Bytes for one image, in the layout of device_layout.h.
struct PlaceSizes {
  std::vector<size_t> places;  // places of the plan
  size_t scratch = 0;  // largest output before max-pooling, which is not done in place; 0: no layer has max-pooling
};
PlaceSizes MakePlaceSizes(const std::vector<LayerShape>& layers, const NetworkPlan& plan);

class NetworkMemory {
 public:
  // Allocates on the current device, for `images` images. Returns ResourceExhaustedError if there is not enough memory.
  static absl::StatusOr<NetworkMemory> Make(const std::vector<LayerShape>& layers, const NetworkPlan& plan,
                                            uint32_t images);

  int8_t* At(uint32_t tensor) const { return static_cast<int8_t*>(places_[place_[tensor]].data()); }
  int8_t* Scratch() const { return static_cast<int8_t*>(scratch_.data()); }

 private:
  NetworkMemory() = default;

  std::vector<uint32_t> place_;  // place of each tensor
  std::vector<DeviceBuffer> places_;
  DeviceBuffer scratch_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_INT8_CUDA_NETWORK_MEMORY_H_
