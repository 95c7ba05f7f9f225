#include "lib/page/render.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

const std::string& FootnoteOf(const proto::Cell& cell) {
  return cell.absent_reason().empty() ? cell.note() : cell.absent_reason();
}

}  // namespace

const char kSpreadLegend[] =
    "a ± b (n): mean and sample standard deviation of n repeats; a (1): one value, no spread; a [b, c] is a value with "
    "the interval that the note below the table names";

const std::vector<ProvenanceMark>& ProvenanceMarks() {
  static const auto* marks = new std::vector<ProvenanceMark>({
      {proto::MEASURED, "m", "ᵐ", "measured", "read from a clock or a counter, or counted"},
      {proto::DERIVED, "d", "ᵈ", "derived", "computed from measured numbers, without assumptions"},
      {proto::MODELLED, "o", "ᵒ", "modelled", "needs an assumption or a fitted parameter"},
      {proto::PUBLISHED, "p", "ᵖ", "published", "printed by other people"},
  });
  return *marks;
}

const ProvenanceMark* MarkOf(proto::Provenance provenance) {
  for (const ProvenanceMark& mark : ProvenanceMarks()) {
    if (mark.provenance == provenance) {
      return &mark;
    }
  }
  return nullptr;
}

Footnotes::Footnotes(const proto::Table& table) {
  for (const proto::Row& row : table.row()) {
    for (const proto::Cell& cell : row.cell()) {
      const std::string& text = FootnoteOf(cell);
      if (!text.empty() && std::find(texts_.begin(), texts_.end(), text) == texts_.end()) {
        texts_.push_back(text);
      }
    }
  }
}

int Footnotes::NumberOf(const proto::Cell& cell) const {
  const std::string& text = FootnoteOf(cell);
  const auto it = std::find(texts_.begin(), texts_.end(), text);
  return text.empty() || it == texts_.end() ? 0 : static_cast<int>(it - texts_.begin()) + 1;
}

std::string TextWithReferences(const proto::Claim& claim) {
  std::string text = claim.text();
  for (const proto::PartReference& reference : claim.reference()) {
    absl::StrAppend(&text, text.empty() ? "" : "\n", reference.what(), " under \"", reference.title(), "\".");
  }
  return text;
}

std::vector<std::string> CondensedSources(const proto::Claim& claim) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // text up to the last dot; the parts after it
  for (const std::string& source : claim.source()) {
    const size_t point = source.rfind('.') + 1;
    if (groups.empty() || groups.back().first != source.substr(0, point)) {
      groups.push_back({source.substr(0, point), {}});
    }
    groups.back().second.push_back(source.substr(point));
  }
  std::vector<std::string> condensed;
  for (const auto& [begin, ends] : groups) {
    condensed.push_back(
        absl::StrCat(begin, ends.size() > 1 ? absl::StrCat("{", absl::StrJoin(ends, ", "), "}") : ends[0]));
  }
  return condensed;
}

const ProvenanceMark* ColumnMark(const proto::Table& table, int column) {
  const ProvenanceMark* common = nullptr;
  for (const proto::Row& row : table.row()) {
    const ProvenanceMark* const mark = MarkOf(row.cell(column).provenance());
    if (mark == nullptr) {
      continue;
    }
    if (common != nullptr && common != mark) {
      return nullptr;
    }
    common = mark;
  }
  return common;
}

std::vector<std::string> NotesOnce::NewOf(const proto::Table& table, std::string& caption_before) {
  std::vector<std::string> fresh;
  for (const std::string& note : table.note()) {
    const auto [it, is_new] = caption_of_note_.try_emplace(note, table.caption());
    if (is_new) {
      fresh.push_back(note);
    } else if (caption_before.empty() && it->second != table.caption()) {
      caption_before = it->second;
    }
  }
  return fresh;
}

bool IsNumeric(const proto::Table& table, int column) {
  bool blanks_only = column > 0 && !table.row().empty();
  for (const proto::Row& row : table.row()) {
    if (row.cell(column).provenance() != proto::PROVENANCE_UNSPECIFIED) {
      return true;
    }
    blanks_only = blanks_only && !row.cell(column).absent_reason().empty();
  }
  return blanks_only;
}

}  // namespace lockstep
