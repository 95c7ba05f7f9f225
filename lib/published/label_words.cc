#include "lib/published/label_words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

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
    {"throughput per gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, ""},
    {"throughput per device", proto::ITEMS_PER_SECOND_PER_DEVICE, ""},
    {"items per second per device", proto::ITEMS_PER_SECOND_PER_DEVICE, ""},
    {"efficiency", proto::EFFICIENCY_PERCENT, ""},
    {"scaling efficiency", proto::EFFICIENCY_PERCENT, ""},
    {"parallel efficiency", proto::EFFICIENCY_PERCENT, ""},
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
    {"total training time", proto::RUN_SECONDS, ""},
    {"total time", proto::RUN_SECONDS, ""},
    {"time to train", proto::RUN_SECONDS, ""},
    {"run time", proto::RUN_SECONDS, ""},
    {"runtime", proto::RUN_SECONDS, ""},
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

// Units after RenameParts, in lower case.
constexpr Synonym kUnits[] = {
    {"s", kNoQuantity, "s"},
    {"ms", kNoQuantity, "ms"},
    {"us", kNoQuantity, "us"},
    {"min", kNoQuantity, "min"},
    {"h", kNoQuantity, "h"},
    {"m:ss", kNoQuantity, "mm:ss"},
    {"mm:ss", kNoQuantity, "mm:ss"},
    {"min:s", kNoQuantity, "mm:ss"},
    {"h:mm:ss", kNoQuantity, "mm:ss"},
    {"hh:mm:ss", kNoQuantity, "mm:ss"},
    {"s/epoch", proto::EPOCH_SECONDS, "s"},
    {"ms/epoch", proto::EPOCH_SECONDS, "ms"},
    {"min/epoch", proto::EPOCH_SECONDS, "min"},
    {"s/iteration", proto::ITERATION_SECONDS, "s"},
    {"ms/iteration", proto::ITERATION_SECONDS, "ms"},
    {"s/batch", proto::ITERATION_SECONDS, "s"},
    {"ms/batch", proto::ITERATION_SECONDS, "ms"},
    {"j", kNoQuantity, "J"},
    {"kj", kNoQuantity, "kJ"},
    {"wh", kNoQuantity, "Wh"},
    {"kwh", kNoQuantity, "kWh"},
    {"w", kNoQuantity, "W"},
    {"kw", kNoQuantity, "kW"},
    {"j/epoch", proto::EPOCH_JOULES, "J"},
    {"kj/epoch", proto::EPOCH_JOULES, "kJ"},
    {"wh/epoch", proto::EPOCH_JOULES, "Wh"},
    {"kwh/epoch", proto::EPOCH_JOULES, "kWh"},
    {"j/images", proto::ITEM_JOULES, "J"},
    {"j/samples", proto::ITEM_JOULES, "J"},
    {"%", kNoQuantity, "%"},
    {"1", kNoQuantity, "1"},
    {"gb", kNoQuantity, "GB"},
    {"gib", kNoQuantity, "GiB"},
    {"mb", kNoQuantity, "MB"},
    {"gb/s", kNoQuantity, "GB/s"},
    {"gib/s", kNoQuantity, "GiB/s"},
    {"mb/s", kNoQuantity, "MB/s"},
    {"gbit/s", kNoQuantity, "Gbit/s"},
    {"mbit/s", kNoQuantity, "Mbit/s"},
    {"images/s", proto::ITEMS_PER_SECOND, "images/s"},
    {"samples/s", proto::ITEMS_PER_SECOND, "samples/s"},
    {"sequences/s", proto::ITEMS_PER_SECOND, "sequences/s"},
    {"sentences/s", proto::ITEMS_PER_SECOND, "sentences/s"},
    {"tokens/s", proto::ITEMS_PER_SECOND, "tokens/s"},
    {"images/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "images/s"},
    {"samples/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "samples/s"},
    {"sequences/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "sequences/s"},
    {"sentences/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "sentences/s"},
    {"tokens/s/gpu", proto::ITEMS_PER_SECOND_PER_DEVICE, "tokens/s"},
};

// Parts of a unit, in lower case, and the names that kUnits has for them.
struct UnitPart {
  absl::string_view printed, name;
};
constexpr UnitPart kParts[] = {
    {"sec", "s"},
    {"secs", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"msec", "ms"},
    {"millisecond", "ms"},
    {"milliseconds", "ms"},
    {"usec", "us"},
    {"microseconds", "us"},
    {"\xC2\xB5s", "us"},
    {"\xCE\xBCs", "us"},
    {"mins", "min"},
    {"minute", "min"},
    {"minutes", "min"},
    {"hr", "h"},
    {"hrs", "h"},
    {"hour", "h"},
    {"hours", "h"},
    {"joule", "j"},
    {"joules", "j"},
    {"watt", "w"},
    {"watts", "w"},
    {"percent", "%"},
    {"pct", "%"},
    {"x", "1"},
    {"times", "1"},
    {"\xC3\x97", "1"},
    {"fraction", "1"},
    {"ratio", "1"},
    {"gigabytes", "gb"},
    {"gbyte", "gb"},
    {"gbytes", "gb"},
    {"megabytes", "mb"},
    {"mbyte", "mb"},
    {"mbytes", "mb"},
    {"gigabit", "gbit"},
    {"gbits", "gbit"},
    {"img", "images"},
    {"imgs", "images"},
    {"image", "images"},
    {"sample", "samples"},
    {"token", "tokens"},
    {"tok", "tokens"},
    {"toks", "tokens"},
    {"seq", "sequences"},
    {"seqs", "sequences"},
    {"sequence", "sequences"},
    {"sentence", "sentences"},
    {"gpus", "gpu"},
    {"device", "gpu"},
    {"devices", "gpu"},
    {"it", "iteration"},
    {"iter", "iteration"},
    {"step", "iteration"},
};

constexpr absl::string_view kDeviceWords[] = {"gpu",
                                              "gpus",
                                              "device",
                                              "devices",
                                              "rank",
                                              "ranks",
                                              "process",
                                              "processes",
                                              "n",
                                              "ngpus",
                                              "number of gpus",
                                              "number of devices",
                                              "number of ranks",
                                              "num gpus",
                                              "n gpus",
                                              "world size"};

constexpr absl::string_view kBatchWords[] = {"batch",
                                             "batches",
                                             "batch size",
                                             "batch sizes",
                                             "batchsize",
                                             "bs",
                                             "b",
                                             "minibatch",
                                             "mini batch",
                                             "mini batch size",
                                             "batch per gpu",
                                             "batch per device",
                                             "batch size per gpu",
                                             "batch size per device",
                                             "per gpu batch",
                                             "per gpu batch size",
                                             "per device batch",
                                             "per device batch size",
                                             "local batch",
                                             "local batch size"};

constexpr absl::string_view kFillerWords[] = {
    "time",    "times",  "value", "values",        "result",   "results",   "duration", "mean",
    "average", "avg",    "avg.",  "median",        "measured", "training",  "train",    "per",
    "the",     "of",     "in",    "with",          "on",       "for",       "at",       "by",
    "a",       "number", "wall",  "clock",         "achieved", "effective", "epoch",    "to",
    "count",   "no.",    "num",   "configuration", "setting",  "quantity",  "metric",   "and"};

constexpr absl::string_view kBaseWords[] = {"vs", "vs.", "versus", "over", "against", "compared", "relative"};

template <size_t kSize>
bool Has(const absl::string_view (&words)[kSize], absl::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

template <size_t kSize>
QuantityMeaning Find(const Synonym (&synonyms)[kSize], absl::string_view words) {
  for (const Synonym& synonym : synonyms) {
    if (synonym.words == words) {
      return {synonym.quantity, std::string(synonym.unit)};
    }
  }
  return {};
}

// Returns a unit with the names that kUnits has for its parts.
std::string RenameParts(absl::string_view unit) {
  std::vector<std::string> parts = absl::StrSplit(unit, '/');
  for (std::string& part : parts) {
    for (const UnitPart& known : kParts) {
      if (part == known.printed) {
        part = std::string(known.name);
        break;
      }
    }
  }
  return absl::StrJoin(parts, "/");
}

}  // namespace

QuantityMeaning QuantityMeantBy(absl::string_view words) { return Find(kQuantities, words); }

QuantityMeaning UnitMeantBy(absl::string_view text) {
  constexpr size_t kMaxBytes = 40;  // longer than any unit
  text = absl::StripAsciiWhitespace(text);
  if (text.size() > kMaxBytes) {
    return {};
  }
  const std::string no_spaces = absl::StrReplaceAll(text, {{" per ", "/"}, {" ", ""}});
  if (no_spaces == "Gb/s" || no_spaces == "Gbps") {
    return {kNoQuantity, "Gbit/s"};
  }
  if (no_spaces == "Mb/s" || no_spaces == "Mbps") {
    return {kNoQuantity, "Mbit/s"};
  }
  return Find(kUnits, RenameParts(absl::StripSuffix(absl::AsciiStrToLower(no_spaces), ".")));
}

TableAxis AxisMeantBy(absl::string_view words) {
  if (Has(kDeviceWords, words)) {
    return TableAxis::kDevices;
  }
  return Has(kBatchWords, words) ? TableAxis::kBatch : TableAxis::kNone;
}

std::string RankStatisticMeantBy(absl::string_view words) {
  constexpr absl::string_view kMean[] = {"mean over ranks",   "average over ranks", "mean over gpus",
                                         "average over gpus", "mean over devices",  "mean of ranks"};
  constexpr absl::string_view kSlowest[] = {"slowest rank",   "slowest gpu",   "slowest device",    "slowest process",
                                            "max over ranks", "max over gpus", "maximum over ranks"};
  constexpr absl::string_view kFastest[] = {"fastest rank",   "fastest gpu",   "fastest device",
                                            "min over ranks", "min over gpus", "minimum over ranks"};
  if (Has(kMean, words)) {
    return "mean over ranks";
  }
  return Has(kSlowest, words) ? "slowest rank" : Has(kFastest, words) ? "fastest rank" : "";
}

bool IsFillerWord(absl::string_view word) { return Has(kFillerWords, word); }

bool IsBaseWord(absl::string_view word) { return Has(kBaseWords, word); }

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
