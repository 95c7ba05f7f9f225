#include "lib/base/renamed_flags.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/own_flags.h"

namespace lockstep {
namespace {

struct RenamedFlag {
  absl::string_view old_name;
  absl::string_view name;
  absl::string_view note = "";     // difference between the values of the two flags
  absl::string_view is_true = "";  // value of the old flag that turns the new switch on; empty: the values are equal
};

constexpr RenamedFlag kRenamedFlags[] = {
    {"batch", "batch_size"},
    {"fixed_order", "no_set_epoch"},
    {"fused_norms", "fused_batch_norm"},
    {"graph", "cuda_graph"},
    {"inter_gigabytes_per_second", "inter_host_gigabytes_per_second"},
    {"inter_latency_microseconds", "inter_host_latency_microseconds"},
    {"intra_gigabytes_per_second", "intra_host_gigabytes_per_second"},
    {"intra_latency_microseconds", "intra_host_latency_microseconds"},
    {"link_gigabytes_per_second", "nominal_link_gigabytes_per_second"},
    {"memory_format", "channels_last", ", true or false", "channels_last"},
    {"memory_limit", "memory_limit_bytes"},
    {"own_kernels", "cudnn_convolutions", ", with the opposite value", "false"},
    {"workers", "loader_workers"},
};

// Returns null if no flag of this program had this name.
const RenamedFlag* FindRenamedFlag(absl::string_view old_name) {
  for (const RenamedFlag& flag : kRenamedFlags) {
    if (flag.old_name == old_name && FindOwnFlag(flag.name) != nullptr) {
      return &flag;
    }
  }
  return nullptr;
}

// Characters of a flag's name, and of a value that WithPresentFlags changes.
bool IsInName(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; }

size_t NameLength(absl::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsInName) - text.begin());
}

// Replaces the flag with which `text` begins, without its dashes, and appends it to `result`. Returns the number of
// characters replaced; 0 if the flag has no other name now.
size_t AppendPresentFlag(absl::string_view text, std::string& result) {
  const absl::string_view word = text.substr(0, NameLength(text));
  for (const RenamedFlag& flag : kRenamedFlags) {
    const bool is_negated = absl::StartsWith(word, "no") && word.substr(2) == flag.old_name;
    if (word != flag.old_name && !is_negated) {
      continue;
    }
    if (flag.is_true.empty()) {
      absl::StrAppend(&result, is_negated ? "no" : "", flag.name);
      return word.size();
    }
    const bool has_value = !is_negated && absl::StartsWith(text.substr(word.size()), "=");
    const absl::string_view rest = has_value ? text.substr(word.size() + 1) : "";
    const absl::string_view value = has_value ? rest.substr(0, NameLength(rest)) : is_negated ? "false" : "true";
    absl::StrAppend(&result, value == flag.is_true ? "" : "no", flag.name);
    return word.size() + (has_value ? 1 + value.size() : 0);
  }
  return 0;
}

}  // namespace

std::string WithPresentFlags(absl::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool is_flag = absl::StartsWith(text.substr(at), "--") && (at == 0 || !IsInName(text[at - 1]));
    result += is_flag ? "--" : "";
    at += is_flag ? 2 : 0;
    const size_t replaced = is_flag ? AppendPresentFlag(text.substr(at), result) : 0;
    at += replaced;
    if (replaced == 0 && at < text.size()) {
      result += text[at++];
    }
  }
  return result;
}

std::string RenamedFlagText(absl::string_view name) {
  if (const RenamedFlag* const flag = FindRenamedFlag(name)) {
    return absl::StrCat("unknown flag --", name, "; it is named --", flag->name, " now", flag->note);
  }
  if (const RenamedFlag* const flag = absl::StartsWith(name, "no") ? FindRenamedFlag(name.substr(2)) : nullptr) {
    return absl::StrCat("unknown flag --", name, "; --", flag->old_name, " is named --", flag->name, " now",
                        flag->note);
  }
  return "";
}

}  // namespace lockstep
