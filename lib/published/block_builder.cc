#include "lib/published/block_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/published/csv.h"
#include "lib/published/remark_key.h"

namespace lockstep {

void BlockBuilder::AddRemark(const std::string& text, int number) {
  if (absl::StrContains(text, ":") || absl::StrContains(text, "=")) {
    ++remarks_;
  }
  if (remarks_ > kMaxTableRemarks) {
    faults_.Add(number, absl::StrCat("expected at most ", kMaxTableRemarks, " remarks with : or ="));
    return;
  }
  TableRemark remark = RemarkOf(text, number);
  if (text.empty() || !remark.key.empty() || form_ == TableForm::kMarkdown) {
    EndTable();
    EndTitle();
  }
  if (remark.key.empty()) {
    if (form_ == TableForm::kMarkdown) {  // a heading
      AddTitle(absl::string_view(text).substr(std::min(text.find_first_not_of("# "), text.size())));
    }
  } else {
    block_.remarks.push_back(std::move(remark));
  }
}

void BlockBuilder::AddTitle(absl::string_view text) {
  constexpr size_t kMaxTitleBytes = 300;
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) {
    return;
  }
  if (form_ != TableForm::kLatex) {
    EndTable();
  }
  if (std::exchange(is_title_ended_, false)) {
    block_.title.clear();
  }
  if (block_.title.size() + text.size() < kMaxTitleBytes) {
    absl::StrAppend(&block_.title, block_.title.empty() ? "" : " ", text);
  }
}

void BlockBuilder::AddRow(std::vector<std::string> cells, int number) {
  while (!cells.empty() && absl::StripAsciiWhitespace(cells.back()).empty()) {
    cells.pop_back();
  }
  cells_ += cells.size();
  if (cells.size() > kMaxCsvFields || cells_ > kMaxTableCells) {
    faults_.Add(number, absl::StrCat("expected at most ", kMaxCsvFields, " cells in a row, and ", kMaxTableCells,
                                     " in a file"));
  } else if (!cells.empty()) {
    block_.rows.push_back({number, std::move(cells)});
  }
}

void BlockBuilder::EndTable() {
  if (HasRows()) {
    blocks_.push_back(std::exchange(block_, {}));
  }
}

std::vector<TableBlock> BlockBuilder::Finish() {
  EndTable();
  if (!block_.remarks.empty()) {
    blocks_.push_back(std::move(block_));
  }
  return std::move(blocks_);
}

}  // namespace lockstep
