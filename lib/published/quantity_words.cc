// Names of quantities.
#include <vector>

#include "absl/strings/str_join.h"
#include "lib/published/label_words.h"

namespace lockstep {
namespace {

struct Synonym {
  absl::string_view words;
  proto::PublishedQuantity quantity;
  absl::string_view unit;  // unit that the words state; empty: none
};

constexpr proto::PublishedQuantity kNoQuantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;

// Names of quantities. "Step time" is the time of an iteration; only the name of published.proto, step_seconds, is an
// epoch without data loading.
constexpr Synonym kQuantities[] = {
    {"epoch time", proto::EPOCH_SECONDS, ""},
    {"epoch times", proto::EPOCH_SECONDS, ""},
    {"time per epoch", proto::EPOCH_SECONDS, ""},
    {"epoch duration", proto::EPOCH_SECONDS, ""},
    {"epoch training time", proto::EPOCH_SECONDS, ""},
    {"training time per epoch", proto::EPOCH_SECONDS, ""},
    {"training time of an epoch", proto::EPOCH_SECONDS, ""},
    {"train time per epoch", proto::EPOCH_SECONDS, ""},
    {"train time of an epoch", proto::EPOCH_SECONDS, ""},
    {"t epoch", proto::EPOCH_SECONDS, ""},
    {"epoch seconds", proto::EPOCH_SECONDS, "s"},
    {"seconds per epoch", proto::EPOCH_SECONDS, "s"},
    {"step seconds", proto::STEP_SECONDS, "s"},
    {"epoch time without data loading", proto::STEP_SECONDS, ""},
    {"epoch time without loading", proto::STEP_SECONDS, ""},
    {"iteration time", proto::ITERATION_SECONDS, ""},
    {"time per iteration", proto::ITERATION_SECONDS, ""},
    {"step time", proto::ITERATION_SECONDS, ""},
    {"time per step", proto::ITERATION_SECONDS, ""},
    {"batch time", proto::ITERATION_SECONDS, ""},
    {"time per batch", proto::ITERATION_SECONDS, ""},
    {"training time per iteration", proto::ITERATION_SECONDS, ""},
    {"training time per step", proto::ITERATION_SECONDS, ""},
    {"training time per batch", proto::ITERATION_SECONDS, ""},
    {"train time per iteration", proto::ITERATION_SECONDS, ""},
    {"train time per step", proto::ITERATION_SECONDS, ""},
    {"train time per batch", proto::ITERATION_SECONDS, ""},
    {"iteration seconds", proto::ITERATION_SECONDS, "s"},
    {"seconds per iteration", proto::ITERATION_SECONDS, "s"},
    {"speedup", proto::SPEEDUP, ""},
    {"speed up", proto::SPEEDUP, ""},
    {"speedups", proto::SPEEDUP, ""},
    {"speed ups", proto::SPEEDUP, ""},
    {"speedup factor", proto::SPEEDUP, ""},
    {"speedup percent", proto::SPEEDUP_PERCENT, "%"},
    {"speed up percent", proto::SPEEDUP_PERCENT, "%"},
    {"percent faster", proto::SPEEDUP_PERCENT, "%"},
    {"% faster", proto::SPEEDUP_PERCENT, "%"},
    {"compute time", proto::COMPUTE_SECONDS, ""},
    {"computation time", proto::COMPUTE_SECONDS, ""},
    {"computing time", proto::COMPUTE_SECONDS, ""},
    {"compute", proto::COMPUTE_SECONDS, ""},
    {"computation", proto::COMPUTE_SECONDS, ""},
    {"t comp", proto::COMPUTE_SECONDS, ""},
    {"tcomp", proto::COMPUTE_SECONDS, ""},
    {"t compute", proto::COMPUTE_SECONDS, ""},
    {"compute seconds", proto::COMPUTE_SECONDS, "s"},
    {"communication time", proto::COMMUNICATION_SECONDS, ""},
    {"communication", proto::COMMUNICATION_SECONDS, ""},
    {"comm time", proto::COMMUNICATION_SECONDS, ""},
    {"comm", proto::COMMUNICATION_SECONDS, ""},
    {"t comm", proto::COMMUNICATION_SECONDS, ""},
    {"tcomm", proto::COMMUNICATION_SECONDS, ""},
    {"communication seconds", proto::COMMUNICATION_SECONDS, "s"},
    {"bandwidth", proto::BANDWIDTH_GIGABYTES_PER_SECOND, ""},
    {"bandwidth gigabytes per second", proto::BANDWIDTH_GIGABYTES_PER_SECOND, "GB/s"},
    {"utilization", proto::UTILIZATION_PERCENT, ""},
    {"utilisation", proto::UTILIZATION_PERCENT, ""},
    {"bandwidth utilization", proto::UTILIZATION_PERCENT, ""},
    {"bandwidth utilisation", proto::UTILIZATION_PERCENT, ""},
    {"link utilization", proto::UTILIZATION_PERCENT, ""},
    {"utilization percent", proto::UTILIZATION_PERCENT, "%"},
    {"loss", proto::LOSS, ""},
    {"accuracy", proto::ACCURACY_PERCENT, ""},
    {"test accuracy", proto::ACCURACY_PERCENT, ""},
    {"top 1 accuracy", proto::ACCURACY_PERCENT, ""},
    {"accuracy percent", proto::ACCURACY_PERCENT, "%"},
    {"accuracy fraction", proto::ACCURACY_FRACTION, "1"},
    {"iterations", proto::ITERATIONS, ""},
    {"iterations per epoch", proto::ITERATIONS, ""},
    {"steps per epoch", proto::ITERATIONS, ""},
    {"batches per epoch", proto::ITERATIONS, ""},
    {"traffic elements", proto::TRAFFIC_ELEMENTS, ""},
    {"elements sent", proto::TRAFFIC_ELEMENTS, ""},
    {"traffic", proto::TRAFFIC_GIGABYTES, ""},
    {"data volume", proto::TRAFFIC_GIGABYTES, ""},
    {"communication volume", proto::TRAFFIC_GIGABYTES, ""},
    {"traffic gigabytes", proto::TRAFFIC_GIGABYTES, "GB"},
    {"throughput", proto::ITEMS_PER_SECOND, ""},
    {"items per second", proto::ITEMS_PER_SECOND, ""},
    {"total throughput", proto::ITEMS_PER_SECOND, ""},
    {"aggregate throughput", proto::ITEMS_PER_SECOND, ""},
    {"global throughput", proto::ITEMS_PER_SECOND, ""},
    {"throughput per gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, ""},
    {"throughput per device", proto::ITEMS_PER_SECOND_PER_DEVICE, ""},
    {"items per second per device", proto::ITEMS_PER_SECOND_PER_DEVICE, ""},
    {"efficiency", proto::EFFICIENCY_PERCENT, ""},
    {"scaling efficiency", proto::EFFICIENCY_PERCENT, ""},
    {"parallel efficiency", proto::EFFICIENCY_PERCENT, ""},
    {"% of ideal", proto::EFFICIENCY_PERCENT, "%"},
    {"% of linear", proto::EFFICIENCY_PERCENT, "%"},
    {"percent of ideal", proto::EFFICIENCY_PERCENT, "%"},
    {"percent of linear", proto::EFFICIENCY_PERCENT, "%"},
    {"fraction of ideal", proto::EFFICIENCY_PERCENT, "1"},
    {"efficiency percent", proto::EFFICIENCY_PERCENT, "%"},
    {"communication share", proto::COMMUNICATION_PERCENT, ""},
    {"share of communication", proto::COMMUNICATION_PERCENT, ""},
    {"communication percent", proto::COMMUNICATION_PERCENT, "%"},
    {"communication fraction", proto::COMMUNICATION_FRACTION, "1"},
    {"compute over communication", proto::COMPUTE_OVER_COMMUNICATION, ""},
    {"computation over communication", proto::COMPUTE_OVER_COMMUNICATION, ""},
    {"data loading", proto::LOADING_SECONDS, ""},
    {"loading time", proto::LOADING_SECONDS, ""},
    {"loading seconds", proto::LOADING_SECONDS, "s"},
    {"forward", proto::FORWARD_SECONDS, ""},
    {"forward time", proto::FORWARD_SECONDS, ""},
    {"forward seconds", proto::FORWARD_SECONDS, "s"},
    {"backward", proto::BACKWARD_SECONDS, ""},
    {"backward time", proto::BACKWARD_SECONDS, ""},
    {"backward seconds", proto::BACKWARD_SECONDS, "s"},
    {"optimizer", proto::OPTIMIZER_SECONDS, ""},
    {"optimizer time", proto::OPTIMIZER_SECONDS, ""},
    {"optimizer seconds", proto::OPTIMIZER_SECONDS, "s"},
    {"serial fraction", proto::SERIAL_FRACTION, "1"},
    {"karp flatt", proto::SERIAL_FRACTION, ""},
    {"serial percent", proto::SERIAL_PERCENT, "%"},
    {"amdahl speedup", proto::AMDAHL_SPEEDUP, ""},
    {"amdahl speed up", proto::AMDAHL_SPEEDUP, ""},
    {"gustafson speedup", proto::GUSTAFSON_SPEEDUP, ""},
    {"gustafson speed up", proto::GUSTAFSON_SPEEDUP, ""},
    {"traffic megabytes", proto::TRAFFIC_MEGABYTES, "MB"},
    {"traffic mebibytes", proto::TRAFFIC_MEBIBYTES, "MiB"},
    {"learning rate", proto::LEARNING_RATE, ""},
    {"training time", proto::RUN_SECONDS, ""},
    {"training times", proto::RUN_SECONDS, ""},
    {"training duration", proto::RUN_SECONDS, ""},
    {"total training time", proto::RUN_SECONDS, ""},
    {"train time", proto::RUN_SECONDS, ""},
    {"train times", proto::RUN_SECONDS, ""},
    {"total train time", proto::RUN_SECONDS, ""},
    {"total time", proto::RUN_SECONDS, ""},
    {"time to train", proto::RUN_SECONDS, ""},
    {"run time", proto::RUN_SECONDS, ""},
    {"runtime", proto::RUN_SECONDS, ""},
    {"total run time", proto::RUN_SECONDS, ""},
    {"total runtime", proto::RUN_SECONDS, ""},
    {"run seconds", proto::RUN_SECONDS, "s"},
    {"epochs", proto::RUN_EPOCHS, ""},
    {"number of epochs", proto::RUN_EPOCHS, ""},
    {"run epochs", proto::RUN_EPOCHS, ""},
    {"power", proto::POWER_WATTS, ""},
    {"mean power", proto::POWER_WATTS, ""},
    {"average power", proto::POWER_WATTS, ""},
    {"power watts", proto::POWER_WATTS, "W"},
    {"energy per epoch", proto::EPOCH_JOULES, ""},
    {"epoch energy", proto::EPOCH_JOULES, ""},
    {"epoch joules", proto::EPOCH_JOULES, "J"},
    {"energy per run", proto::RUN_JOULES, ""},
    {"total energy", proto::RUN_JOULES, ""},
    {"training energy", proto::RUN_JOULES, ""},
    {"run joules", proto::RUN_JOULES, "J"},
    {"energy per image", proto::ITEM_JOULES, ""},
    {"energy per sample", proto::ITEM_JOULES, ""},
    {"item joules", proto::ITEM_JOULES, "J"},
    {"energy ratio", proto::ENERGY_RATIO, ""},
    {"relative energy", proto::ENERGY_RATIO, ""},
    {"training steps", proto::RUN_ITERATIONS, ""},
    {"total steps", proto::RUN_ITERATIONS, ""},
    {"total iterations", proto::RUN_ITERATIONS, ""},
    {"run iterations", proto::RUN_ITERATIONS, ""},
};

struct IdealQuantity {
  proto::PublishedQuantity quantity, ideal;
};
constexpr IdealQuantity kIdeals[] = {{proto::ITEMS_PER_SECOND, proto::IDEAL_ITEMS_PER_SECOND},
                                     {proto::SPEEDUP, proto::IDEAL_SPEEDUP},
                                     {proto::EPOCH_SECONDS, proto::IDEAL_EPOCH_SECONDS}};

}  // namespace

proto::PublishedQuantity IdealOf(proto::PublishedQuantity quantity) {
  for (const IdealQuantity& known : kIdeals) {
    if (known.quantity == quantity || known.ideal == quantity) {
      return known.ideal;
    }
  }
  return kNoQuantity;
}

QuantityMeaning QuantityMeantBy(absl::string_view words) {
  for (const Synonym& synonym : kQuantities) {
    if (synonym.words == words) {
      return {synonym.quantity, std::string(synonym.unit)};
    }
  }
  return {};
}

void AddQuantityNames(std::vector<absl::string_view>& names) {
  for (const Synonym& synonym : kQuantities) {
    names.push_back(synonym.words);
  }
}

std::string KnownQuantityWords() {
  std::vector<std::string> known;
  proto::PublishedQuantity last = kNoQuantity;
  for (const Synonym& synonym : kQuantities) {
    if (synonym.quantity != last) {
      known.push_back(std::string(synonym.words));
      last = synonym.quantity;
    }
  }
  return absl::StrJoin(known, ", ");
}

}  // namespace lockstep
