#include "lib/fused/sm_partition.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr uint32_t kMeasuredOn = 132;  // SMs of an H200

// SMs of a shortcut's weight gradient, which is little work and needed late.
constexpr uint32_t kShortcutSms = 16;

// Returns the partition of an H200's SMs. The update has what layer 3 and layer 2 leave. With more, SGD would take SMs
// from a data gradient, whose blocks wait for each other and must all be resident at once.
SmPartition LayerPartition(uint32_t channels, uint32_t batch) {
  const bool small = batch <= kMaxBatchWithConcurrentUpdate;
  switch (channels) {
    case 64:
      return small ? SmPartition{.partitioned = true, .data_gradient = 92, .weight_gradient = 40, .update = 0}
                   : SmPartition{.partitioned = true, .data_gradient = 94, .weight_gradient = 38, .update = 0};
    case 128:
      return small ? SmPartition{.partitioned = true, .data_gradient = 66, .weight_gradient = 32, .update = 34}
                   : SmPartition{.partitioned = true, .data_gradient = 86, .weight_gradient = 46, .update = 22};
    case 256:
      return small ? SmPartition{.partitioned = true, .data_gradient = 66, .weight_gradient = 36, .update = 30}
                   : SmPartition{.partitioned = true, .data_gradient = 66, .weight_gradient = 48, .update = 18};
    default:
      return small ? SmPartition{.partitioned = true, .data_gradient = 76, .weight_gradient = 56, .update = 0}
                   : SmPartition{.partitioned = true, .data_gradient = 64, .weight_gradient = 68, .update = 0};
  }
}

constexpr std::array<uint32_t, 4> kLayerChannels = {64, 128, 256, 512};
constexpr uint32_t kBlockChannels = 64;  // channels of a block of our convolutions

absl::Status CheckOneLayer(const LayerSms& layer, uint32_t batch) {
  if (std::find(kLayerChannels.begin(), kLayerChannels.end(), layer.channels) == kLayerChannels.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("SM partition: expected a layer of 64, 128, 256 or 512 channels, found ", layer.channels));
  }
  const uint32_t min_sms = layer.channels / kBlockChannels;
  const uint32_t found_update = LayerPartition(layer.channels, batch).update;
  if (layer.update > kMeasuredOn || (layer.update > 0 && found_update == 0)) {
    return absl::InvalidArgumentError(absl::StrCat("SM partition: SGD does not run during the layer of ",
                                                   layer.channels, " channels, or needs at most ", kMeasuredOn,
                                                   " SMs, found ", layer.update));
  }
  const uint32_t update = batch > kMaxBatchWithConcurrentUpdate ? 0 : (layer.update > 0 ? layer.update : found_update);
  if (layer.data_gradient < min_sms || layer.data_gradient > kMeasuredOn || layer.weight_gradient < min_sms ||
      layer.weight_gradient > kMeasuredOn || layer.data_gradient + layer.weight_gradient + update > kMeasuredOn) {
    return absl::InvalidArgumentError(
        absl::StrCat("SM partition: expected at least ", min_sms, " SMs for each chain of the layer of ",
                     layer.channels, " channels, and at most ", kMeasuredOn - update, " for both at batch ", batch,
                     ", found ", layer.data_gradient, " and ", layer.weight_gradient));
  }
  return absl::OkStatus();
}

absl::StatusOr<LayerSms> ParseOneLayer(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> layer = absl::StrSplit(text, absl::MaxSplits('=', 1));
  const std::vector<absl::string_view> sms = absl::StrSplit(layer.second, ',');
  LayerSms parsed;
  const bool known_form = sms.size() == 2 || sms.size() == 3;
  if (!known_form || !absl::SimpleAtoi(layer.first, &parsed.channels) ||
      !absl::SimpleAtoi(sms[0], &parsed.data_gradient) || !absl::SimpleAtoi(sms[1], &parsed.weight_gradient) ||
      (sms.size() == 3 && !absl::SimpleAtoi(sms[2], &parsed.update))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "SM partition: expected CHANNELS=SMS,SMS or CHANNELS=SMS,SMS,SMS like 128=86,46,22, found ", text));
  }
  return parsed;
}

}  // namespace

absl::StatusOr<std::vector<LayerSms>> ParseLayerSms(absl::string_view text) {
  std::vector<LayerSms> layers;
  for (const absl::string_view layer : absl::StrSplit(text, ';')) {
    ASSIGN_OR_RETURN(const LayerSms parsed, ParseOneLayer(layer));
    layers.push_back(parsed);
  }
  return layers;
}

std::string LayerSmsText(const std::vector<LayerSms>& layers) {
  return absl::StrJoin(layers, ";", [](std::string* text, const LayerSms& layer) {
    absl::StrAppend(text, layer.channels, "=", layer.data_gradient, ",", layer.weight_gradient);
    if (layer.update > 0) {
      absl::StrAppend(text, ",", layer.update);
    }
  });
}

absl::Status CheckLayerSms(const std::vector<LayerSms>& layers, uint32_t batch) {
  for (size_t i = 0; i < layers.size(); ++i) {
    RETURN_IF_ERROR(CheckOneLayer(layers[i], batch));
    for (size_t other = 0; other < i; ++other) {
      if (layers[other].channels == layers[i].channels) {
        return absl::InvalidArgumentError(
            absl::StrCat("SM partition: expected each layer once, found two of ", layers[i].channels, " channels"));
      }
    }
  }
  return absl::OkStatus();
}

std::vector<LayerSms> FoundLayerSms(uint32_t batch) {
  std::vector<LayerSms> layers;
  for (const uint32_t channels : kLayerChannels) {
    const SmPartition found = LayerPartition(channels, batch);
    layers.push_back({channels, found.data_gradient, found.weight_gradient, found.update});
  }
  return layers;
}

SmPartition PartitionSms(const ConvolutionUnit& unit, uint32_t batch, uint32_t all,
                         const std::vector<LayerSms>& layers) {
  SmPartition partition = LayerPartition(unit.out_channels, batch);
  for (const LayerSms& layer : layers) {
    if (layer.channels == unit.out_channels) {
      partition.data_gradient = layer.data_gradient;
      partition.weight_gradient = layer.weight_gradient;
      partition.update = layer.update > 0 ? layer.update : partition.update;
    }
  }
  partition.shortcut = kShortcutSms;
  for (uint32_t* const sms :
       {&partition.data_gradient, &partition.weight_gradient, &partition.update, &partition.shortcut}) {
    *sms = all * *sms / kMeasuredOn;
  }
  return partition;
}

}  // namespace lockstep
