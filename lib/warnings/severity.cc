#include "lib/warnings/severity.h"

#include <algorithm>

namespace lockstep {
namespace {

size_t RankOf(absl::string_view rule) {
  const std::vector<RuleSeverity>& rules = RulesBySeverity();
  return static_cast<size_t>(
      std::find_if(rules.begin(), rules.end(), [&](const RuleSeverity& known) { return known.rule == rule; }) -
      rules.begin());
}

}  // namespace

const std::vector<RuleSeverity>& RulesBySeverity() {
  static const auto* const rules = new std::vector<RuleSeverity>{
      {"sum_check_failed", Severity::kWrong, "wrong sums of gradients"},
      {"wrong_orders", Severity::kWrong, "orders that contradict the sampler"},
      {"wrong_bytes", Severity::kWrong, "bytes that contradict the model"},
      {"another_checksum", Severity::kWrong, "records that were changed"},
      {"records_of_strangers", Severity::kWrong, "records that do not belong together"},
      {"base_case_of_another_machine", Severity::kWrong, "a base case of another machine"},
      {"build_not_optimised", Severity::kWrong, "a build without optimisation"},
      {"with_loading_faster_than_without", Severity::kWrong, "measurements under different conditions"},
      {"times_of_different_runs", Severity::kWeak, "speed-ups between different runs"},
      {"speedup_above_ranks", Severity::kWeak, "speed-ups above the number of ranks"},
      {"not_finished", Severity::kWeak, "runs that did not finish"},
      {"seeds_missing", Severity::kWeak, "seeds that were not trained"},
      {"noisy_machine", Severity::kWeak, "a noisy machine"},
      {"one_run_only", Severity::kWeak, "single measurements without spread"},
      {"link_peak_assumed", Severity::kWeak, "bandwidths above the link"},
      {"device_throttled", Severity::kWeak, "throttled devices"},
      {"several_machines", Severity::kWeak, "records of several machines"},
      {"virtual_hosts", Severity::kWeak, "virtual hosts on one machine"},
      {"shared_cpu", Severity::kFact, "ranks that share one CPU"},
      {"synthetic_images", Severity::kFact, "synthetic images"},
      {"images_not_official", Severity::kFact, "images that are not the official ones"},
      {"images_unknown", Severity::kFact, "images that no record describes"},
      {"normalization_assumed", Severity::kFact, "an assumed normalization"},
      {"build_without_commit", Severity::kFact, "a build without commit"},
      {"records_left_out", Severity::kFact, "records that are not shown"},
  };
  return *rules;
}

RuleSeverity SeverityOf(absl::string_view rule) {
  const size_t rank = RankOf(rule);
  return rank < RulesBySeverity().size() ? RulesBySeverity()[rank]
                                         : RuleSeverity{"", Severity::kWeak, "a remark of unknown weight"};
}

void SortBySeverity(std::vector<Warning>& warnings) {
  std::stable_sort(warnings.begin(), warnings.end(),
                   [](const Warning& a, const Warning& b) { return RankOf(a.rule) < RankOf(b.rule); });
}

}  // namespace lockstep
