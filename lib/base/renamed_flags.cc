#include "lib/base/renamed_flags.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/base/own_flags.h"

namespace lockstep {
namespace {

struct RenamedFlag {
  absl::string_view old_name;
  absl::string_view name;
  absl::string_view note = "";  // difference between the values of the two flags
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
    {"memory_format", "channels_last", ", true or false"},
    {"memory_limit", "memory_limit_bytes"},
    {"own_kernels", "cudnn_convolutions", ", with the opposite value"},
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

}  // namespace

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
