#include "lib/scale_run/scale_flag_uses.h"

#include <algorithm>
#include <iterator>

#include "lib/scale_run/point_variants.h"
#include "lib/train/step_switches.h"
#include "lib/train/sweep_flag_uses.h"

namespace lockstep {
namespace {

bool IsFused(const proto::ScaleSpec& variant) {
  return SettleStep(variant.preset(), variant.training()).step() == proto::FUSED;
}

bool IsResident(const proto::ScaleSpec& variant) {
  return SettleStep(variant.preset(), variant.training()).resident_images();
}

bool IsStar(const proto::ScaleSpec& variant) { return variant.mode() == proto::DP; }

// Returns true if autograd's gradients go through a reducer, which has buckets.
bool HasBuckets(const proto::ScaleSpec& variant) { return !IsStar(variant) && !IsFused(variant); }

bool HasSeveralRanks(const proto::ScaleSpec& spec) {
  return std::any_of(spec.ranks().begin(), spec.ranks().end(), [](uint32_t ranks) { return ranks > 1; });
}

}  // namespace

std::vector<FlagUse> ScaleFlagUses(const ScaleRunOptions& options) {
  const proto::ScaleSpec& spec = options.spec;
  const std::vector<proto::ScaleSpec> variants = VariantsOf(spec);
  const auto any = [&](bool (*is)(const proto::ScaleSpec&)) {
    return std::any_of(variants.begin(), variants.end(), is);
  };
  const bool all_resident = std::all_of(variants.begin(), variants.end(), IsResident);
  const bool all_star = std::all_of(variants.begin(), variants.end(), IsStar);
  const bool experiment = spec.experiment() != proto::EXPERIMENT_UNSPECIFIED;
  std::vector<FlagUse> uses =
      TrainingFlagUses(spec.training(), options.resume, options.checkpoint, any(IsFused), all_resident);
  const FlagUse more[] = {
      {{"seeds", "rows"}, experiment, "without --experiment", "add --experiment"},
      {{"batch_mode"},
       !experiment || spec.batch_mode() == proto::GLOBAL,
       "with --experiment, whose batches are global",
       ""},
      {{"buffers"},
       spec.experiment() != proto::WHAT_IS_SENT,
       "with --experiment=what_is_sent, whose rows are the ways to send buffers",
       ""},
      {{"no_set_epoch"},
       spec.experiment() != proto::SAMPLER_EPOCH,
       "with --experiment=sampler_epoch, whose rows are both orders",
       ""},
      {{"ablation"}, !spec.ablation() || !experiment, "with --experiment, which measures no ablation", ""},
      {{"ablation"}, !spec.ablation() || !all_star, "with --mode=dp, which has no all-reduce to leave out", ""},
      {{"ablation"}, !spec.ablation() || HasSeveralRanks(spec), "on one rank", "give --ranks=1,2"},
      {{"overlap", "backend", "reducer"}, !all_star, "with --mode=dp, which moves gradients to device 0", ""},
      {{"bucket_mib", "first_bucket_mib", "bucket_plan"},
       any(HasBuckets),
       all_star ? "with --mode=dp, which has no buckets" : "with --step=fused, which has ranges of its own",
       ""}};
  uses.insert(uses.end(), std::begin(more), std::end(more));
  return uses;
}

}  // namespace lockstep
