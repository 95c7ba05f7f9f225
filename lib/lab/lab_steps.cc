#include "lib/lab/lab_steps.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/path.h"
#include "lib/dataset/batch_choice.h"
#include "lib/lab/lab_costs.h"
#include "lib/lab/lab_experiments.h"
#include "lib/networks/fused_shape.h"
#include "lib/networks/int8_shape.h"
#include "lib/wording/small_experiments.h"

namespace lockstep {
namespace {

// Extent of a batch sweep and a scaling run.
struct Extent {
  std::vector<uint32_t> scaled;  // batches per device
  std::vector<uint32_t> swept;   // further batches of the sweep
  uint32_t repeats = 1;
};

// Settings of one table: ResNet-18 with the fast preset, or a model in fp32.
struct Table {
  std::string model;
  std::string preset;  // "lab" or "fast"
  std::string suffix;  // end of the records' names: "_fast"
};

constexpr uint32_t kGpuSweep[] = {32, 64, 128, 256, 512, 1024, 2048};
constexpr uint32_t kCpuSweep[] = {32, 64, 128, 256, 512};
constexpr uint32_t kLeNetBatch = 32;  // batch at which LeNet-5 is trained for int8

std::vector<std::string> TableFlags(const LabRequest& request, const Table& table) {
  return {table.preset == "fast" ? "--preset=fast" : absl::StrCat("--model=", table.model),
          absl::StrCat("--device=", request.device)};
}

// Returns the batches of the sweep: the extent's, and N x batch on one device, the base cases of the strong speed-ups.
std::vector<uint32_t> SweptBatches(const Extent& extent, const LabFacts& facts) {
  std::set<uint32_t> batches(extent.swept.begin(), extent.swept.end());
  for (const uint32_t batch : extent.scaled) {
    for (const uint32_t ranks : RanksOf(facts)) {
      batches.insert(batch * ranks);
    }
  }
  return {batches.begin(), batches.end()};
}

LabStep SweepStep(const LabRequest& request, const LabFacts& facts, const Table& table, const Extent& extent) {
  const std::vector<uint32_t> batches = SweptBatches(extent, facts);
  std::vector<std::string> flags = TableFlags(request, table);
  flags.push_back(absl::StrCat("--batch_size=", NumberList(batches)));
  flags.push_back(absl::StrCat("--repeats=", extent.repeats));
  if (facts.gpus == 0) {
    // Two ranks share the cores. The sweep gets as many threads as one rank, so that its points are base cases.
    flags.push_back(absl::StrCat("--threads=", facts.cpu_threads));
  }
  LabStep step = MakeStep(request, "train_sweep", DatasetRecord(request), flags, absl::StrCat("sweep", table.suffix));
  for (const uint32_t batch : batches) {
    step.seconds +=
        PointSeconds(facts) + (1 + extent.repeats) * EpochSecondsOn(facts, table.model, table.preset, 1, batch);
  }
  return step;
}

// Returns a scaling run. One device is measured with and without the reducer, several with and without all-reduces.
LabStep ScaleStep(const LabRequest& request, const LabFacts& facts, const Table& table, const Extent& extent,
                  const std::string& mode) {
  std::vector<std::string> flags = TableFlags(request, table);
  flags.push_back(absl::StrCat("--ranks=", NumberList(RanksOf(facts))));
  flags.push_back(absl::StrCat("--batch_size=", NumberList(extent.scaled)));
  flags.push_back(absl::StrCat("--repeats=", extent.repeats));
  flags.push_back("--noevaluate");
  if (mode == "dp") {
    flags.push_back("--mode=dp");
  }
  LabStep step = MakeStep(request, "scale_run", DatasetRecord(request), flags, absl::StrCat("scale", table.suffix));
  const int points = mode == "dp" ? 1 : 2;
  for (const uint32_t batch : extent.scaled) {
    for (const uint32_t ranks : RanksOf(facts)) {
      step.seconds += points * (PointSeconds(facts) +
                                (1 + extent.repeats) * EpochSecondsOn(facts, table.model, table.preset, ranks, batch));
    }
  }
  return step;
}

LabStep CommModelStep(const LabRequest& request, const std::string& sweep, const std::string& suffix,
                      const std::vector<std::string>& flags) {
  std::vector<std::string> all = {absl::StrCat("--sweep=", LabRecord(request, sweep))};
  all.insert(all.end(), flags.begin(), flags.end());
  LabStep step = MakeStep(request, "comm_model", LabRecord(request, absl::StrCat("scale", suffix)), all,
                          absl::StrCat("comm_model", suffix));
  step.seconds = kCommModelSeconds;
  step.is_derived = true;
  return step;
}

std::string TextOf(const Extent& extent) {
  return absl::StrCat("batch ", absl::StrJoin(extent.scaled, ", "), "; ", extent.repeats,
                      extent.repeats == 1 ? " repeat" : " repeats");
}

// Returns the extents from the shortest to the longest; each has the batches of the one before. A value that the user
// gave is the same in all of them. The fast preset is repeated in each extent: its epochs are short, and without
// repeats no two batches can be told apart.
std::vector<Extent> Extents(const LabRequest& request, const LabFacts& facts, const std::vector<uint32_t>& batches,
                            bool is_fast) {
  const auto repeats = [&](uint32_t chosen) { return request.repeats > 0 ? request.repeats : chosen; };
  const std::vector<uint32_t> wanted = !request.batches.empty() ? request.batches
                                       : facts.gpus > 0
                                           ? std::vector<uint32_t>(std::begin(kGpuSweep), std::end(kGpuSweep))
                                           : std::vector<uint32_t>(std::begin(kCpuSweep), std::end(kCpuSweep));
  const std::vector<uint32_t> sweep = FittingBatches(wanted, facts.train_images, 1);
  const std::vector<uint32_t> middle =
      request.batches.empty() ? std::vector<uint32_t>{batches[batches.size() / 2]} : batches;
  const std::vector<uint32_t> given = request.batches.empty() ? std::vector<uint32_t>{} : sweep;
  if (is_fast) {
    std::vector<uint32_t> larger(batches.begin() + static_cast<ptrdiff_t>(batches.size() / 2), batches.end());
    return {{middle, given, repeats(3)},
            {request.batches.empty() ? larger : batches, given, repeats(3)},
            {batches, given, repeats(3)},
            {batches, sweep, repeats(5)}};
  }
  return {{middle, given, repeats(1)},
          {batches, given, repeats(1)},
          {batches, given, repeats(3)},
          {batches, sweep, repeats(5)}};
}

// Returns the unit of one table. `audited` is a flag of comm_model for the published tables, or empty.
LabUnit TableUnit(const LabRequest& request, const LabFacts& facts, const std::vector<uint32_t>& batches,
                  const Table& table, const std::string& audited) {
  LabUnit unit;
  unit.name = table.preset == "fast" ? "fast" : "fp32";
  unit.may_shrink = true;  // a longer sweep has all base cases of a shorter scaling run
  unit.about = absl::StrCat(table.model, unit.name == "fast" ? ", fast preset in bf16" : " in fp32",
                            ": batches, scaling, communication (Q1 to Q3)");
  if (table.preset == "fast" && !HasFastPreset(request, facts)) {
    unit.excluded = absl::StrCat("its step needs square images of ", kMinFusedImageSize, " to ", kMaxFusedImageSize,
                                 " pixels in steps of ", kFusedImageSizeStep, ", and at most ", kMaxFusedClasses,
                                 " classes; the data set has ", ShapeText(facts));
    return unit;
  }
  std::vector<std::string> flags;
  if (const std::vector<uint32_t> ranks = RanksOf(facts); ranks.size() > 2) {
    // The last number of ranks is hidden from the models, predicted and compared.
    flags.push_back(absl::StrCat("--fit_ranks=", ranks[ranks.size() - 2]));
  }
  if (!audited.empty()) {
    flags.push_back(audited);
  }
  for (const Extent& extent : Extents(request, facts, batches, table.preset == "fast")) {
    LabVariant variant = {TextOf(extent),
                          {SweepStep(request, facts, table, extent), ScaleStep(request, facts, table, extent, "ddp"),
                           CommModelStep(request, absl::StrCat("sweep", table.suffix), table.suffix, flags)}};
    if (unit.variants.empty() || unit.variants.back().steps[0].command != variant.steps[0].command ||
        unit.variants.back().steps[1].command != variant.steps[1].command) {
      unit.variants.push_back(std::move(variant));
    }
  }
  return unit;
}

LabUnit DataParallelUnit(const LabRequest& request, const LabFacts& facts, const std::vector<uint32_t>& batches) {
  LabUnit unit = {.name = "dp", .about = "DataParallel next to DistributedDataParallel", .needs = "fp32"};
  unit.has_question = false;
  const Table table = {ModelOf(request, facts), "lab", "_dp"};
  for (const Extent& extent : Extents(request, facts, batches, false)) {
    LabVariant variant = {TextOf(extent),
                          {ScaleStep(request, facts, table, extent, "dp"), CommModelStep(request, "sweep", "_dp", {})}};
    if (unit.variants.empty() || unit.variants.back().steps[0].command != variant.steps[0].command) {
      unit.variants.push_back(std::move(variant));
    }
  }
  return unit;
}

// Returns the training of LeNet-5 with or without biases, and its checkpoint's path.
LabStep LeNetStep(const LabRequest& request, const LabFacts& facts, const std::string& model, uint32_t epochs) {
  const uint32_t batch = FittingBatches({kLeNetBatch}, facts.train_images, 1).front();
  std::vector<std::string> flags = {absl::StrCat("--model=", model), absl::StrCat("--device=", request.device),
                                    absl::StrCat("--batch_size=", batch), absl::StrCat("--epochs=", epochs)};
  if (facts.gpus == 0) {
    flags.push_back(absl::StrCat("--threads=", facts.cpu_threads));
  }
  flags.push_back(absl::StrCat("--checkpoint=", JoinPath(request.output, absl::StrCat(model, ".pt"))));
  LabStep step = MakeStep(request, "train_sweep", DatasetRecord(request), flags, model);
  step.seconds = PointSeconds(facts) + epochs * EpochSecondsOn(facts, "lenet5", "lab", 1, batch);
  return step;
}

LabUnit Int8Unit(const LabRequest& request, const LabFacts& facts) {
  LabUnit unit = {.name = "int8", .about = "LeNet-5 in int8 (B1 to B5)"};
  if (!IsInt8Shape(facts.classes, facts.height, facts.width)) {
    unit.excluded = absl::StrCat("quantize needs ", Int8ShapeText(), "; the data set has ", ShapeText(facts));
    return unit;
  }
  const uint32_t calibration =
      request.calibration_images > 0 ? request.calibration_images : std::min<uint32_t>(400, facts.train_images);
  // An epoch of few images makes few updates.
  const std::vector<uint32_t> epochs = facts.gpus > 0               ? std::vector<uint32_t>{5, 10}
                                       : facts.train_images <= 4096 ? std::vector<uint32_t>{10, 40}
                                                                    : std::vector<uint32_t>{2, 4};
  for (const uint32_t count : epochs) {
    LabStep quantize = MakeStep(request, "quantize", DatasetRecord(request),
                                {absl::StrCat("--checkpoint=", JoinPath(request.output, "lenet5.pt"), ",",
                                              JoinPath(request.output, "lenet5_bias.pt")),
                                 absl::StrCat("--calibration_images=", calibration)},
                                "quantized");
    quantize.seconds = QuantizeSeconds(facts);
    unit.variants.push_back(
        {absl::StrCat(count, " epochs"),
         {LeNetStep(request, facts, "lenet5", count), LeNetStep(request, facts, "lenet5_bias", count), quantize}});
  }
  return unit;
}

}  // namespace

std::string ProbeRecord(const LabRequest& request) { return LabRecord(request, ".probe"); }

std::vector<LabStep> PreparationSteps(const LabRequest& request, const LabFacts& facts) {
  const uint32_t classes = LabFacts().classes;
  std::vector<LabStep> steps;
  if (request.input.empty()) {
    steps.push_back(SyntheticStep(request, SyntheticImages(request, facts), classes, "dataset"));
  } else if (!InputIsRecord(request)) {
    const std::vector<std::string> flags(request.allow_partial ? 1 : 0, "--allow_partial");
    steps.push_back(MakeStep(request, "cifar_prep", request.input, flags, "dataset"));
  }
  if (facts.gpus == 0) {
    // Their names begin with a point, so that a folder given to report does not include them.
    LabStep few = SyntheticStep(request, kFewImages, classes, ".few");
    LabStep probe = MakeStep(request, "train_sweep", LabRecord(request, ".few"),
                             {"--model=lenet5", "--device=cpu", absl::StrCat("--batch_size=", kProbeBatch),
                              "--repeats=5", "--noevaluate", "--threads=1"},
                             ".probe");
    few.is_shown = probe.is_shown = false;
    steps.push_back(std::move(few));
    steps.push_back(std::move(probe));
  }
  return steps;
}

std::vector<LabUnit> LabUnits(const LabRequest& request, const LabFacts& facts, const std::vector<uint32_t>& batches) {
  std::string audited = facts.published.empty() ? "" : absl::StrCat("--audit=", absl::StrJoin(facts.published, ","));
  std::vector<LabUnit> units;
  if (AsksForFastPreset(request, facts)) {
    units.push_back(TableUnit(request, facts, batches, {"resnet18", "fast", "_fast"}, audited));
  }
  if (HasFastPreset(request, facts)) {
    audited.clear();  // the fast preset's unit has them
  }
  units.push_back(TableUnit(request, facts, batches, {ModelOf(request, facts), "lab", ""}, audited));
  units.push_back(Int8Unit(request, facts));
  for (LabUnit& unit : ExperimentUnits(request, facts)) {
    units.push_back(std::move(unit));
  }
  if (RanksOf(facts).size() > 1) {
    units.push_back(DataParallelUnit(request, facts, batches));
  }
  return units;
}

LabStep ReportStep(const LabRequest& request, const std::vector<std::string>& records) {
  LabStep step;
  step.command = {"report", absl::StrCat("--output=", JoinPath(request.output, "report.html")),
                  absl::StrCat("--input=", absl::StrJoin(records, ","))};
  step.command.insert(step.command.end(), request.report_flags.begin(), request.report_flags.end());
  step.record = LabRecord(request, "report");
  step.seconds = kReportSeconds;
  step.is_derived = true;
  if (request.force) {
    step.command.push_back("--force");
  }
  return step;
}

}  // namespace lockstep
