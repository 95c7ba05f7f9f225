#include "lib/published/table_files.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "lib/base/existing_file.h"
#include "lib/base/status_macros.h"
#include "lib/published/published_tables.h"
#include "lib/record/input_text.h"

namespace lockstep {

bool TableFiles::Find(absl::string_view path) {
  const std::string name(path);
  if (!MayBeProse(name)) {
    return IsPublishedTable(name);
  }
  if (!IsRegularFile(name)) {
    return false;
  }
  // Not ReadInputText, which reads declared inputs only: this function chooses them.
  std::string text = StartOfFile(name, kMaxInputTextBytes + 1);
  const bool is_whole = text.size() <= kMaxInputTextBytes;
  text.resize(std::min<size_t>(text.size(), kMaxInputTextBytes));
  absl::StatusOr<std::optional<proto::PublishedTables>> tables = FindPublishedTables(text, name);
  if (tables.ok() && !tables->has_value()) {
    return false;
  }
  if (!is_whole) {
    return true;  // Read returns the error of a file that is too large
  }
  if (tables.ok()) {
    found_.insert_or_assign(name, **std::move(tables));
  } else {
    found_.insert_or_assign(name, tables.status());
  }
  return true;
}

absl::StatusOr<proto::PublishedTables> TableFiles::Read(const std::string& path) const {
  const auto found = found_.find(path);
  if (found == found_.end()) {
    ASSIGN_OR_RETURN(PublishedFile file, ReadPublishedTables(path));
    return std::move(file.tables);
  }
  if (found->second.ok()) {
    LogLeftOut(path, *found->second);
  }
  return found->second;
}

}  // namespace lockstep
