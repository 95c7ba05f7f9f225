// The learning rate of each step of a run. Knows nothing of LibTorch.
//
// With the peak p (TrainingSpec.learning_rate), E epochs of S steps, epoch e and step s of the run, both from 0:
//   CONSTANT   p
//   MULTISTEP  p * lr_gamma^(milestones <= e): torch.optim.lr_scheduler.MultiStepLR, stepped once an epoch
//   COSINE     p/2 * (1 + cos(pi * (e - W) / (E - W))): CosineAnnealingLR with T_max = E - W and eta_min = 0, stepped once an
//              epoch, as kuangliu/pytorch-cifar's main.py does, whose accuracy is the one to compare with; stepped with
//              every batch it would be another recipe. The last epoch's rate is small, not 0: nothing would be learnt from it
//   ONE_CYCLE  OneCycleLR(max_lr = p, total_steps = E * S, cycle_momentum = False), stepped with every batch: half a cosine
//              from p / 25 up to p over the first 30 % of the steps, and another one down to p / 25 / 10,000
// W = lr_warmup_epochs: in the first W * S steps the rate climbs with every batch, to a schedule that takes over at step
// W * S:
//   lr_warmup_start = 0   p * (s + 1) / (W * S): from one share above 0, so that no step is lost, to p
//   lr_warmup_start > 0   lr_warmup_start + (p - lr_warmup_start) * s / (W * S): the gradual warm-up of Goyal et al. 2017
//                         (arXiv 1706.02677, section 2.2), which starts at the base rate and reaches k times that after 5
//                         epochs, by a constant amount in each iteration
#ifndef LOCKSTEP_LIB_TRAIN_SCHEDULE_H_
#define LOCKSTEP_LIB_TRAIN_SCHEDULE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "lib/proto/sweep.pb.h"

namespace lockstep {

// The most epochs before timing starts, and the most timed ones: a point's record holds some 130 bytes for each, and fits its
// 256 MiB (lib/record/record_format.h).
inline constexpr uint32_t kMaxEpochs = 1'000'000;

inline constexpr uint32_t kWarmupEpochs = 1;  // before timing starts: the lab reports the second epoch

// Sets warmup_epochs and repeats by what is asked for: `epochs` in all, the first one being the warm-up (0: 1 +
// repeats), and `repeats` timed ones (0: all but the first of `epochs`, or 5). InvalidArgument names the flags: the two
// contradict each other.
absl::Status SetEpochs(uint32_t epochs, uint32_t repeats, proto::TrainingSpec& spec);

// What to tell who asked for no timed epoch: "--epochs=1 is the warm-up alone: ..."; empty when there is one.
std::string UntimedWarning(const proto::TrainingSpec& spec);

// InvalidArgument: there are more of either, so that counting them might wrap around.
absl::Status CheckEpochs(const proto::TrainingSpec& spec);

// All epochs of a run: those before timing starts and the timed ones. The spec has passed CheckEpochs.
uint32_t TotalEpochs(const proto::TrainingSpec& spec);

// Steps of an epoch over `images`, which are at least one batch.
uint32_t StepsPerEpoch(uint64_t images, uint32_t batch_size, bool drop_last);

// InvalidArgument names the flag: milestones that do not climb or lie beyond the run, a factor that is no number above 0, a
// warm-up as long as the run or of a schedule that climbs by itself, a first rate without a warm-up or above the peak,
// values that the schedule has no use for.
absl::Status CheckSchedule(const proto::TrainingSpec& spec);

// The rate of one step; `step` counts from the epoch's beginning. The spec has passed CheckSchedule.
double LearningRateOf(const proto::TrainingSpec& spec, uint32_t steps_per_epoch, uint32_t epoch, uint32_t step);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_TRAIN_SCHEDULE_H_
