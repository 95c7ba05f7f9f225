#include "lib/lab/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/lab/lab_costs.h"
#include "lib/lab/lab_steps.h"
#include "lib/lab/shown_command.h"

namespace lockstep {
namespace {

constexpr int kNotMeasured = -1;

// Seconds of a variant, with a page after each of its steps.
double VariantSeconds(const LabVariant& variant) {
  return SecondsOf(variant.steps) + kReportSeconds * static_cast<double>(variant.steps.size());
}

// Returns the batches that fit the data set on all ranks, and notes the others.
absl::StatusOr<std::vector<uint32_t>> FittingBatches(const LabRequest& request, const LabFacts& facts,
                                                     std::vector<std::string>& notes) {
  const std::vector<uint32_t> wanted = !request.batches.empty() ? request.batches
                                       : facts.gpus > 0         ? std::vector<uint32_t>{32, 128, 512}
                                                                : std::vector<uint32_t>{32, 128};
  const uint32_t ranks = RanksOf(facts).back();
  std::vector<uint32_t> fitting;
  for (const uint32_t batch : wanted) {
    if (uint64_t{batch} * ranks <= facts.train_images) {
      fitting.push_back(batch);
    } else {
      notes.push_back(absl::StrCat("batch ", batch, " is not scaled: on ", ranks, " ranks it exceeds ",
                                   facts.train_images, " images"));
    }
  }
  if (fitting.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no --batch_size of ", NumberList(wanted), " fits ", facts.train_images, " images on ", ranks,
                     " ranks; give a smaller --batch_size", request.input.empty() ? ", or more --images" : ""));
  }
  std::sort(fitting.begin(), fitting.end());
  fitting.erase(std::unique(fitting.begin(), fitting.end()), fitting.end());
  return fitting;
}

// Returns the index of the chosen variant of each unit, or kNotMeasured.
std::vector<int> ChooseVariants(const LabRequest& request, const std::vector<LabUnit>& units, double budget) {
  std::vector<int> chosen(units.size(), kNotMeasured);
  std::map<std::string, bool> is_measured;
  double used = kReportSeconds;
  for (size_t i = 0; i < units.size(); ++i) {
    const double seconds = VariantSeconds(units[i].variants[0]);
    const bool is_possible = units[i].needs.empty() || is_measured[units[i].needs];
    if (i == 0 || (is_possible && used + seconds <= budget)) {
      chosen[i] = 0;
      used += seconds;
      is_measured[units[i].name] = true;
    }
  }
  for (size_t i = 0; i < units.size(); ++i) {
    const std::vector<LabVariant>& variants = units[i].variants;
    while (chosen[i] != kNotMeasured && chosen[i] + 1 < static_cast<int>(variants.size())) {
      const double more = VariantSeconds(variants[chosen[i] + 1]) - VariantSeconds(variants[chosen[i]]);
      if (used + more > budget) {
        break;
      }
      used += more;
      ++chosen[i];
    }
  }
  for (size_t i = 0; i < units.size(); ++i) {
    if (request.all_questions && units[i].is_experiment && chosen[i] == kNotMeasured) {
      chosen[i] = 0;
    }
  }
  return chosen;
}

void AddUnit(const LabUnit& unit, int chosen, LabPlan& plan) {
  const LabVariant& full = unit.variants.back();
  if (chosen == kNotMeasured) {
    plan.left_out.push_back({unit.about, "", full.extent, SecondsOf(unit.variants[0].steps), unit.variants[0].steps});
    return;
  }
  const LabVariant& variant = unit.variants[chosen];
  plan.steps.insert(plan.steps.end(), variant.steps.begin(), variant.steps.end());
  plan.seconds += VariantSeconds(variant);
  if (chosen + 1 < static_cast<int>(unit.variants.size())) {
    plan.left_out.push_back({unit.about, variant.extent, full.extent, SecondsOf(unit.variants[chosen + 1].steps)});
  }
}

// Returns the lines on what is left out.
std::string LeftOutText(const LabPlan& plan) {
  std::string text;
  for (const LeftOut& left_out : plan.left_out) {
    if (left_out.steps.empty()) {
      absl::StrAppend(&text, "  reduced: ", left_out.about, ": ", left_out.extent, " instead of ", left_out.full_extent,
                      "\n");
      continue;
    }
    absl::StrAppend(&text, "  left out: ", left_out.about, ", about ", AboutSeconds(left_out.seconds),
                    "; it is measured by\n");
    for (const LabStep& step : left_out.steps) {
      absl::StrAppend(&text, "    ", ShownCommand(step.command), "\n");
    }
  }
  return text;
}

}  // namespace

absl::StatusOr<LabPlan> PlanLab(const LabRequest& request, const LabFacts& facts) {
  LabPlan plan;
  plan.budget_seconds = BudgetSeconds(request, facts);
  ASSIGN_OR_RETURN(const std::vector<uint32_t> batches, FittingBatches(request, facts, plan.notes));
  const std::vector<LabUnit> units = LabUnits(request, facts, batches);
  const std::vector<int> chosen = ChooseVariants(request, units, plan.budget_seconds);
  for (size_t i = 0; i < units.size(); ++i) {
    AddUnit(units[i], chosen[i], plan);
  }
  std::vector<std::string> records = {LabRecord(request, "dataset")};
  for (const LabStep& step : plan.steps) {
    if (step.is_shown) {
      records.push_back(step.record);
    }
  }
  plan.steps.push_back(ReportStep(request, records));
  plan.seconds += kReportSeconds;
  return plan;
}

std::string PlanText(const LabRequest& request, const LabPlan& plan) {
  std::string text = absl::StrCat("lab: ", plan.steps.size(), " steps, about ", AboutSeconds(plan.seconds),
                                  "; the budget is ", AboutSeconds(plan.budget_seconds), " (--minutes)\n");
  for (const std::string& note : plan.notes) {
    absl::StrAppend(&text, "  ", note, "\n");
  }
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    absl::StrAppendFormat(&text, "  %2d %5.0f s  %s\n", i + 1, plan.steps[i].seconds,
                          ShownCommand(plan.steps[i].command));
  }
  absl::StrAppend(&text, LeftOutText(plan));
  if (!plan.left_out.empty()) {
    absl::StrAppend(&text, "  --minutes=N with a larger N measures more; --questions adds all experiments\n");
  }
  return text;
}

std::string StepLine(size_t step, size_t steps, double seconds_left) {
  return absl::StrCat("step ", step, " of ", steps, ", about ", AboutSeconds(seconds_left), " left");
}

std::string AboutSeconds(double seconds) {
  if (seconds < 90) {
    return absl::StrFormat("%.0f s", std::max(1.0, std::round(seconds)));
  }
  return seconds < 90 * 60 ? absl::StrFormat("%.0f min", seconds / 60) : absl::StrFormat("%.1f h", seconds / 3600);
}

}  // namespace lockstep
