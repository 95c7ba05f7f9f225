#include "lib/int8_cuda/network_memory.h"

#include <algorithm>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/int8_cuda/device_layout.h"

namespace lockstep {

PlaceSizes MakePlaceSizes(const std::vector<LayerShape>& layers, const NetworkPlan& plan) {
  PlaceSizes sizes;
  sizes.places.assign(plan.place_values.size(), 0);
  const auto put = [&](uint32_t tensor) {
    size_t& place = sizes.places[plan.place[tensor]];
    place = std::max(place, PaddedBytes(TensorExtent(layers, tensor)));
  };
  put(0);
  for (const PlanStep& step : plan.steps) {
    put(step.output);
    const LayerShape& shape = layers[step.layer];
    sizes.scratch = std::max(sizes.scratch, shape.pool == 0 ? 0 : PaddedBytes(shape.Out()));
  }
  return sizes;
}

absl::StatusOr<NetworkMemory> NetworkMemory::Make(const std::vector<LayerShape>& layers, const NetworkPlan& plan,
                                                  uint32_t images) {
  const PlaceSizes sizes = MakePlaceSizes(layers, plan);
  NetworkMemory memory;
  memory.place_ = plan.place;
  for (const size_t bytes : sizes.places) {
    ASSIGN_OR_RETURN(DeviceBuffer place, DeviceBuffer::Make(bytes * images));
    memory.places_.push_back(std::move(place));
  }
  ASSIGN_OR_RETURN(memory.scratch_, DeviceBuffer::Make(sizes.scratch * images));
  return memory;
}

}  // namespace lockstep
