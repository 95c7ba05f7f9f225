#include "lib/published/label_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "lib/published/label_tokens.h"

namespace lockstep {
namespace {

constexpr uint32_t kMaxDevicesOfLabel = 1'000'000;  // upper end of comm_model's flags

// Returns true for the time of an epoch or an iteration.
bool IsTimeOfPart(proto::PublishedQuantity quantity) {
  return quantity == proto::EPOCH_SECONDS || quantity == proto::STEP_SECONDS || quantity == proto::ITERATION_SECONDS;
}

// Returns true for a quotient of two times or rates.
bool IsQuotient(proto::PublishedQuantity quantity) {
  return quantity == proto::SPEEDUP || quantity == proto::SPEEDUP_PERCENT || quantity == proto::EFFICIENCY_PERCENT;
}

// Reads words from left to right.
class LabelReader {
 public:
  LabelReader(std::vector<std::string> words, TableLabel& label) : words_(std::move(words)), label_(label) {}

  void Read() {
    while (at_ < words_.size()) {
      if (IsMark(words_[at_])) {
        ++at_;
      } else if (!TakePhrase() && !TakeNumber()) {
        TakeWord(words_[at_++]);
      }
    }
    if (label_.quantity == proto::RUN_SECONDS && says_epoch_) {
      label_.quantity = proto::EPOCH_SECONDS;  // "run time per epoch"
    }
    if (label_.quantity == proto::ITEMS_PER_SECOND && says_per_device_) {
      label_.quantity = proto::ITEMS_PER_SECOND_PER_DEVICE;  // "per-GPU throughput"
    } else if (says_per_device_ && label_.quantity != proto::ITEMS_PER_SECOND_PER_DEVICE) {
      AddAxis(TableAxis::kDevices);
    }
    if (label_.is_unused && label_.quantity != proto::PUBLISHED_QUANTITY_UNSPECIFIED) {
      AddUnknown("a quantity that is not read next to another", label_);
    }
    label_.is_unused = label_.is_unused && label_.unknown.empty();
  }

 private:
  void TakeWord(const std::string& word) {
    says_epoch_ = says_epoch_ || word == "epoch";
    const QuantityMeaning unit = at_ == words_.size() && words_.size() > 1 ? UnitMeantBy(word) : QuantityMeaning();
    if (IsBaseWord(word)) {
      is_base_ = true;
    } else if (IsIdealWord(word) && !is_base_) {
      label_.is_ideal = true;
    } else if (!unit.unit.empty()) {
      SetMeaning(unit, word, label_);
    } else if (!IsFillerWord(word)) {
      AddUnknown(word, label_);
    }
  }

  // Returns `count` words from `at`; empty if there are fewer, or a mark among them.
  std::string Phrase(size_t at, size_t count) const {
    if (at + count > words_.size() || std::any_of(words_.begin() + at, words_.begin() + at + count, IsMark)) {
      return "";
    }
    return absl::StrJoin(absl::MakeConstSpan(words_).subspan(at, count), " ");
  }

  // Returns the number of words at `at` that name an axis.
  size_t AxisWords(size_t at, TableAxis& axis) const {
    for (size_t count = kMaxSynonymWords; count > 0; --count) {
      axis = AxisMeantBy(Phrase(at, count));
      if (axis != TableAxis::kNone) {
        return count;
      }
    }
    return 0;
  }

  void AddAxis(TableAxis axis) {
    if (std::find(label_.axes.begin(), label_.axes.end(), axis) == label_.axes.end()) {
      label_.axes.push_back(axis);
    }
  }

  // Takes an arithmetic. A second one is that which a quotient compares with the first: "FP32 to mixed precision".
  void AddArithmetic(const std::string& name) {
    if (label_.context.empty() || label_.context == name) {
      label_.context = name;
    } else if (absl::StrContains(label_.context, " to ")) {
      AddUnknown(name, label_);
    } else {
      label_.context =
          is_base_ ? absl::StrCat(name, " to ", label_.context) : absl::StrCat(label_.context, " to ", name);
    }
    is_base_ = false;
  }

  // Takes words that state neither a quantity nor a place. Returns false for other words.
  bool TakeDistinction(const std::string& phrase) {
    if (const std::string statistic = RankStatisticMeantBy(phrase); !statistic.empty()) {
      SetOnce(statistic, phrase, label_.rank_statistic, label_);
    } else if (const std::string arithmetic = ArithmeticMeantBy(phrase); !arithmetic.empty()) {
      AddArithmetic(arithmetic);
    } else if (phrase == "per gpu" || phrase == "per device") {
      says_per_device_ = true;
    } else if (IsUnusedQuantity(phrase)) {
      label_.is_unused = true;
    } else if (at_ == 0 && NamesContext(phrase) && phrase == absl::StrJoin(words_, " ")) {
      label_.names_context = true;
    } else {
      return false;
    }
    return true;
  }

  // Returns true for the time of a run after a quotient: "speed-up in training time", "efficiency (training time)".
  bool NamesWhatAQuotientCompares(proto::PublishedQuantity quantity) const {
    constexpr absl::string_view kLinks[] = {"of", "in", "for", ","};
    return quantity == proto::RUN_SECONDS && IsQuotient(label_.quantity) && at_ > 0 &&
           std::find(std::begin(kLinks), std::end(kLinks), words_[at_ - 1]) != std::end(kLinks);
  }

