// Words for devices and batches, words without a meaning, and words before the base of a quotient.
#include "lib/published/label_words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"

namespace lockstep {
namespace {

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
                                             "local batch size",
                                             "per device train batch size",
                                             "global batch",
                                             "global batch size",
                                             "globalbatchsize",
                                             "total batch",
                                             "total batch size",
                                             "effective batch",
                                             "effective batch size"};

constexpr absl::string_view kFillerWords[] = {
    "time",    "times",  "value", "values",        "result",   "results",   "duration", "mean",
    "average", "avg",    "avg.",  "median",        "measured", "training",  "train",    "per",
    "the",     "of",     "in",    "with",          "on",       "for",       "at",       "by",
    "a",       "number", "wall",  "clock",         "achieved", "effective", "epoch",    "to",
    "count",   "no.",    "num",   "configuration", "setting",  "quantity",  "metric",   "and",
    "actual",  "final",  "real",  "observed",      "complete", "reported",  "overall"};

constexpr absl::string_view kBaseWords[] = {"vs", "vs.", "versus", "over", "against", "compared", "relative"};

template <size_t kSize>
bool Has(const absl::string_view (&words)[kSize], absl::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

TableAxis AxisMeantBy(absl::string_view words) {
  if (Has(kDeviceWords, words)) {
    return TableAxis::kDevices;
  }
  return Has(kBatchWords, words) ? TableAxis::kBatch : TableAxis::kNone;
}

std::string BatchKindMeantBy(absl::string_view words) {
  if (AxisMeantBy(words) != TableAxis::kBatch) {
    return "";
  }
  const auto has = [&](absl::string_view part) { return absl::StrContains(words, part); };
  if (has("global") || has("total") || has("effective")) {
    return "total";
  }
  return has("local") || has("per gpu") || has("per device") ? "per_device" : "";
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

const std::vector<std::string>& KnownLabelWords() {
  static const auto* const kWords = [] {
    std::vector<absl::string_view> names = {"ideal", "linear", "perfect", "epochs"};
    for (const absl::Span<const absl::string_view> list :
         {absl::MakeConstSpan(kDeviceWords), absl::MakeConstSpan(kBatchWords), absl::MakeConstSpan(kFillerWords),
          absl::MakeConstSpan(kBaseWords)}) {
      std::copy(list.begin(), list.end(), std::back_inserter(names));
    }
    AddQuantityNames(names);
    AddUnitNames(names);
    AddContextNames(names);
    std::set<std::string> words;
    for (const absl::string_view name : names) {
      for (const absl::string_view word : absl::StrSplit(name, absl::ByAnyChar(" /"), absl::SkipEmpty())) {
        words.emplace(word);
      }
    }
    return new std::vector<std::string>(words.begin(), words.end());
  }();
  return *kWords;
}

bool IsFillerWord(absl::string_view word) { return Has(kFillerWords, word); }

bool IsBaseWord(absl::string_view word) { return Has(kBaseWords, word); }

}  // namespace lockstep
