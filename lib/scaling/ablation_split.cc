#include "lib/scaling/ablation_split.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"
#include "lib/scaling/negative_communication.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

// Returns the mean over the ranks.
absl::StatusOr<proto::StepMeans> MeanOf(const proto::ScalePoint& point) {
  proto::StepMeans mean;
  for (const proto::RankFacts& facts : point.rank()) {
    if (!facts.has_step_means()) {
      return absl::NotFoundError(absl::StrCat("rank ", facts.rank(), " of ", point.ranks(), " has no means of steps"));
    }
    const proto::StepMeans& own = facts.step_means();
    const double share = 1.0 / point.rank_size();
    mean.set_step_seconds(mean.step_seconds() + share * own.step_seconds());
    mean.set_forward_seconds(mean.forward_seconds() + share * own.forward_seconds());
    mean.set_backward_seconds(mean.backward_seconds() + share * own.backward_seconds());
    mean.set_exposed_seconds(mean.exposed_seconds() + share * own.exposed_seconds());
    mean.set_update_seconds(mean.update_seconds() + share * own.update_seconds());
  }
  return point.rank().empty() ? absl::StatusOr<proto::StepMeans>(absl::NotFoundError("a point without ranks")) : mean;
}

}  // namespace

absl::StatusOr<AblationSplit> SplitAblation(const proto::ScalePoint& reduced, const proto::ScalePoint& ablated,
                                            const proto::ScalePoint* alone) {
  ASSIGN_OR_RETURN(const proto::StepMeans with, MeanOf(reduced));
  ASSIGN_OR_RETURN(const proto::StepMeans without, MeanOf(ablated));
  AblationSplit split;
  split.ablation_seconds = with.step_seconds() - without.step_seconds();
  split.exposed_seconds = with.exposed_seconds();
  split.contention_seconds = with.backward_seconds() - without.backward_seconds();
  split.forward_seconds = with.forward_seconds() - without.forward_seconds();
  split.update_seconds = with.update_seconds() - without.update_seconds();
  split.rest_seconds = split.ablation_seconds - split.exposed_seconds - split.contention_seconds -
                       split.forward_seconds - split.update_seconds;
  if (alone != nullptr && alone->step_figures().backward_seconds().count() > 0) {
    split.alone_seconds = alone->step_figures().backward_seconds().p50_seconds() -
                          ablated.step_figures().backward_seconds().p50_seconds();
  }
  return split;
}

std::string AblationText(const AblationSplit& split) {
  constexpr double kLong = 0.01;  // seconds
  const bool is_long = std::abs(split.ablation_seconds) >= kLong || split.exposed_seconds >= kLong;
  const Unit& unit = is_long ? kMilliseconds : kMicroseconds;
  const std::string alone = split.alone_seconds.has_value()
                                ? absl::StrFormat(" (%.1f on one rank, too)", *split.alone_seconds * unit.scale)
                                : "";
  const std::string exposed = split.exposed_seconds < 0 ? absl::StrCat("exposed ", BelowZeroText(split.exposed_seconds))
                                                        : absl::StrFormat("%.1f exposed (by events, mean of the ranks)",
                                                                          split.exposed_seconds * unit.scale);
  return absl::StrFormat(
      "without all-reduces a step is %.1f %s shorter: %s, %.1f backward%s, %.1f "
      "forward, %.1f update, %.1f rest",
      split.ablation_seconds * unit.scale, unit.name, exposed, split.contention_seconds * unit.scale, alone,
      split.forward_seconds * unit.scale, split.update_seconds * unit.scale, split.rest_seconds * unit.scale);
}

}  // namespace lockstep
