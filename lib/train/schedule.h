// Learning rate of each step of a run. Does not depend on LibTorch.
//
// p: peak (TrainingSpec.learning_rate); E: epochs; S: steps per epoch; e: epoch; s: step of the run, both from 0.
//   CONSTANT   p
//   MULTISTEP  p * lr_gamma^(milestones <= e): torch.optim.lr_scheduler.MultiStepLR, stepped once an epoch
//   COSINE     p/2 * (1 + cos(pi * (e - W) / (E - W))): CosineAnnealingLR with T_max = E - W and eta_min = 0, stepped
//              once an epoch as in kuangliu/pytorch-cifar's main.py, whose accuracy is the reference. Stepping with
//              every batch would be another recipe. The last epoch's rate is small, not 0: rate 0 would teach nothing
//   ONE_CYCLE  OneCycleLR(max_lr = p, total_steps = E * S, cycle_momentum = False), stepped with every batch: half a
//              cosine from p / 25 up to p over the first 30 % of the steps, and another down to p / 25 / 10,000
//   LINEAR     p * (E * S - s) / (E * S - w): with every batch from p at step w, towards 0 at step E * S
// W = lr_warmup_epochs, w = W * S: the rate rises with every batch for w steps, then the schedule takes over at step w:
//   lr_warmup_start = 0   p * (s + 1) / w: starts one increment above 0, so that no step is lost, and ends at p
//   lr_warmup_start > 0   lr_warmup_start + (p - lr_warmup_start) * s / w: the gradual warm-up of Goyal et al. 2017
//                         (arXiv 1706.02677, section 2.2), which starts at the base rate and reaches k times that rate
//                         after 5 epochs, by a constant amount in each iteration
// LINEAR may have lr_warmup_share instead of W: w = floor(lr_warmup_share * E * S), in double, which need not be whole
// epochs. With the share 0.2 and lr_warmup_start = p / 5 this is the schedule of the ResNet-18 baselines of
// KellerJordan/cifar10-zoo: p * numpy.interp(s, [0, int(0.2 * E * S), E * S], [0.2, 1, 0]).
#ifndef LOCKSTEP_LIB_TRAIN_SCHEDULE_H_
#define LOCKSTEP_LIB_TRAIN_SCHEDULE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/dataset/drop_last.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// Maximum number of warm-up epochs, and of timed epochs. A point's record holds some 130 bytes per epoch and must fit
// into 256 MiB (lib/record/record_format.h).
inline constexpr uint32_t kMaxEpochs = 1'000'000;

inline constexpr uint32_t kWarmupEpochs = 1;  // epochs before timing starts: the lab reports the second epoch

// Sets warmup_epochs and repeats. `epochs` is the total, whose first epoch is the warm-up (0: 1 + repeats). `repeats`
// is the number of timed epochs (0: all but the first of `epochs`, or 5). Returns InvalidArgumentError naming the flags
// if they contradict each other.
absl::Status SetEpochs(uint32_t epochs, uint32_t repeats, proto::TrainingSpec& spec);

// Returns a warning if no epoch is timed ("--epochs=1 is the warm-up alone: ..."), else an empty string.
std::string UntimedWarning(const proto::TrainingSpec& spec);

// Returns InvalidArgumentError if either number of epochs exceeds kMaxEpochs, because their sum could overflow.
absl::Status CheckEpochs(const proto::TrainingSpec& spec);

// Returns the number of all epochs of a run, warm-up included. The spec must have passed CheckEpochs.
uint32_t TotalEpochs(const proto::TrainingSpec& spec);

// Returns the number of steps of an epoch. `images` must be at least one batch.
uint32_t StepsPerEpoch(uint64_t images, uint32_t batch_size, DropLast drop_last);

// Returns InvalidArgumentError naming the flag in each of these cases:
// - milestones that do not increase or lie beyond the run;
// - a factor that is not a finite number above 0;
// - a warm-up as long as the run, or with a schedule that rises by itself;
// - a warm-up by its share of the steps with another schedule than LINEAR, or together with its number of epochs;
// - a first rate without a warm-up or above the peak;
// - values that the schedule does not use.
absl::Status CheckSchedule(const proto::TrainingSpec& spec);

// Returns the rate of one step; `step` counts from the epoch's beginning. The spec must have passed CheckSchedule.
double LearningRateOf(const proto::TrainingSpec& spec, uint32_t steps_per_epoch, uint32_t epoch, uint32_t step);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SCHEDULE_H_
