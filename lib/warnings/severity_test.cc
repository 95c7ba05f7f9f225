#include "lib/warnings/severity.h"

#include <regex>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/file_util.h"

namespace lockstep {
namespace {

TEST(SeverityTest, EveryRuleOfTheWarningsHasARank) {
  std::set<std::string> ranked, named;
  for (const RuleSeverity& rule : RulesBySeverity()) {
    EXPECT_TRUE(ranked.insert(rule.rule).second) << rule.rule << " is listed twice";
  }
  const std::regex rule("(?:push_back\\(\\s*\\{|kNoiseRule\\[\\] = )\"([a-z_]+)\"");
  for (const char* source : {"lib/warnings/warnings.cc", "lib/warnings/experiment_warnings.cc",
                             "lib/warnings/machine_warnings.cc", "lib/warnings/speedup_warnings.cc"}) {
    const std::string text = testing::ReadFile(source);
    for (auto match = std::sregex_iterator(text.begin(), text.end(), rule); match != std::sregex_iterator(); ++match) {
      named.insert((*match)[1]);
    }
  }
  EXPECT_THAT(named, ::testing::IsSubsetOf(ranked));
  EXPECT_GT(named.size(), 15u);
}

TEST(SeverityTest, TheWorstComesFirst) {
  std::vector<Warning> warnings = {{"synthetic_images", "a"},
                                   {"noisy_machine", "b"},
                                   {"noisy_machine", "c"},
                                   {"sum_check_failed", "d"},
                                   {"new", "e"}};
  SortBySeverity(warnings);
  std::string order;
  for (const Warning& warning : warnings) {
    order += warning.text;
  }
  EXPECT_EQ(order, "dbcae");
}

}  // namespace
}  // namespace lockstep
