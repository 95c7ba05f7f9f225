// Every rule that a finding or a warning of the report names must be in the list, and every rule in the list must be
// used.
#include <regex>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/checks/rules.h"
#include "lib/testing/file_util.h"

namespace lockstep {
namespace {

constexpr const char* kSources[] = {
    "lib/checks/comm_model_rules.cc",      "lib/checks/point_rules.cc",        "lib/checks/scale_rules.cc",
    "lib/checks/sweep_rules.cc",           "lib/checks/table_rules.cc",        "lib/warnings/warnings.cc",
    "lib/warnings/experiment_warnings.cc", "lib/warnings/machine_warnings.cc", "lib/warnings/speedup_warnings.cc"};

std::set<std::string> NamesInSources() {
  std::set<std::string> names;
  const std::regex word("\"([a-z0-9]+(_[a-z0-9]+)+)\"");
  for (const char* source : kSources) {
    const std::string text = testing::ReadFile(source);
    for (auto match = std::sregex_iterator(text.begin(), text.end(), word); match != std::sregex_iterator(); ++match) {
      names.insert((*match)[1]);
    }
  }
  return names;
}

TEST(RuleNamesTest, SourcesAndListHaveTheSame) {
  std::set<std::string> listed;
  for (const CheckRule& rule : CheckRules()) {
    EXPECT_TRUE(listed.insert(rule.name).second) << rule.name << " is listed twice";
  }
  std::set<std::string> used = NamesInSources();
  for (const char* word : {"per_device", "modelled_"}) {
    used.erase(word);
  }
  EXPECT_EQ(used, listed);
}

}  // namespace
}  // namespace lockstep
