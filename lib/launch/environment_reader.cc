#include "lib/launch/environment_reader.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"

namespace lockstep {

std::string EnvironmentReader::TextOrEmpty(const char* name) const {
  const char* value = lookup_(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<std::string> EnvironmentReader::Text(const char* name) const {
  return Has(name) ? absl::StatusOr<std::string>(TextOrEmpty(name)) : Invalid(name, "is not set");
}

absl::StatusOr<int> EnvironmentReader::Number(const char* name, int first, int last) const {
  ASSIGN_OR_RETURN(const std::string text, Text(name));
  int value = 0;
  if (!absl::SimpleAtoi(text, &value) || value < first || value > last) {
    return Invalid(name, absl::StrCat("is '", text, "', expected a number from ", first, " to ", last));
  }
  return value;
}

const char* EnvironmentReader::FirstOf(const std::vector<const char*>& names) const {
  for (const char* name : names) {
    if (Has(name)) {
      return name;
    }
  }
  return names.back();
}

absl::StatusOr<bool> EnvironmentReader::HasAll(const std::vector<const char*>& names) const {
  std::vector<const char*> set;
  std::vector<const char*> unset;
  for (const char* name : names) {
    (Has(name) ? set : unset).push_back(name);
  }
  if (!set.empty() && !unset.empty()) {
    const auto are = [](const auto& names) { return names.size() == 1 ? "is" : "are"; };
    return Invalid(absl::StrJoin(set, ", "),
                   absl::StrCat(are(set), " set, but ", absl::StrJoin(unset, ", "), " ", are(unset), " not set"));
  }
  return unset.empty();
}

absl::Status EnvironmentReader::Invalid(absl::string_view name, absl::string_view what) const {
  return absl::InvalidArgumentError(absl::StrCat(whose_, ": ", name, " ", what, "; ", remedy_));
}

}  // namespace lockstep