  // Takes the longest phrase that names a quantity, a unit, an axis or a statistic over the ranks.
  bool TakePhrase() {
    for (size_t count = kMaxSynonymWords; count > 0; --count) {
      const std::string phrase = Phrase(at_, count);
      if (phrase.empty()) {
        continue;
      }
      if (TakeDistinction(phrase)) {
        at_ += count;
        return true;
      }
      const QuantityMeaning quantity = QuantityMeantBy(phrase);
      const bool may_be_unit = absl::StrContains(phrase, " per ") || absl::StrContains(phrase, "/") || phrase == "%";
      const QuantityMeaning unit = may_be_unit ? UnitMeantBy(phrase) : QuantityMeaning();
      if (quantity.quantity != proto::PUBLISHED_QUANTITY_UNSPECIFIED || !unit.unit.empty()) {
        if (NamesWhatAQuotientCompares(quantity.quantity)) {
          at_ += count;
          return true;
        }
        if (IsQuotient(quantity.quantity) && quantity_end_ == at_ && !IsQuotient(label_.quantity)) {
          label_.quantity = proto::PUBLISHED_QUANTITY_UNSPECIFIED;  // "throughput speed-up"
        }
        SetMeaning(unit.unit.empty() ? quantity : unit, phrase, label_);
        at_ += count;
        quantity_end_ = at_;
        return true;
      }
      if (const TableAxis axis = AxisMeantBy(phrase); axis != TableAxis::kNone) {
        at_ += count;
        if (const std::string kind = BatchKindMeantBy(phrase); !kind.empty()) {
          SetOnce(kind, phrase, label_.batch_kind, label_);
        }
        TakeNumberOfAxis(axis);
        return true;
      }
    }
    return false;
  }

  // Takes the number after an axis: "batch 128", "N = 4".
  void TakeNumberOfAxis(TableAxis axis) {
    const size_t number = at_ + (at_ < words_.size() && (words_[at_] == "=" || words_[at_] == ":") ? 1 : 0);
    if (number < words_.size() && IsNumberWord(words_[number])) {
      at_ = number + 1;
      Assign(axis, words_[number]);
    } else {
      AddAxis(axis);
    }
  }

  // Takes a number, and the word after it: "4 GPUs", "90 epochs". "4 batch 128" is a number and a batch.
  bool TakeNumber() {
    if (!IsNumberWord(words_[at_])) {
      return false;
    }
    const std::string& digits = words_[at_++];
    if (uint64_t epochs = 0; at_ < words_.size() && words_[at_] == "epochs" && absl::SimpleAtoi(digits, &epochs)) {
      ++at_;
      SetOnce(epochs, digits, label_.epochs, label_);
      return true;
    }
    TableAxis axis = TableAxis::kNone;
    const size_t count = AxisWords(at_, axis);
    const size_t after = at_ + count;
    if (count > 0 && !(after < words_.size() && (words_[after] == "=" || IsNumberWord(words_[after])))) {
      at_ = after;
      Assign(axis, digits);
      return true;
    }
    uint64_t number = 0;
    if (label_.number == 0 && absl::SimpleAtoi(digits, &number) && number > 0) {
      label_.number = number;
    } else {
      AddUnknown(digits, label_);
    }
    return true;
  }

  void Assign(TableAxis axis, const std::string& digits) {
    uint64_t number = 0;
    if (!absl::SimpleAtoi(digits, &number) || number == 0 ||
        (axis == TableAxis::kDevices && number > kMaxDevicesOfLabel)) {
      AddUnknown(digits, label_);
    } else if (axis == TableAxis::kBatch) {
      SetOnce(number, digits, label_.batch, label_);
    } else {
      SetOnce(static_cast<uint32_t>(number), digits, is_base_ ? label_.base_devices : label_.devices, label_);
    }
    is_base_ = false;
  }

  const std::vector<std::string> words_;
  TableLabel& label_;
  size_t at_ = 0;
  size_t quantity_end_ = 0;  // position after the last name of a quantity; 0: none
  bool is_base_ = false;     // true after "vs"
  bool says_epoch_ = false;  // true after the word "epoch", if it is in no name of a quantity
  bool says_per_device_ = false;
};

}  // namespace

void AddUnknown(absl::string_view text, TableLabel& label) {
  absl::StrAppend(&label.unknown, label.unknown.empty() ? "" : " ", text);
}

void SetMeaning(const QuantityMeaning& meaning, absl::string_view text, TableLabel& label) {
  if (meaning.quantity != proto::PUBLISHED_QUANTITY_UNSPECIFIED) {
    // "Throughput per GPU (images/s)": the words are more exact than the unit.
    const bool is_rate_of_each =
        label.quantity == proto::ITEMS_PER_SECOND_PER_DEVICE && meaning.quantity == proto::ITEMS_PER_SECOND;
    const bool was_rate =
        label.quantity == proto::ITEMS_PER_SECOND && meaning.quantity == proto::ITEMS_PER_SECOND_PER_DEVICE;
    if (was_rate || (label.quantity == proto::RUN_SECONDS && IsTimeOfPart(meaning.quantity))) {
      label.quantity = meaning.quantity;
    } else if (!is_rate_of_each && !(meaning.quantity == proto::RUN_SECONDS && IsTimeOfPart(label.quantity))) {
      SetOnce(meaning.quantity, text, label.quantity, label);
    }
  }
  if (!meaning.unit.empty()) {
    SetOnce(meaning.unit, text, label.unit, label);
  }
}

void ReadLabelWords(std::vector<std::string> words, TableLabel& label) { LabelReader(std::move(words), label).Read(); }

}  // namespace lockstep
