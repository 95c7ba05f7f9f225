#include "lib/lab/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/sampler.h"
#include "lib/lab/lab_steps.h"
#include "lib/lab/shown_command.h"
#include "lib/lab/unit_choice.h"

namespace lockstep {
namespace {

// Returns the line about the data set.
std::string DataSetText(const LabFacts& facts) {
  return absl::StrCat(
      "data set: ", facts.train_images, " training and ", facts.test_images, " test images, ", ShapeText(facts),
      facts.why_assumed.empty()
          ? ""
          : absl::StrCat("; assumed like CIFAR-10, because they cannot be counted: ", facts.why_assumed));
}

// Returns the batches that fit the data set on all ranks, and notes the others.
absl::StatusOr<std::vector<uint32_t>> ScaledBatches(const LabRequest& request, const LabFacts& facts,
                                                    std::vector<std::string>& notes) {
  const std::vector<uint32_t> wanted = !request.batches.empty() ? request.batches
                                       : facts.gpus > 0         ? std::vector<uint32_t>{32, 128, 512}
                                                                : std::vector<uint32_t>{32, 128};
  const uint32_t ranks = RanksOf(facts).back();
  std::vector<uint32_t> fitting;
  for (const uint32_t batch : wanted) {
    if (batch <= ShardSize(facts.train_images, ranks, DropLast::kYes)) {
      fitting.push_back(batch);
    } else if (batch > facts.train_images) {
      notes.push_back(absl::StrCat("batch ", batch, " is left out: it exceeds ", facts.train_images, " images"));
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

absl::Status CheckModel(const LabRequest& request, const LabFacts& facts) {
  if (const std::string model = ModelOf(request, facts); !FitsImages(model, facts)) {
    return absl::InvalidArgumentError(absl::StrCat("--model=", model, ": expected larger images, found ",
                                                   ShapeText(facts), "; use --model=resnet18"));
  }
  return absl::OkStatus();
}

// Removes the units that the data set excludes, and notes the reasons.
std::vector<LabUnit> PossibleUnits(const std::vector<LabUnit>& units, std::vector<std::string>& notes) {
  std::vector<LabUnit> possible;
  for (const LabUnit& unit : units) {
    if (unit.excluded.empty()) {
      possible.push_back(unit);
    } else {
      notes.push_back(absl::StrCat("left out: ", unit.about, ": ", unit.excluded));
    }
  }
  return possible;
}

// Adds a unit to the plan. A unit can grow until its first step is made; the first unit of a plan is next, and cannot.
void AddUnit(const LabUnit& unit, const UnitChoice& choice, LabPlan& plan) {
  const bool is_to_come =
      std::any_of(plan.steps.begin(), plan.steps.end(), [](const LabStep& step) { return !step.is_made; }) &&
      std::none_of(choice.steps.begin(), choice.steps.end(), [](const LabStep& step) { return step.is_made; });
  const LabVariant& full = unit.variants.back();
  plan.steps.insert(plan.steps.end(), choice.steps.begin(), choice.steps.end());
  if (choice.variant == kNotMeasured) {
    plan.units.push_back({unit.about, ""});
    plan.left_out.push_back({unit.about, "", full.extent, "", SecondsOf(choice.not_run), choice.not_run});
    return;
  }
  const LabVariant& variant = unit.variants[choice.variant];
  plan.units.push_back({unit.about, variant.extent});
  if (choice.variant + 1 < static_cast<int>(unit.variants.size())) {
    const LabVariant& next = unit.variants[choice.variant + 1];
    plan.left_out.push_back(
        {unit.about, variant.extent, full.extent, is_to_come ? next.extent : "", SecondsOf(next.steps)});
  }
}

// Returns the lines on a unit that is not measured.
std::string NotMeasuredText(const LeftOut& left_out) {
  std::string text = absl::StrCat("  left out to fit: ", left_out.about, ", about ", AboutSeconds(left_out.seconds),
                                  "; to measure it:\n");
  for (const LabStep& step : left_out.steps) {
    absl::StrAppend(&text, "    ", ShownCommand(step.command), "\n");
  }
  return text;
}

// Returns the lines on what is left out.
std::string LeftOutText(const LabPlan& plan) {
  std::string text;
  for (const LeftOut& left_out : plan.left_out) {
    if (left_out.steps.empty()) {
      absl::StrAppend(&text, "  reduced to fit: ", left_out.about, ": ", left_out.extent, " instead of ",
                      left_out.full_extent, "\n");
      if (!left_out.next_extent.empty()) {
        absl::StrAppend(&text, "  if the steps take less time: ", left_out.about, ": ", left_out.next_extent, "\n");
      }
      continue;
    }
    absl::StrAppend(&text, NotMeasuredText(left_out));
  }
  return text;
}

}  // namespace

absl::StatusOr<LabPlan> PlanLab(const LabRequest& request, const LabFacts& facts, const LabProgress& progress) {
  LabPlan plan;
  plan.budget_seconds = BudgetSeconds(request, facts);
  plan.data_set = DataSetText(facts);
  RETURN_IF_ERROR(CheckModel(request, facts));
  ASSIGN_OR_RETURN(const std::vector<uint32_t> batches, ScaledBatches(request, facts, plan.notes));
  const std::vector<LabUnit> units = PossibleUnits(LabUnits(request, facts, batches), plan.notes);
  const std::vector<UnitChoice> choices = ChooseUnits(
      units, progress, plan.budget_seconds, request.all_questions ? Experiments::kAll : Experiments::kFitting);
  for (size_t i = 0; i < units.size(); ++i) {
    AddUnit(units[i], choices[i], plan);
  }
  plan.seconds = progress.elapsed_seconds + RemainingSeconds(plan.steps, progress) + progress.page_seconds;
  std::vector<std::string> records = {DatasetRecord(request)};
  for (const LabStep& step : plan.steps) {
    if (step.is_shown) {
      records.push_back(step.record);
    }
  }
  plan.steps.push_back(ReportStep(request, records));
  return plan;
}

std::string PlanText(const LabRequest& request, const LabPlan& plan) {
  std::string text =
      absl::StrCat("lab: ", plan.steps.size(), " steps, about ", AboutSeconds(plan.seconds), "; the budget is ",
                   AboutSeconds(plan.budget_seconds), " (--minutes)\n  ", plan.data_set, "\n");
  const bool any_is_made =
      std::any_of(plan.steps.begin(), plan.steps.end(), [](const LabStep& step) { return step.is_made; });
  for (const std::string& note : plan.notes) {
    absl::StrAppend(&text, "  ", note, "\n");
  }
  absl::StrAppend(&text, "  step, predicted time, command", any_is_made ? " (exists: measured before, and kept)" : "",
                  ":\n");
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const std::string seconds = plan.steps[i].is_made ? "exists" : absl::StrFormat("%.0f s", plan.steps[i].seconds);
    absl::StrAppendFormat(&text, "  %2d %7s  %s\n", i + 1, seconds, ShownCommand(plan.steps[i].command));
  }
  absl::StrAppend(&text, LeftOutText(plan));
  if (!plan.left_out.empty()) {
    absl::StrAppend(&text, "  to measure more: --minutes=N with a larger N, or --questions for all experiments\n");
  }
  return text;
}

std::string ChangeText(const LabPlan& before, const LabPlan& plan, const std::string& cause) {
  std::string changes;
  for (size_t i = 0; i < plan.units.size(); ++i) {
    const PlannedUnit &then = before.units[i], &now = plan.units[i];
    if (now.extent.empty() && !then.extent.empty()) {
      const auto left_out = std::find_if(plan.left_out.begin(), plan.left_out.end(),
                                         [&](const LeftOut& one) { return one.about == now.about; });
      absl::StrAppend(&changes, NotMeasuredText(*left_out));
    } else if (now.extent != then.extent) {
      absl::StrAppend(&changes, "  ", now.about, ": ", now.extent,
                      then.extent.empty() ? ", which was left out" : absl::StrCat(" instead of ", then.extent), "\n");
    }
  }
  return changes.empty() ? ""
                         : absl::StrCat("lab: ", cause, "; for the budget of ", AboutSeconds(plan.budget_seconds),
                                        " the plan is now\n", changes);
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
