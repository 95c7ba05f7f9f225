// Words with which tables name quantities, units, devices and batches: the one list of synonyms.
#ifndef LOCKSTEP_LIB_PUBLISHED_LABEL_WORDS_H_
#define LOCKSTEP_LIB_PUBLISHED_LABEL_WORDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Largest number of words of a synonym.
inline constexpr int kMaxSynonymWords = 6;

// Quantity that some words state, and the unit that a quantity's name or a unit states.
struct QuantityMeaning {
  proto::PublishedQuantity quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;
  std::string unit;  // unit as in published_unit.h, or "mm:ss"; empty: not stated
};

// Numbers that a row or a column may stand for.
enum class TableAxis { kNone, kDevices, kBatch };

// Returns the quantity named by `words`, which must be in lower case with one space between them: "time per epoch". A
// name of published.proto states its unit, too. Returns an empty meaning for other words.
QuantityMeaning QuantityMeantBy(absl::string_view words);

// Returns the unit named by a text ("sec", "img/s", "images per second"); some units state their quantity. Upper case
// counts in Gb/s and GB/s only. Returns an empty meaning for another text.
QuantityMeaning UnitMeantBy(absl::string_view text);

// Returns the axis that `words` name, in lower case: "number of gpus", "batch size". kNone: other words.
TableAxis AxisMeantBy(absl::string_view words);

// Returns "total" or "per_device" for words of kBatch that state what the batch counts: "global batch size", "batch
// size per gpu"; empty for other words.
std::string BatchKindMeantBy(absl::string_view words);

// Returns the quantity under linear scaling: ideal_items_per_second for a rate. Returns
// PUBLISHED_QUANTITY_UNSPECIFIED if published.proto has no such quantity.
proto::PublishedQuantity IdealOf(proto::PublishedQuantity quantity);

// Returns true for a word in lower case before a quantity under linear scaling: "ideal".
bool IsIdealWord(absl::string_view word);

// Returns the name of the arithmetic that `words` name, in lower case: "FP32" for "float32"; empty for other words.
std::string ArithmeticMeantBy(absl::string_view words);

// Returns true for the name, in lower case, of a column whose cells distinguish rows: "model", "precision".
bool NamesContext(absl::string_view words);

// Returns true for the name, in lower case, of a quantity that is not read: "gpu memory", "mfu".
bool IsUnusedQuantity(absl::string_view words);

// Returns "mean over ranks", "slowest rank" or "fastest rank" for words with this meaning; empty for other words.
std::string RankStatisticMeantBy(absl::string_view words);

// Returns true for a word in lower case that changes no meaning: "mean", "of", "training".
bool IsFillerWord(absl::string_view word);

// Returns true for a word before the base of a quotient: "vs" in "speed-up vs 2 GPUs".
bool IsBaseWord(absl::string_view word);

// Returns true for the name, in lower case, of the number of images or samples of an epoch: "training samples".
bool NamesEpochSize(absl::string_view words);

// Returns the single words of all names that the functions above know, each once, in lower case and sorted.
const std::vector<std::string>& KnownLabelWords();

// Add the names of one file to `names`: internal to KnownLabelWords.
void AddQuantityNames(std::vector<absl::string_view>& names);
void AddUnitNames(std::vector<absl::string_view>& names);
void AddContextNames(std::vector<absl::string_view>& names);

// Returns some known names of quantities, for an error.
std::string KnownQuantityWords();

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_LABEL_WORDS_H_
