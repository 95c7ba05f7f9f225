#include "lib/int8/network_plan.h"

#include <algorithm>

namespace lockstep {
namespace {

std::vector<uint32_t> Readers(const std::vector<LayerShape>& layers) {
  std::vector<uint32_t> readers(layers.size() + 1, 0);
  for (const LayerShape& shape : layers) {
    for (const uint32_t input : shape.inputs) {
      ++readers[input];
    }
  }
  return readers;
}

// Returns the layer that can include addition `add`, if there is one. The later operand's layer is taken, so that the
// other operand is available by then.
std::optional<size_t> LayerThatAdds(const std::vector<LayerShape>& layers, size_t add,
                                    const std::vector<uint32_t>& readers) {
  const LayerShape& shape = layers[add];
  const uint32_t later = std::max(shape.inputs[0], shape.inputs[1]);
  if (shape.pool != 0 || later == 0 || readers[later] != 1) {  // an addition of a tensor to itself reads it twice
    return std::nullopt;
  }
  const LayerShape& candidate = layers[later - 1];
  return candidate.HasWeights() && candidate.pool == 0 ? std::optional<size_t>(later - 1) : std::nullopt;
}

std::vector<PlanStep> MakeSteps(const std::vector<LayerShape>& layers, Additions additions) {
  const std::vector<uint32_t> readers = Readers(layers);
  std::vector<std::optional<size_t>> add_of(layers.size());
  std::vector<bool> is_fused(layers.size(), false);
  for (size_t i = 0; additions == Additions::kFused && i < layers.size(); ++i) {
    if (layers[i].kind != LayerKind::kAdd) {
      continue;
    }
    if (const std::optional<size_t> layer = LayerThatAdds(layers, i, readers); layer.has_value()) {
      add_of[*layer] = i;
      is_fused[i] = true;
    }
  }
  std::vector<PlanStep> steps;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!is_fused[i]) {
      steps.push_back({i, add_of[i], static_cast<uint32_t>(add_of[i].value_or(i) + 1)});
    }
  }
  return steps;
}

std::vector<uint32_t> InputsOf(const PlanStep& step, const std::vector<LayerShape>& layers) {
  std::vector<uint32_t> inputs = layers[step.layer].inputs;
  if (step.add.has_value()) {
    const std::vector<uint32_t>& added = layers[*step.add].inputs;
    std::copy_if(added.begin(), added.end(), std::back_inserter(inputs),
                 [&](uint32_t tensor) { return tensor != step.layer + 1; });
  }
  return inputs;
}

// Returns the number of values that a step must hold for `tensor`: those before its max-pooling, which is done in
// place.
size_t ValuesOf(const std::vector<LayerShape>& layers, uint32_t tensor) {
  return tensor == 0 ? layers[0].In().Size() : layers[tensor - 1].Out().Size();
}

// Gives each tensor the first place that is free when the tensor is written. A place is free after the last step that
// reads it.
void ChoosePlaces(const std::vector<LayerShape>& layers, NetworkPlan& plan) {
  std::vector<size_t> last_use(layers.size() + 1, 0);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    last_use[plan.steps[s].output] = s;
    for (const uint32_t input : InputsOf(plan.steps[s], layers)) {
      last_use[input] = s;
    }
  }
  plan.place.assign(layers.size() + 1, 0);
  std::vector<size_t> free_after;  // last step that uses each place
  const auto put = [&](uint32_t tensor, size_t step) {
    size_t place = 0;
    while (place < free_after.size() && free_after[place] >= step) {
      ++place;
    }
    if (place == free_after.size()) {
      free_after.push_back(0);
      plan.place_values.push_back(0);
    }
    free_after[place] = std::max(last_use[tensor], step);
    plan.place_values[place] = std::max(plan.place_values[place], ValuesOf(layers, tensor));
    plan.place[tensor] = static_cast<uint32_t>(place);
  };
  put(0, 0);
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    put(plan.steps[s].output, s);
  }
}

}  // namespace

NetworkPlan MakeNetworkPlan(const std::vector<LayerShape>& layers, Additions additions) {
  NetworkPlan plan;
  plan.steps = MakeSteps(layers, additions);
  ChoosePlaces(layers, plan);
  return plan;
}

}  // namespace lockstep
