#include "lib/train/schedule.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr uint32_t kDefaultRepeats = 5;

constexpr double kPi = 3.14159265358979323846;

// Defaults of torch.optim.lr_scheduler.OneCycleLR, from Smith & Topin 2017.
constexpr double kRisingShare = 0.3;        // pct_start
constexpr double kDivFactor = 25;           // peak / first rate
constexpr double kFinalDivFactor = 10'000;  // first rate / last rate

// Returns the value at `share` of half a cosine from `from` (share 0) to `to` (share 1).
double Anneal(double from, double to, double share) { return to + (from - to) / 2 * (1 + std::cos(kPi * share)); }

double MultistepFactor(const proto::TrainingSpec& spec, uint32_t epoch) {
  double factor = 1;
  for (const uint32_t milestone : spec.lr_milestones()) {
    factor *= milestone <= epoch ? spec.lr_gamma() : 1;
  }
  return factor;
}

double CosineFactor(const proto::TrainingSpec& spec, uint32_t epoch) {
  const uint32_t warmup = spec.lr_warmup_epochs();
  return Anneal(1, 0, static_cast<double>(epoch - warmup) / (TotalEpochs(spec) - warmup));
}

double OneCycleFactor(double total_steps, double step) {
  const double first = 1 / kDivFactor;
  const double top = kRisingShare * total_steps - 1;  // step of the peak; a fraction, as in torch
  if (step <= top) {
    return Anneal(first, 1, top > 0 ? step / top : 1);
  }
  return Anneal(1, first / kFinalDivFactor, (step - top) / (total_steps - 1 - top));
}

// Returns the number of steps over which the rate rises to its peak.
double WarmupSteps(const proto::TrainingSpec& spec, uint32_t steps_per_epoch) {
  const double of_share =
      std::floor(spec.lr_warmup_share() * (static_cast<double>(TotalEpochs(spec)) * steps_per_epoch));
  return spec.lr_warmup_share() != 0 ? of_share : static_cast<double>(spec.lr_warmup_epochs()) * steps_per_epoch;
}

absl::Status CheckMultistep(const proto::TrainingSpec& spec) {
  if (!(spec.lr_gamma() > 0 && std::isfinite(spec.lr_gamma()))) {
    return absl::InvalidArgumentError(absl::StrCat("--lr_gamma=", spec.lr_gamma(), ": expected a number above 0"));
  }
  if (spec.lr_milestones().empty()) {
    return absl::InvalidArgumentError(
        "--schedule=multistep: --lr_milestones is missing, such as --lr_milestones=60,120,160");
  }
  uint32_t before = 0;
  for (const uint32_t milestone : spec.lr_milestones()) {
    if (milestone <= before || milestone >= TotalEpochs(spec)) {
      return absl::InvalidArgumentError(absl::StrCat("--lr_milestones: expected rising epochs from 1 to ",
                                                     TotalEpochs(spec) - 1, ", the last one of the run, found ",
                                                     milestone));
    }
    before = milestone;
  }
  return absl::OkStatus();
}

absl::Status CheckWarmupStart(const proto::TrainingSpec& spec) {
  const double start = spec.lr_warmup_start();
  if (start == 0) {
    return absl::OkStatus();
  }
  if (spec.lr_warmup_epochs() == 0 && spec.lr_warmup_share() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--lr_warmup_start=", start, " is the first rate of a warm-up; give --lr_warmup_epochs, too"));
  }
  if (!(start > 0 && start <= spec.learning_rate())) {
    return absl::InvalidArgumentError(absl::StrCat("--lr_warmup_start=", start, ": expected a rate above 0 and up to ",
                                                   spec.learning_rate(), ", the learning rate"));
  }
  return absl::OkStatus();
}

absl::Status CheckWarmupShare(const proto::TrainingSpec& spec) {
  const double share = spec.lr_warmup_share();
  if (share == 0) {
    return absl::OkStatus();
  }
  if (!(share > 0 && share < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--lr_warmup_share=", share, ": expected a share of the run's steps from 0 to below 1"));
  }
  if (spec.schedule() != proto::LINEAR) {
    return absl::InvalidArgumentError(
        "--lr_warmup_share belongs to --schedule=linear; other schedules have --lr_warmup_epochs");
  }
  return spec.lr_warmup_epochs() == 0
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat("--lr_warmup_epochs=", spec.lr_warmup_epochs(),
                                                       " and --lr_warmup_share=", share,
                                                       " are both the length of the warm-up; leave one out"));
}

