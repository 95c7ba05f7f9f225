#include "lib/published/table_label.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/utf8.h"
#include "lib/published/label_reader.h"
#include "lib/published/label_tokens.h"

namespace lockstep {
namespace {

constexpr size_t kMaxLabelBytes = 300, kMaxLabelWords = 30;

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
  const std::vector<std::string> contents = TakeBrackets(rest);
  const std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(rest));
  if (NamesContext(lower)) {
    label.names_context = true;  // "SeqLen (T)"
    return label;
  }
  if (contents.empty() && NamesEpochSize(lower)) {
    label.is_epoch_size = true;
    return label;
  }
  for (const std::string& content : contents) {
    if (const QuantityMeaning unit = IsNumberWord(content) ? QuantityMeaning() : UnitMeantBy(content);
        !unit.unit.empty()) {
      SetMeaning(unit, content, label);
    } else {
      absl::StrAppend(&rest, " , ", content);
    }
  }
  std::vector<std::string> words = WordsOfLabel(rest);
  words.resize(std::min(words.size(), kMaxLabelWords));
  ReadLabelWords(std::move(words), label);
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
  if (!more.batch_kind.empty()) {
    SetOnce(more.batch_kind, more.batch_kind, label.batch_kind, label);
  }
  if (!more.context.empty() && more.context != label.context) {
    label.context = label.context.empty() ? more.context : absl::StrCat(label.context, ", ", more.context);
  }
  label.is_ideal = label.is_ideal || more.is_ideal;
  label.is_epoch_size = label.is_epoch_size || more.is_epoch_size;
  label.is_unused = label.is_unused || more.is_unused;
  label.names_context = label.names_context || more.names_context;
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
