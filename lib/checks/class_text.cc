#include "lib/checks/class_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/readable_line.h"
#include "lib/base/utf8.h"

namespace lockstep {

std::string Shortened(const std::string& text) {
  constexpr size_t kMaxTextBytes = 500;
  const std::string readable = ToUtf8(text);
  const absl::string_view start = FirstBytes(readable, kMaxTextBytes);
  return start.size() == readable.size() ? readable : absl::StrCat(start, "...");
}

std::string ShortenedLines(const std::vector<std::string>& lines) {
  constexpr size_t kMaxLines = 10;
  const size_t shown = std::min(lines.size(), kMaxLines);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : "; ", Shortened(lines[i]));
  }
  return lines.size() > shown ? absl::StrCat(text, "; and ", lines.size() - shown, " more") : text;
}

std::string UnreadText(const UnreadFile& file) {
  return absl::StrCat(file.name.empty() ? "the folder" : file.name, ": ", file.why, file.remedy.empty() ? "" : "; ",
                      file.remedy);
}

void AddTextRow(const std::vector<std::string>& texts, proto::Table& table) {
  proto::Row& row = *table.add_row();
  for (const std::string& text : texts) {
    row.add_cell()->set_text(text);
  }
}

proto::Table TextTable(const std::string& id, const std::string& caption, const std::vector<std::string>& columns) {
  proto::Table table;
  table.set_id(id);
  table.set_caption(caption);
  for (const std::string& column : columns) {
    table.add_column(column);
  }
  return table;
}

}  // namespace lockstep