absl::Status CheckWarmup(const proto::TrainingSpec& spec) {
  RETURN_IF_ERROR(CheckWarmupShare(spec));
  if (spec.lr_warmup_epochs() != 0 && spec.schedule() == proto::ONE_CYCLE) {
    return absl::InvalidArgumentError(
        "--lr_warmup_epochs: --schedule=one_cycle has its own warm-up; leave the flag out");
  }
  if (spec.lr_warmup_epochs() != 0 && spec.lr_warmup_epochs() >= TotalEpochs(spec)) {
    return absl::InvalidArgumentError(absl::StrCat("--lr_warmup_epochs=", spec.lr_warmup_epochs(), " is not below the ",
                                                   TotalEpochs(spec), " epochs of the run"));
  }
  return CheckWarmupStart(spec);
}

}  // namespace

absl::Status SetEpochs(uint32_t epochs, uint32_t repeats, proto::TrainingSpec& spec) {
  const uint32_t timed = epochs != 0 ? epochs - kWarmupEpochs : kDefaultRepeats;
  if (epochs != 0 && repeats != 0 && timed != repeats) {
    return absl::InvalidArgumentError(absl::StrCat("--epochs=", epochs, " is one warm-up and ", timed,
                                                   " timed epochs, but --repeats=", repeats, "; give one of the two"));
  }
  spec.set_warmup_epochs(kWarmupEpochs);
  spec.set_repeats(repeats != 0 ? repeats : timed);
  return absl::OkStatus();
}

std::string UntimedWarning(const proto::TrainingSpec& spec) {
  return spec.repeats() != 0
             ? ""
             : absl::StrCat("--epochs=", spec.warmup_epochs(),
                            " is only the warm-up, and nothing is timed; --epochs=", spec.warmup_epochs() + 1,
                            " times one epoch");
}

absl::Status CheckEpochs(const proto::TrainingSpec& spec) {
  if (spec.warmup_epochs() <= kMaxEpochs && spec.repeats() <= kMaxEpochs) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--epochs, --repeats: expected at most ", kMaxEpochs, ", found ",
                                                 spec.warmup_epochs(), " and ", spec.repeats(), " timed ones"));
}

uint32_t TotalEpochs(const proto::TrainingSpec& spec) { return spec.warmup_epochs() + spec.repeats(); }

uint32_t StepsPerEpoch(uint64_t images, uint32_t batch_size, DropLast drop_last) {
  return static_cast<uint32_t>(drop_last == DropLast::kYes ? images / batch_size
                                                           : (images + batch_size - 1) / batch_size);
}

absl::Status CheckSchedule(const proto::TrainingSpec& spec) {
  if (spec.schedule() == proto::MULTISTEP) {
    RETURN_IF_ERROR(CheckMultistep(spec));
  } else if (!spec.lr_milestones().empty() || spec.lr_gamma() != 0) {
    return absl::InvalidArgumentError("--lr_milestones and --lr_gamma belong to --schedule=multistep");
  }
  return CheckWarmup(spec);
}

double LearningRateOf(const proto::TrainingSpec& spec, uint32_t steps_per_epoch, uint32_t epoch, uint32_t step) {
  const double peak = spec.learning_rate();
  const double run_step = static_cast<double>(epoch) * steps_per_epoch + step;
  const double warmup_steps = WarmupSteps(spec, steps_per_epoch);
  if (run_step < warmup_steps) {
    const double start = spec.lr_warmup_start();
    return start > 0 ? start + (peak - start) * run_step / warmup_steps : peak * (run_step + 1) / warmup_steps;
  }
  switch (spec.schedule()) {
    case proto::MULTISTEP:
      return peak * MultistepFactor(spec, epoch);
    case proto::COSINE:
      return peak * CosineFactor(spec, epoch);
    case proto::ONE_CYCLE:
      return peak * OneCycleFactor(static_cast<double>(TotalEpochs(spec)) * steps_per_epoch, run_step);
    case proto::LINEAR: {
      const double total_steps = static_cast<double>(TotalEpochs(spec)) * steps_per_epoch;
      return peak * (total_steps - run_step) / (total_steps - warmup_steps);
    }
    default:
      return peak;
  }
}

}  // namespace lockstep
