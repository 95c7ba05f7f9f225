#include "lib/scaling/bend_lines.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

bool IsSamePoint(const proto::WhatIfRow& a, const proto::WhatIfRow& b) {
  return a.devices() == b.devices() && a.batch_per_device() == b.batch_per_device();
}

bool HasBend(const proto::WhatIfRow& row, const std::string& bend) {
  return std::find(row.bend().begin(), row.bend().end(), bend) != row.bend().end();
}

// Returns for example "flat" or "gradients of 2 bytes, flat".
std::string NameOf(const proto::WhatIfRow& row) {
  return row.variant() == "as given" ? row.exchange() : absl::StrCat(row.variant(), ", ", row.exchange());
}

// Returns the line of a bend of `row`; empty if an earlier row already has it.
std::string LineOf(const std::vector<proto::WhatIfRow>& rows, const proto::WhatIfRow& row, const std::string& bend) {
  std::vector<std::string> names;
  bool all = true;
  for (const proto::WhatIfRow& other : rows) {
    if (!IsSamePoint(other, row)) {
      continue;
    }
    if (!HasBend(other, bend)) {
      all = false;
      continue;
    }
    if (names.empty() && &other != &row) {
      return "";
    }
    names.push_back(NameOf(other));
  }
  return absl::StrCat("N=", row.devices(), ", batch ", row.batch_per_device(), all ? "" : ", ",
                      all ? "" : absl::StrJoin(names, " and "), ": ", bend);
}

}  // namespace

std::vector<std::string> BendLines(const std::vector<proto::WhatIfRow>& rows) {
  std::vector<std::string> lines;
  for (const proto::WhatIfRow& row : rows) {
    for (const std::string& bend : row.bend()) {
      if (std::string line = LineOf(rows, row, bend); !line.empty()) {
        lines.push_back(std::move(line));
      }
    }
  }
  return lines;
}

std::vector<std::string> NoteLines(const std::vector<proto::WhatIfRow>& rows) {
  std::vector<std::string> lines;
  for (const proto::WhatIfRow& row : rows) {
    if (!row.note().empty() && std::find(lines.begin(), lines.end(), row.note()) == lines.end()) {
      lines.push_back(row.note());
    }
  }
  return lines;
}

}  // namespace lockstep
