#include "lib/launch/agreement.h"

#include <algorithm>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lib/base/own_flags.h"

namespace lockstep {
namespace {

absl::Status Differ(const proto::ProcessDescription& leader, const proto::ProcessDescription& member,
                    absl::string_view expected, absl::string_view found, absl::string_view remedy) {
  return absl::UnavailableError(absl::StrCat(MemberName(member), " differs from rank 0 on ", leader.host_name(),
                                             ": expected ", expected, ", found ", found, "; ", remedy));
}

struct Difference {
  std::string name, expected, found;
};

std::string ValueOf(const proto::ProcessDescription& description, const std::string& name) {
  const auto found = std::find_if(description.setting().begin(), description.setting().end(),
                                  [&](const proto::AgentSetting& setting) { return setting.name() == name; });
  return found == description.setting().end() || found->value().empty() ? "none" : found->value();
}

// Returns true if `value` is the flag's default. The message says so, because a default such as --learning_rate=0 may
// mean another value, which --help shows.
bool IsDefault(const std::string& name, const std::string& value) {
  const absl::CommandLineFlag* const flag = FindOwnFlag(absl::StripPrefix(name, "--"));
  return flag != nullptr && (flag->DefaultValue() == value || (flag->DefaultValue().empty() && value == "none"));
}

std::string Shown(const std::string& name, const std::string& value) {
  return absl::StrCat(value, IsDefault(name, value) ? " (its default)" : "");
}

}  // namespace

std::string MemberName(const proto::ProcessDescription& description) {
  return absl::StrCat("rank ", description.rank(), " on ", description.host_name());
}

absl::Status CheckAgreement(const proto::ProcessDescription& leader, const proto::ProcessDescription& member) {
  if (member.build_id() != leader.build_id()) {
    return Differ(leader, member, absl::StrCat("the program with SHA-256 ", leader.build_id()), member.build_id(),
                  "install the same build on all hosts");
  }
  std::vector<Difference> differences;  // the same program has the same names
  for (const proto::AgentSetting& setting : leader.setting()) {
    const std::string expected = ValueOf(leader, setting.name());
    const std::string found = ValueOf(member, setting.name());
    if (expected != found) {
      differences.push_back({setting.name(), expected, found});
    }
  }
  if (differences.empty()) {
    return absl::OkStatus();
  }
  const Difference first = differences[0];
  differences.erase(differences.begin());
  const std::string others = absl::StrJoin(
      differences, ", ", [](std::string* out, const Difference& other) { absl::StrAppend(out, other.name); });
  return Differ(leader, member, absl::StrCat(first.name, " ", Shown(first.name, first.expected)),
                absl::StrCat(Shown(first.name, first.found), others.empty() ? "" : " (other values of ", others,
                             others.empty() ? "" : ", too)"),
                "start all with one command and one set of libraries");
}

absl::Status CheckSameDataset(const proto::ProcessDescription& leader, const std::string& leaders_sha256,
                              const proto::ProcessDescription& member) {
  return member.dataset() == leaders_sha256
             ? absl::OkStatus()
             : Differ(leader, member, absl::StrCat("a data set with SHA-256 ", leaders_sha256), member.dataset(),
                      "give the same images as --input on all hosts");
}

}  // namespace lockstep
