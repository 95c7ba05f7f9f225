#include "lib/lab/unit_choice.h"

#include <algorithm>
#include <map>
#include <string>

namespace lockstep {
namespace {

// Records of a unit that exist, and the extents that are possible with them.
struct UnitState {
  std::vector<int> made;          // extent in which the step was made, or kNotMeasured
  std::vector<bool> is_complete;  // true if the step's record is complete
  int smallest = 0, largest = 0;  // extents that the other steps may have
  bool all_made = true;           // true if all measurements exist
};

// Returns the largest extent whose command made the step's record, or kNotMeasured.
int MadeExtent(const LabUnit& unit, size_t step, const LabProgress& progress) {
  for (size_t variant = unit.variants.size(); variant-- > 0;) {
    const LabStep& planned = unit.variants[variant].steps[step];
    const auto found = progress.made.find(planned.record);
    if (found != progress.made.end() && found->second.command == WithoutForce(planned.command)) {
      return static_cast<int>(variant);
    }
  }
  return kNotMeasured;
}

UnitState StateOf(const LabUnit& unit, const LabProgress& progress) {
  UnitState state;
  state.largest = static_cast<int>(unit.variants.size()) - 1;
  bool has_begun = false;
  for (size_t i = 0; i < unit.variants[0].steps.size(); ++i) {
    const LabStep& step = unit.variants[0].steps[i];
    const int made = MadeExtent(unit, i, progress);
    const bool is_complete = made != kNotMeasured && progress.made.at(step.record).is_complete;
    state.made.push_back(made);
    state.is_complete.push_back(is_complete);
    state.all_made = state.all_made && (step.is_derived || is_complete);
    if (made != kNotMeasured && !step.is_derived && (unit.may_shrink || !has_begun)) {
      state.largest = std::min(state.largest, made);
      state.smallest = unit.may_shrink ? 0 : made;
      has_begun = true;
    }
  }
  state.smallest = state.all_made ? state.largest : state.smallest;
  return state;
}

std::vector<LabStep> StepsOf(const LabUnit& unit, const UnitState& state, int variant) {
  std::vector<LabStep> steps;
  for (size_t i = 0; i < state.made.size(); ++i) {
    const int extent = state.made[i] == kNotMeasured ? variant : state.made[i];
    steps.push_back(unit.variants[extent].steps[i]);
    steps.back().is_made = state.is_complete[i];
  }
  return steps;
}

enum class Asked { kQuestion, kAnything };

// Chooses the extents of all units, step by step.
class Chooser {
 public:
  Chooser(const std::vector<LabUnit>& units, const LabProgress& progress, double budget_seconds)
      : units_(units), progress_(progress), left_(budget_seconds - progress.elapsed_seconds - progress.page_seconds) {
    for (const LabUnit& unit : units) {
      states_.push_back(StateOf(unit, progress));
      chosen_.push_back(kNotMeasured);
    }
  }

  void AddSmallestExtents(Asked asked) {
    for (size_t i = 0; i < units_.size(); ++i) {
      const double seconds = Seconds(i, states_[i].smallest);
      const bool is_possible = units_[i].needs.empty() || is_measured_[units_[i].needs];
      if ((asked == Asked::kAnything || units_[i].has_question) && chosen_[i] == kNotMeasured &&
          (i == 0 || states_[i].all_made || (is_possible && Fits(seconds)))) {
        Choose(i, states_[i].smallest, seconds);
      }
    }
  }

  // Grows the first unit as long as it fits.
  void GrowFirstUnit() {
    while (GrowByOne(0) == Growth::kGrown) {
    }
  }

  // Grows the other units in rounds.
  void GrowOtherUnits() {
    bool has_grown = true, waits = false;
    while (has_grown && !waits) {
      has_grown = false;
      for (size_t i = 1; i < units_.size(); ++i) {
        const Growth growth = GrowByOne(i);
        has_grown = has_grown || growth == Growth::kGrown;
        waits = waits || growth == Growth::kMayFitLater;
      }
    }
  }

