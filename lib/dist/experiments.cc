#include "lib/dist/experiments.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/nearest_word.h"
#include "lib/base/status_macros.h"
#include "lib/dist/scale_plan.h"
#include "lib/scaling/batch_norm.h"
#include "lib/train/schedule.h"

namespace lockstep {
namespace {

// One way to train, at one batch.
struct Row {
  std::string name;
  uint32_t global_batch = 0;
  std::string buffers;
  proto::TrainingSpec training;  // but for the seed
};

// What is done about a large batch, and to which part of a recipe.
struct Remedy {
  const char* name;
  std::function<void(uint32_t base, uint32_t batch, uint32_t ranks, proto::TrainingSpec&)> apply;
  bool among_all = true;     // of the row with all remedies, which has a rate of its own
  bool of_residual = false;  // wants residual blocks or batch norm, which LeNet-5 has none of
};

constexpr uint32_t kGhostImages = 128;  // over which ghost batch norm counts (Hoffer et al. 2017)
constexpr double kClipNorm = 1;
constexpr double kTrust = 0.001;  // of LARS (You et al. 2017)
// The rates that won in short trials on CIFAR-10 (benchmarks/results/2026-11-23-h100-recipes).
constexpr double kLarsRate = 25;    // times the plain one
constexpr double kAllRate = 2;      // times the plain one and the square root of the batch's growth
constexpr double kSmoothing = 0.1;  // Szegedy et al. 2016

// The rate grows with the batch, up to what a network without other help survives (Goyal et al. 2017, section 2.1).
void ScaleRate(uint32_t base, uint32_t batch, uint32_t, proto::TrainingSpec& training) {
  training.set_learning_rate(training.learning_rate() * batch / base);
}

// A tenth of the epochs, at least one.
void WarmUp(uint32_t, uint32_t, uint32_t, proto::TrainingSpec& training) {
  training.set_lr_warmup_epochs(std::max(1u, TotalEpochs(training) / 10));
}

// Micro-batches have statistics of their own.
void GhostBatchNorm(uint32_t, uint32_t batch, uint32_t ranks, proto::TrainingSpec& training) {
  const uint32_t parts = batch / ranks / kGhostImages;
  if (parts > 1 && batch / ranks % parts == 0) {
    training.set_accumulate(parts);
  }
}

void Clip(uint32_t, uint32_t, uint32_t, proto::TrainingSpec& training) { training.set_clip_norm(kClipNorm); }

void Lars(uint32_t, uint32_t, uint32_t, proto::TrainingSpec& training) {
  training.set_lars(kTrust);
  training.set_learning_rate(kLarsRate * training.learning_rate());
}

// The remedies of Goyal et al. 2017 for the rate.
void ScaleRateAndWarmUp(uint32_t base, uint32_t batch, uint32_t ranks, proto::TrainingSpec& training) {
  ScaleRate(base, batch, ranks, training);
  WarmUp(base, batch, ranks, training);
}

// The best that was found for a run of few updates.
void ClipGhosts(uint32_t base, uint32_t batch, uint32_t ranks, proto::TrainingSpec& training) {
  Clip(base, batch, ranks, training);
  GhostBatchNorm(base, batch, ranks, training);
}

const std::vector<Remedy>& Remedies() {
  static const auto* remedies = new std::vector<Remedy>{
      {"linear rate", ScaleRate, false},
      {"warm-up", WarmUp},
      {"zero gamma", [](uint32_t, uint32_t, uint32_t, proto::TrainingSpec& t) { t.set_zero_gamma(true); }, true, true},
      {"ghost batch norm", GhostBatchNorm, true, true},
      {"clipping", Clip},
      {"LARS", Lars, false},
      {"label smoothing",
       [](uint32_t, uint32_t, uint32_t, proto::TrainingSpec& t) { t.set_label_smoothing(kSmoothing); }},
      {"linear rate and warm-up", ScaleRateAndWarmUp, false},
      {"clipping and ghost batch norm", ClipGhosts, false, true},
  };
  return *remedies;
}

bool IsFor(const Remedy& remedy, const proto::ScaleSpec& spec) {
  return !remedy.of_residual || HasBatchNorm(spec.training().model());
}

// All remedies together, for long runs: their rate climbs to what the linear rule says of a much smaller batch, and falls
// to nothing. In a run of few updates it is too high.
void ApplyAll(uint32_t base, uint32_t batch, const proto::ScaleSpec& spec, proto::TrainingSpec& training) {
  const uint32_t ranks = spec.ranks(0);
  for (const Remedy& remedy : Remedies()) {
    if (remedy.among_all && IsFor(remedy, spec)) {
      remedy.apply(base, batch, ranks, training);
    }
  }
  training.set_learning_rate(training.learning_rate() * kAllRate * std::sqrt(static_cast<double>(batch) / base));
  training.set_schedule(proto::COSINE);
}

// As many epochs as give the updates that `base` gives in those that are there.
void TrainLonger(uint32_t base, uint32_t batch, uint64_t images, proto::TrainingSpec& training) {
  const uint64_t updates = uint64_t{StepsPerEpoch(images, base, false)} * TotalEpochs(training);
  const uint32_t steps = StepsPerEpoch(images, batch, false);
  const auto epochs = static_cast<uint32_t>((updates + steps - 1) / steps);
  training.set_repeats(std::max(epochs, TotalEpochs(training)) - training.warmup_epochs());
}

std::vector<Row> LargeBatchRows(const proto::ScaleSpec& spec, uint64_t images) {
  const uint32_t base = spec.batch_size(0);
  const uint32_t ranks = spec.ranks(0);
  std::vector<Row> rows = {{absl::StrCat(base), base, spec.buffers(), spec.training()}};
  for (int i = 1; i < spec.batch_size_size(); ++i) {
    const uint32_t batch = spec.batch_size(i);
    const Row plain = {absl::StrCat(batch), batch, spec.buffers(), spec.training()};
    rows.push_back(plain);
    for (const Remedy& remedy : Remedies()) {
      if (!IsFor(remedy, spec)) {
        continue;
      }
      Row& row = rows.emplace_back(plain);
      absl::StrAppend(&row.name, ", ", remedy.name);
      remedy.apply(base, batch, ranks, row.training);
    }
    Row& all = rows.emplace_back(plain);
    absl::StrAppend(&all.name, ", all");
    ApplyAll(base, batch, spec, all.training);
    Row& longer = rows.emplace_back(plain);
    absl::StrAppend(&longer.name, ", longer");
    TrainLonger(base, batch, images, longer.training);
    Row& best = rows.emplace_back(plain);
    absl::StrAppend(&best.name, ", all, longer");
    TrainLonger(base, batch, images, best.training);
    ApplyAll(base, batch, spec, best.training);
  }
  return rows;
}

std::vector<Row> SamplerRows(const proto::ScaleSpec& spec) {
  Row with = {"with the epoch number", spec.batch_size(0), spec.buffers(), spec.training()};
  Row without = with;
  without.name = "without";
  without.training.set_fixed_order(true);
  return {with, without};
}

std::vector<Row> SentRows(const proto::ScaleSpec& spec) {
  std::vector<Row> rows;
  for (const auto& [name, buffers] : {std::pair<const char*, const char*>{"gradients only", "local"},
                                      {"buffers broadcast", "broadcast"},
                                      {"batch norm over all ranks", "sync_bn"}}) {
    rows.push_back({name, spec.batch_size(0), buffers, spec.training()});
  }
  return rows;
}

std::vector<Row> RowsOf(const proto::ScaleSpec& spec, uint64_t images) {
  return spec.experiment() == proto::LARGE_BATCH     ? LargeBatchRows(spec, images)
         : spec.experiment() == proto::SAMPLER_EPOCH ? SamplerRows(spec)
                                                     : SentRows(spec);
}

absl::Status CheckExperiment(const proto::ScaleSpec& spec) {
  if (spec.mode() == proto::DP) {
    return absl::InvalidArgumentError("--experiment is of --mode=ddp; leave --mode=dp out");
  }
  if (spec.ranks_size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--experiment trains on one number of ranks, found --ranks=", absl::StrJoin(spec.ranks(), ",")));
  }
  if (spec.seeds() == 0) {
    return absl::InvalidArgumentError("--seeds=0: expected at least one for each row");
  }
  if (spec.batch_size().empty() || (spec.experiment() != proto::LARGE_BATCH && spec.batch_size_size() != 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--experiment=", absl::AsciiStrToLower(proto::Experiment_Name(spec.experiment())),
                     " trains at one batch, found ", spec.batch_size_size(), "; give --batch=128"));
  }
  return absl::OkStatus();
}

// The first name in `wanted` that is no row's, or OK.
absl::Status CheckRows(const std::vector<Row>& rows, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    names.push_back(row.name);
  }
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string near = NearestWord(name, names);
      return absl::InvalidArgumentError(absl::StrCat("--rows names '", name,
                                                     "'; expected some of: ", absl::StrJoin(names, "; "),
                                                     near.empty() ? "" : absl::StrCat("; did you mean ", near, "?")));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<proto::ScalePoint>> PlanExperiment(const proto::ScaleSpec& spec,
                                                              const std::vector<std::string>& wanted, uint64_t images) {
  RETURN_IF_ERROR(CheckExperiment(spec));
  const std::vector<Row> rows = RowsOf(spec, images);
  RETURN_IF_ERROR(CheckRows(rows, wanted));
  std::vector<proto::ScalePoint> points;
  for (const Row& row : rows) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), row.name) == wanted.end()) {
      continue;
    }
    proto::ScaleSpec of_row = spec;
    of_row.set_batch_mode(proto::GLOBAL);
    of_row.mutable_batch_size()->Clear();
    of_row.add_batch_size(row.global_batch);
    of_row.set_buffers(row.buffers);
    *of_row.mutable_training() = row.training;
    ASSIGN_OR_RETURN(const std::vector<proto::ScalePoint> planned, PlanPoints(of_row, images));
    proto::ScalePoint point = planned.front();  // the one that trains: PLAIN of one rank, else ALL_REDUCE
    point.set_row(row.name);
    for (uint32_t seed = 0; seed < spec.seeds(); ++seed) {
      *point.mutable_training() = row.training;
      point.mutable_training()->set_seed(spec.training().seed() + seed);
      points.push_back(point);
    }
  }
  return points;
}

}  // namespace lockstep
