#include "lib/scale_run/experiments.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/nearest_word.h"
#include "lib/base/status_macros.h"
#include "lib/networks/networks.h"
#include "lib/networks/optimizers.h"
#include "lib/scale_run/scale_plan.h"
#include "lib/train/schedule.h"

namespace lockstep {
namespace {

// One way to train with one batch.
struct Row {
  std::string name;
  uint32_t global_batch = 0;
  std::string buffers;
  proto::TrainingSpec training;  // complete except for the seed
  std::string left_out;          // reason why the row is not planned; empty: the row is planned
};

// Batches before and after the growth that a remedy compensates.
struct BatchGrowth {
  uint32_t base = 0;
  uint32_t batch = 0;  // batch after the growth, larger than `base`
  uint32_t ranks = 0;
};

// Change of the training recipe that is recommended for large batches.
struct Remedy {
  const char* name;
  // Changes the training, or returns the reason why it cannot.
  std::function<std::string(const BatchGrowth&, proto::TrainingSpec&)> apply;
  bool among_all = true;  // true: part of the row with all remedies; that row has its own learning rate
};

constexpr uint32_t kGhostImages = 128;    // maximum images per ghost batch (Hoffer et al. 2017)
constexpr uint32_t kMinGhostImages = 16;  // minimum, because noisy statistics cost accuracy (Wu and He 2018, figure 1)
constexpr double kClipNorm = 1;
constexpr double kTrust = 0.001;  // trust coefficient of LARS (You et al. 2017)
// Learning rates that won in short trials on CIFAR-10 (benchmarks/results/2026-11-23-h100-recipes).
constexpr double kLarsRate = 25;    // multiple of the plain rate
constexpr double kAllRate = 2;      // multiple of the plain rate times the square root of the batch's growth
constexpr double kSmoothing = 0.1;  // label smoothing, Szegedy et al. 2016

// Scales the rate with the batch. A network without other remedies survives this only up to some
// rate (Goyal et al. 2017, section 2.1).
std::string ScaleRate(const BatchGrowth& growth, proto::TrainingSpec& training) {
  training.set_learning_rate(training.learning_rate() * growth.batch / growth.base);
  return "";
}

// Warms up over a tenth of the epochs, at least one.
std::string WarmUp(const BatchGrowth&, proto::TrainingSpec& training) {
  if (training.schedule() == proto::ONE_CYCLE) {
    return "--schedule=one_cycle has its own warm-up";
  }
  if (training.lr_warmup_share() != 0) {
    return "--lr_warmup_share is a warm-up already";
  }
  if (TotalEpochs(training) < 2) {
    return "a run of one epoch has no epoch for a warm-up";
  }
  training.set_lr_warmup_epochs(std::max(1u, TotalEpochs(training) / 10));
  return "";
}

std::string NoBatchNorm(const proto::TrainingSpec& training) {
  return absl::StrCat(training.model(), " has no batch norm");
}

// Returns the images of a micro-batch: the largest divisor of a rank's batch that is at most kGhostImages.
uint32_t GhostImages(uint32_t rank_batch) {
  uint32_t images = std::min(kGhostImages, rank_batch);
  while (images > 1 && rank_batch % images != 0) {
    --images;
  }
  return images;
}

// Gives each micro-batch its own statistics.
std::string GhostBatchNorm(const BatchGrowth& growth, proto::TrainingSpec& training) {
  const uint32_t rank_batch = growth.batch / growth.ranks;
  if (!HasBatchNorm(training.model())) {
    return NoBatchNorm(training);
  }
  if (training.step() == proto::AUTOGRAD && training.cuda_graph()) {
    return "--cuda_graph=true with --step=autograd captures no step in micro-batches";
  }
  if (rank_batch <= kGhostImages) {
    return absl::StrCat("a rank's batch of ", rank_batch, " is not larger than the ", kGhostImages,
                        " images of a ghost batch");
  }
  const uint32_t images = GhostImages(rank_batch);
  if (images < kMinGhostImages) {
    return absl::StrCat("a rank's batch of ", rank_batch, " has no divisor from ", kMinGhostImages, " to ",
                        kGhostImages, " for its ghost batches");
  }
  training.set_accumulate(rank_batch / images);
  return "";
}

std::string Clip(const BatchGrowth&, proto::TrainingSpec& training) {
  training.set_clip_norm(kClipNorm);
  return "";
}

std::string ZeroGamma(const BatchGrowth&, proto::TrainingSpec& training) {
  if (!HasBatchNorm(training.model())) {
    return NoBatchNorm(training);
  }
  training.set_zero_gamma(true);
  return "";
}

std::string Lars(const BatchGrowth&, proto::TrainingSpec& training) {
  training.set_lars(kTrust);
  training.set_learning_rate(kLarsRate * training.learning_rate());
  return "";
}

std::string SmoothLabels(const BatchGrowth&, proto::TrainingSpec& training) {
  training.set_label_smoothing(kSmoothing);
  return "";
}

// Applies the remedies of Goyal et al. 2017 for the rate: the warm-up starts at the base batch's rate (section 2.2).
std::string ScaleRateAndWarmUp(const BatchGrowth& growth, proto::TrainingSpec& training) {
  training.set_lr_warmup_start(training.learning_rate());
  ScaleRate(growth, training);
  return WarmUp(growth, training);
}

// Applies the best combination found for a run of few updates.
std::string ClipGhosts(const BatchGrowth& growth, proto::TrainingSpec& training) {
  Clip(growth, training);
  return GhostBatchNorm(growth, training);
}

const std::vector<Remedy>& Remedies() {
  static const auto* remedies = new std::vector<Remedy>{
      {.name = "linear rate", .apply = ScaleRate, .among_all = false},
      {"warm-up", WarmUp},
      {"zero gamma", ZeroGamma},
      {"ghost batch norm", GhostBatchNorm},
      {"clipping", Clip},
      {.name = "LARS", .apply = Lars, .among_all = false},
      {"label smoothing", SmoothLabels},
      {.name = "linear rate and warm-up", .apply = ScaleRateAndWarmUp, .among_all = false},
      {.name = "clipping and ghost batch norm", .apply = ClipGhosts, .among_all = false},
  };
  return *remedies;
}

void SetCosine(proto::TrainingSpec& training) {
  training.set_schedule(proto::COSINE);
  training.clear_lr_milestones();
  training.clear_lr_gamma();
  if (training.lr_warmup_share() != 0) {  // the linear schedule's
    training.clear_lr_warmup_share();
    training.clear_lr_warmup_start();
  }
}

// Applies all remedies that this network and batch can have, for long runs. The rate rises to the linear rule's rate
// for a much smaller batch, and then falls to 0. In a run of few updates it is too high.
void ApplyAll(const BatchGrowth& growth, proto::TrainingSpec& training) {
  SetCosine(training);
  for (const Remedy& remedy : Remedies()) {
    if (remedy.among_all) {
      remedy.apply(growth, training);
    }
  }
  training.set_learning_rate(training.learning_rate() * kAllRate *
                             std::sqrt(static_cast<double>(growth.batch) / growth.base));
}

// Returns the epochs with which `batch` makes as many updates as `base` makes in the epochs of `training`.
uint32_t LongerEpochs(uint32_t base, uint32_t batch, uint64_t images, const proto::TrainingSpec& training) {
  const uint64_t updates = uint64_t{StepsPerEpoch(images, base, DropLast::kNo)} * TotalEpochs(training);
  const uint32_t steps = StepsPerEpoch(images, batch, DropLast::kNo);
  return std::max(static_cast<uint32_t>((updates + steps - 1) / steps), TotalEpochs(training));
}

void SetTotalEpochs(uint32_t epochs, proto::TrainingSpec& training) {
  training.set_repeats(epochs - training.warmup_epochs());
}

// Sets row.left_out to `reason` if the row trains in the same way as `same`.
void LeaveOutIfSame(const Row& same, const std::string& reason, Row& row) {
  if (row.left_out.empty() && row.training.SerializeAsString() == same.training.SerializeAsString()) {
    row.left_out = reason;
  }
}

std::string NoLonger(uint32_t epochs) {
  return absl::StrCat(epochs, epochs == 1 ? " epoch makes" : " epochs make",
                      " as many updates as the first batch already");
}

// Returns the first batch as it is, and the base rows for the rows with all remedies and for the longer rows: with
// their schedule, with their number of epochs, and with both.
std::vector<Row> BaseRows(const Row& base, const proto::ScaleSpec& spec, uint64_t images) {
  Row cosine = base;
  absl::StrAppend(&cosine.name, ", cosine");
  SetCosine(cosine.training);
  LeaveOutIfSame(base, "every row has that schedule", cosine);
  std::vector<Row> rows = {base, cosine};
  std::map<uint32_t, uint32_t> batch_of;  // first batch that needs each number of epochs for its longer rows
  for (int i = 1; i < spec.batch_size_size(); ++i) {
    batch_of.emplace(LongerEpochs(base.global_batch, spec.batch_size(i), images, base.training), spec.batch_size(i));
  }
  for (const auto& [epochs, batch] : batch_of) {
    const std::string as = batch_of.size() > 1 ? absl::StrCat(" (as ", batch, ")") : "";
    for (const Row& same : {base, cosine}) {
      Row& longer = rows.emplace_back(same);
      absl::StrAppend(&longer.name, ", longer", as);
      SetTotalEpochs(epochs, longer.training);
      LeaveOutIfSame(same, NoLonger(epochs), longer);
    }
  }
  return rows;
}

void AddRemedies(const Row& plain, const BatchGrowth& growth, uint64_t images, std::vector<Row>& rows) {
  for (const Remedy& remedy : Remedies()) {
    Row& row = rows.emplace_back(plain);
    absl::StrAppend(&row.name, ", ", remedy.name);
    row.left_out = remedy.apply(growth, row.training);
    if (!row.left_out.empty() && remedy.among_all) {
      absl::StrAppend(&row.left_out, "; the rows with all remedies omit it");
    }
    LeaveOutIfSame(plain, "every row has it", row);
  }
  Row& all = rows.emplace_back(plain);
  absl::StrAppend(&all.name, ", all");
  ApplyAll(growth, all.training);
  const uint32_t epochs = LongerEpochs(growth.base, growth.batch, images, plain.training);
  Row& longer = rows.emplace_back(plain);
  absl::StrAppend(&longer.name, ", longer");
  SetTotalEpochs(epochs, longer.training);
  LeaveOutIfSame(plain, NoLonger(epochs), longer);
  Row& best = rows.emplace_back(plain);
  absl::StrAppend(&best.name, ", all, longer");
  SetTotalEpochs(epochs, best.training);
  best.left_out = rows[rows.size() - 2].left_out;
  ApplyAll(growth, best.training);
}

std::vector<Row> LargeBatchRows(const proto::ScaleSpec& spec, uint64_t images) {
  const uint32_t base = spec.batch_size(0);
  std::vector<Row> rows = BaseRows({absl::StrCat(base), base, spec.buffers(), spec.training(), ""}, spec, images);
  for (int i = 1; i < spec.batch_size_size(); ++i) {
    const uint32_t batch = spec.batch_size(i);
    const Row plain = {absl::StrCat(batch), batch, spec.buffers(), spec.training(), ""};
    rows.push_back(plain);
    AddRemedies(plain, {base, batch, spec.ranks(0)}, images, rows);
  }
  return rows;
}

std::vector<Row> SamplerRows(const proto::ScaleSpec& spec) {
  Row with = {"with the epoch number", spec.batch_size(0), spec.buffers(), spec.training(), ""};
  Row without = with;
  without.name = "without";
  without.training.set_no_set_epoch(true);
  return {with, without};
}

std::vector<Row> SentRows(const proto::ScaleSpec& spec) {
  std::vector<Row> rows;
  for (const auto& [name, buffers] : {std::pair<const char*, const char*>{"gradients only", "local"},
                                      {"buffers broadcast", "broadcast"},
                                      {"batch norm over all ranks", "sync_bn"}}) {
    Row& row = rows.emplace_back(Row{name, spec.batch_size(0), buffers, spec.training(), ""});
    if (rows.size() > 1 && !HasBatchNorm(spec.training().model())) {
      row.left_out = NoBatchNorm(spec.training());
    }
  }
  return rows;
}

// Each optimizer has the learning rate of torch.optim; SGD, with and without Nesterov momentum, has that of the spec.
std::vector<Row> OptimizerRows(const proto::ScaleSpec& spec) {
  std::vector<Row> rows;
  for (const proto::OptimizerKind kind :
       {proto::SGD, proto::NESTEROV, proto::ADAM, proto::ADAMW, proto::ADAGRAD, proto::ADADELTA, proto::RMSPROP}) {
    Row& row = rows.emplace_back(Row{OptimizerWord(kind), spec.batch_size(0), spec.buffers(), spec.training(), ""});
    if (kind == proto::SGD) {
      row.training.clear_optimizer();
    } else {
      row.training.set_optimizer(kind);
    }
    if (!HasMomentum(kind)) {
      row.training.clear_momentum();
      row.training.set_learning_rate(DefaultLearningRate(kind, spec.training().model()));
      row.left_out = spec.training().step() == proto::FUSED ? "--step=fused updates by sgd and nesterov only" : "";
    }
  }
  return rows;
}

std::vector<Row> RowsOf(const proto::ScaleSpec& spec, uint64_t images) {
  return spec.experiment() == proto::LARGE_BATCH     ? LargeBatchRows(spec, images)
         : spec.experiment() == proto::SAMPLER_EPOCH ? SamplerRows(spec)
         : spec.experiment() == proto::OPTIMIZERS    ? OptimizerRows(spec)
                                                     : SentRows(spec);
}

absl::Status CheckExperiment(const proto::ScaleSpec& spec) {
  if (spec.mode() == proto::DP) {
    return absl::InvalidArgumentError("--experiment needs --mode=ddp; leave --mode=dp out");
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
                     " trains at one batch, found ", spec.batch_size_size(), "; give --batch_size=128"));
  }
  if (spec.experiment() == proto::OPTIMIZERS && spec.training().optimizer() != proto::OPTIMIZER_KIND_UNSPECIFIED) {
    return absl::InvalidArgumentError("--optimizer: --experiment=optimizers trains with each of them; leave it out");
  }
  if (spec.experiment() == proto::OPTIMIZERS && spec.training().lars() != 0) {
    return absl::InvalidArgumentError(
        "--lars is a rule for SGD; --experiment=optimizers also has others; leave it out");
  }
  if (spec.experiment() == proto::SAMPLER_EPOCH && spec.training().no_set_epoch()) {
    return absl::InvalidArgumentError(
        "--no_set_epoch: --experiment=sampler_epoch trains with and without it; leave it out");
  }
  for (const uint32_t batch : spec.batch_size()) {
    if (batch < spec.batch_size(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--experiment=large_batch compares larger batches with the first, found --batch_size=",
                       absl::StrJoin(spec.batch_size(), ","), "; give the smallest first"));
    }
  }
  return absl::OkStatus();
}