  // Returns true if a unit does not fit because of the reserve only, so that it may fit after the next step.
  bool AUnitMayStillFit(Asked asked) {
    for (size_t i = 0; i < units_.size(); ++i) {
      const bool is_possible = units_[i].needs.empty() || is_measured_[units_[i].needs];
      if (chosen_[i] == kNotMeasured && is_possible && (asked == Asked::kAnything || units_[i].has_question) &&
          used_ + Seconds(i, states_[i].smallest) <= left_) {
        return true;
      }
    }
    return false;
  }

  void AddExperiments() {
    for (size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].is_experiment && chosen_[i] == kNotMeasured) {
        Choose(i, states_[i].smallest, 0);
      }
    }
  }

  std::vector<UnitChoice> Choices() const {
    std::vector<UnitChoice> choices;
    for (size_t i = 0; i < units_.size(); ++i) {
      UnitChoice& choice = choices.emplace_back();
      choice.variant = chosen_[i];
      for (LabStep& step : StepsOf(units_[i], states_[i], std::max(chosen_[i], states_[i].smallest))) {
        (chosen_[i] == kNotMeasured && !step.is_made ? choice.not_run : choice.steps).push_back(std::move(step));
      }
    }
    return choices;
  }

 private:
  enum class Growth { kGrown, kMayFitLater, kNone };

  // Grows a unit that is measured by one extent, if the unit has a larger one and it fits.
  Growth GrowByOne(size_t unit) {
    if (chosen_[unit] == kNotMeasured || chosen_[unit] >= states_[unit].largest) {
      return Growth::kNone;
    }
    const double more = Seconds(unit, chosen_[unit] + 1) - Seconds(unit, chosen_[unit]);
    if (Fits(more)) {
      Choose(unit, chosen_[unit] + 1, more);
      return Growth::kGrown;
    }
    return std::min(1.0, progress_.Pace()) * (used_ + more) <= left_ ? Growth::kMayFitLater : Growth::kNone;
  }

  bool Fits(double seconds) const { return (1 + kReserve) * (used_ + seconds) <= left_; }

  double Seconds(size_t unit, int variant) const {
    return RemainingSeconds(StepsOf(units_[unit], states_[unit], variant), progress_);
  }

  void Choose(size_t unit, int variant, double seconds) {
    chosen_[unit] = variant;
    used_ += seconds;
    is_measured_[units_[unit].name] = true;
  }

  const std::vector<LabUnit>& units_;
  const LabProgress& progress_;
  const double left_;  // seconds until the last page must be begun
  double used_ = 0;    // predicted seconds of the steps chosen so far
  std::vector<UnitState> states_;
  std::vector<int> chosen_;
  std::map<std::string, bool> is_measured_;
};

}  // namespace

std::vector<UnitChoice> ChooseUnits(const std::vector<LabUnit>& units, const LabProgress& progress,
                                    double budget_seconds, Experiments experiments) {
  Chooser chooser(units, progress, budget_seconds);
  chooser.AddSmallestExtents(Asked::kQuestion);
  if (!chooser.AUnitMayStillFit(Asked::kQuestion)) {
    chooser.GrowFirstUnit();
    chooser.AddSmallestExtents(Asked::kAnything);
  }
  if (!chooser.AUnitMayStillFit(Asked::kAnything)) {
    chooser.GrowOtherUnits();
  }
  if (experiments == Experiments::kAll) {
    chooser.AddExperiments();
  }
  return chooser.Choices();
}

double RemainingSeconds(const std::vector<LabStep>& steps, const LabProgress& progress) {
  double seconds = 0;
  for (const LabStep& step : steps) {
    seconds += step.is_made ? 0 : std::max(1.0, progress.Pace()) * step.seconds + progress.page_seconds;
  }
  return seconds;
}

}  // namespace lockstep
