#include "lib/train/sweep_flag_uses.h"

#include "absl/strings/str_cat.h"
#include "lib/networks/optimizers.h"
#include "lib/train/step_switches.h"

namespace lockstep {

std::vector<FlagUse> TrainingFlagUses(const proto::TrainingSpec& training, bool resume, const std::string& checkpoint,
                                      bool any_fused, bool all_resident) {
  return {
      {{"momentum"},
       HasMomentum(training.optimizer()),
       absl::StrCat("with --optimizer=", OptimizerWord(training.optimizer()), ", which has none"),
       "leave it out"},
      {{"state_every"}, resume, "without --resume", "add --resume"},
      {{"checkpoint_batch"}, !checkpoint.empty(), "without --checkpoint", "add --checkpoint=FILE"},
      {{"loader_workers"},
       !all_resident,
       "with a data set in GPU memory, where the batches are made",
       "add --step=autograd --resident_images=false"},
      {{"cudnn_convolutions"}, any_fused, "with --step=autograd, whose kernels are LibTorch's", "add --step=fused"}};
}

std::vector<FlagUse> SweepFlagUses(const TrainSweepOptions& options) {
  const proto::SweepSpec& spec = options.spec;
  const proto::TrainingSpec settled = SettleStep(spec.preset(), spec.training());
  const bool batch_sweep = spec.batch_size().empty();
  std::vector<FlagUse> uses = TrainingFlagUses(spec.training(), options.resume, options.checkpoint,
                                               settled.step() == proto::FUSED, settled.resident_images());
  uses.push_back({{"zero_gamma"},
                  options.init.empty(),
                  "with --init, whose file has the scales of batch norm",
                  "leave --init out"});
  uses.push_back(
      {{"min_batch", "factor"}, batch_sweep, "with --batch_size, which names every batch", "leave --batch_size out"});
  uses.push_back({{"max_batch"},
                  batch_sweep || spec.find_max(),
                  "with --batch_size, which names every batch",
                  "leave --batch_size out, or add --find_max"});
  return uses;
}

}  // namespace lockstep
