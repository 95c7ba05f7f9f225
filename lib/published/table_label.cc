#include "lib/published/table_label.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "lib/base/utf8.h"
#include "lib/published/label_tokens.h"

namespace lockstep {
namespace {

constexpr size_t kMaxLabelBytes = 300, kMaxLabelWords = 30;
constexpr uint32_t kMaxDevicesOfLabel = 1'000'000;  // upper end of comm_model's flags

void AddUnknown(absl::string_view text, TableLabel& label) {
  absl::StrAppend(&label.unknown, label.unknown.empty() ? "" : " ", text);
}

// Sets `field` unless it holds another value.
template <typename Value>
void SetOnce(const Value& value, absl::string_view text, Value& field, TableLabel& label) {
  if (field == Value() || field == value) {
    field = value;
  } else {
    AddUnknown(text, label);
    label.contradicts = true;
  }
}

// Returns true for the time of an epoch or an iteration.
bool IsTimeOfPart(proto::PublishedQuantity quantity) {
  return quantity == proto::EPOCH_SECONDS || quantity == proto::STEP_SECONDS || quantity == proto::ITERATION_SECONDS;
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
  }

 private:
  void TakeWord(const std::string& word) {
    says_epoch_ = says_epoch_ || word == "epoch";
    const QuantityMeaning unit = at_ == words_.size() && words_.size() > 1 ? UnitMeantBy(word) : QuantityMeaning();
    if (IsBaseWord(word)) {
      is_base_ = true;
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

  // Takes the longest phrase that names a quantity, a unit, an axis or a statistic over the ranks.
  bool TakePhrase() {
    for (size_t count = kMaxSynonymWords; count > 0; --count) {
      const std::string phrase = Phrase(at_, count);
      if (phrase.empty()) {
        continue;
      }
      if (const std::string statistic = RankStatisticMeantBy(phrase); !statistic.empty()) {
        SetOnce(statistic, phrase, label_.rank_statistic, label_);
        at_ += count;
        return true;
      }
      const QuantityMeaning quantity = QuantityMeantBy(phrase);
      const bool may_be_unit = absl::StrContains(phrase, " per ") || absl::StrContains(phrase, "/") || phrase == "%";
      const QuantityMeaning unit = may_be_unit ? UnitMeantBy(phrase) : QuantityMeaning();
      if (quantity.quantity != proto::PUBLISHED_QUANTITY_UNSPECIFIED || !unit.unit.empty()) {
        SetMeaning(unit.unit.empty() ? quantity : unit, phrase, label_);
        at_ += count;
        return true;
      }
      if (const TableAxis axis = AxisMeantBy(phrase); axis != TableAxis::kNone) {
        at_ += count;
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
    } else if (std::find(label_.axes.begin(), label_.axes.end(), axis) == label_.axes.end()) {
      label_.axes.push_back(axis);
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
  bool is_base_ = false;     // true after "vs"
  bool says_epoch_ = false;  // true after the word "epoch", if it is in no name of a quantity
};

}  // namespace

TableLabel ParseTableLabel(absl::string_view text) {
  TableLabel label;
  std::string rest = WithoutThousands(absl::StripAsciiWhitespace(FirstBytes(text, kMaxLabelBytes)));
  if (!IsNumberWord(rest)) {
    SetMeaning(UnitMeantBy(rest), rest, label);  // "images / s"
  }
  if (!label.unit.empty()) {
    return label;
  }
  for (const std::string& content : TakeBrackets(rest)) {
    if (const QuantityMeaning unit = IsNumberWord(content) ? QuantityMeaning() : UnitMeantBy(content);
        !unit.unit.empty()) {
      SetMeaning(unit, content, label);
    } else {
      absl::StrAppend(&rest, " , ", content);
    }
  }
  std::vector<std::string> words = WordsOfLabel(rest);
  words.resize(std::min(words.size(), kMaxLabelWords));
  LabelReader(std::move(words), label).Read();
  return label;
}

void AddToLabel(const TableLabel& more, TableLabel& label) {
  SetMeaning({more.quantity, more.unit}, "another quantity or unit", label);
  if (more.devices != 0) {
    SetOnce(more.devices, absl::StrCat(more.devices), label.devices, label);
  }
  if (more.batch != 0) {
    SetOnce(more.batch, absl::StrCat(more.batch), label.batch, label);
  }
  if (more.base_devices != 0) {
    SetOnce(more.base_devices, absl::StrCat(more.base_devices), label.base_devices, label);
  }
  if (more.epochs != 0) {
    SetOnce(more.epochs, absl::StrCat(more.epochs), label.epochs, label);
  }
  if (!more.rank_statistic.empty()) {
    SetOnce(more.rank_statistic, more.rank_statistic, label.rank_statistic, label);
  }
  if (more.number != 0) {
    SetOnce(more.number, absl::StrCat(more.number), label.number, label);
  }
  label.axes.insert(label.axes.end(), more.axes.begin(), more.axes.end());
  label.contradicts = label.contradicts || more.contradicts;
  if (!more.unknown.empty()) {
    AddUnknown(more.unknown, label);
  }
}

}  // namespace lockstep