// Returns InvalidArgumentError for the first name in `wanted` that is no row's, or that of a row left out.
absl::Status CheckRows(const std::vector<Row>& rows, const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (row.left_out.empty()) {
      names.push_back(row.name);
    } else if (std::find(wanted.begin(), wanted.end(), row.name) != wanted.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--rows names '", row.name, "', which is left out: ", row.left_out));
    }
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

absl::StatusOr<ExperimentPlan> PlanExperiment(const proto::ScaleSpec& spec, const std::vector<std::string>& wanted,
                                              uint64_t images) {
  RETURN_IF_ERROR(CheckExperiment(spec));
  const std::vector<Row> rows = RowsOf(spec, images);
  RETURN_IF_ERROR(CheckRows(rows, wanted));
  ExperimentPlan plan;
  for (const Row& row : rows) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), row.name) == wanted.end()) {
      continue;
    }
    if (!row.left_out.empty()) {
      plan.left_out.push_back(absl::StrCat("row '", row.name, "': ", row.left_out));
      continue;
    }
    proto::ScaleSpec of_row = spec;
    of_row.set_batch_mode(proto::GLOBAL);
    of_row.mutable_batch_size()->Clear();
    of_row.add_batch_size(row.global_batch);
    of_row.set_buffers(row.buffers);
    *of_row.mutable_training() = row.training;
    ASSIGN_OR_RETURN(const std::vector<proto::ScalePoint> planned, PlanPoints(of_row, images));
    proto::ScalePoint point = planned.front();  // training point: PLAIN for one rank, else ALL_REDUCE
    point.set_row(row.name);
    for (uint32_t seed = 0; seed < spec.seeds(); ++seed) {
      *point.mutable_training() = row.training;
      point.mutable_training()->set_seed(spec.training().seed() + seed);
      plan.points.push_back(point);
    }
  }
  return plan;
}

}  // namespace lockstep
