#include "benchmarks/partition_search.h"

#include <algorithm>

namespace lockstep {
namespace {

using SmsOf = uint32_t LayerSms::*;

// Appends `layer` with `sms` SMs taken from one user (null: from free ones) and given to another, if that fits.
void AppendMove(LayerSms layer, SmsOf from, SmsOf to, uint32_t batch, uint32_t sms, LayerMoves& moves) {
  if (from != nullptr) {
    if (layer.*from <= sms) {
      return;
    }
    layer.*from -= sms;
  }
  layer.*to += sms;
  if (CheckLayerSms({layer}, batch).ok()) {
    moves.push_back(layer);
  }
}

}  // namespace

std::vector<LayerMoves> MovesOfLayers(const std::vector<LayerSms>& layers, uint32_t batch, uint32_t sms) {
  constexpr SmsOf kData = &LayerSms::data_gradient, kWeight = &LayerSms::weight_gradient, kUpdate = &LayerSms::update;
  std::vector<LayerMoves> all;
  for (const LayerSms& layer : layers) {
    LayerMoves& moves = all.emplace_back();
    AppendMove(layer, kWeight, kData, batch, sms, moves);
    AppendMove(layer, kData, kWeight, batch, sms, moves);
    AppendMove(layer, nullptr, kData, batch, sms, moves);
    AppendMove(layer, nullptr, kWeight, batch, sms, moves);
    if (layer.update > 0) {
      AppendMove(layer, kUpdate, kData, batch, sms, moves);
      AppendMove(layer, kUpdate, kWeight, batch, sms, moves);
      AppendMove(layer, kData, kUpdate, batch, sms, moves);
      AppendMove(layer, kWeight, kUpdate, batch, sms, moves);
    }
  }
  return all;
}

std::vector<LayerSms> ImprovePartition(const std::vector<LayerSms>& layers, uint32_t batch, uint32_t sms,
                                       double min_gain, const MeasurePartition& measure) {
  const std::vector<LayerMoves> moves = MovesOfLayers(layers, batch, sms);
  const double first = measure(layers);
  std::vector<std::vector<double>> seconds(layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    for (const LayerSms& move : moves[i]) {
      std::vector<LayerSms> moved = layers;
      moved[i] = move;
      seconds[i].push_back(measure(moved));
    }
  }
  const double present = (first + measure(layers)) / 2;
  std::vector<LayerSms> combined = layers;
  bool changed = false;
  for (size_t i = 0; i < layers.size(); ++i) {
    const auto best = std::min_element(seconds[i].begin(), seconds[i].end());
    if (best != seconds[i].end() && *best < present * (1 - min_gain)) {
      combined[i] = moves[i][best - seconds[i].begin()];
      changed = true;
    }
  }
  for (int turn = 0; turn < 2 && changed; ++turn) {
    const double before = measure(layers);
    changed = measure(combined) < before;
  }
  return changed ? combined : layers;
}

}  // namespace lockstep
