#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/renamed_flags.h"
#include "lib/lab_records/scaling_view.h"
#include "lib/report/sections.h"
#include "lib/report/sweep_detail.h"
#include "lib/statistics/unit.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

constexpr int kMaxEpochsShown = 12;

// Returns the reason why a point has no numbers.
std::string PointReason(const proto::SweepPoint& point) {
  return absl::StrCat("batch ", point.batch_size(), ": ", DescribeOutcome(point.outcome()),
                      point.detail().empty() ? "" : absl::StrCat(" (", point.detail(), ")"));
}

// Returns a rate derived from the mean of `seconds`; blank for the same reason as `seconds`.
proto::Cell PerSecond(double amount, const proto::Samples& seconds, double scale, absl::string_view method) {
  const double mean = MeanAndDeviationOf(seconds).mean;
  return mean > 0 ? NumberCell(amount * scale / mean, proto::DERIVED, method)
                  : AbsentCell(seconds.absent_reason().empty() ? "its time is missing" : seconds.absent_reason());
}

// Returns " of 64x64, with 37 classes"; empty for CIFAR-10's shape, and for older records, which do not state it.
std::string ImagesText(const proto::ModelFacts& model) {
  const bool is_cifar10 =
      (model.classes() == 10 && model.height() == 32 && model.width() == 32) || model.classes() == 0;
  return is_cifar10 ? ""
                    : absl::StrCat(" of ", model.height(), "x", model.width(), ", with ", model.classes(), " classes");
}

proto::Cell MemoryCell(const proto::SweepPoint& point, proto::DeviceKind device) {
  if (point.peak_memory_bytes() == 0) {
    return AbsentCell("peak memory is not in the record");
  }
  return NumberCell(static_cast<double>(point.peak_memory_bytes()) / kGigabytes.size, proto::MEASURED,
                    device == proto::CUDA ? "the device allocator's peak; GB = 1e9 bytes"
                                          : "the process's peak resident set; GB = 1e9 bytes");
}

proto::Cell GigabytesCell(uint64_t bytes, absl::string_view method) {
  return bytes == 0 ? AbsentCell("not in the record")
                    : NumberCell(static_cast<double>(bytes) / kGigabytes.size, proto::MEASURED, method);
}

proto::Table SweepTable(const LabSweep& sweep) {
  proto::Table table =
      MakeTable(SweepTitle(sweep.points.size() > 1 ? "Q1: epoch time against batch size" : "Epoch time", sweep),
                {"batch", "epoch without loading, s", "epoch with loading, s", "images/s", kTeraflopsPerSecond.name,
                 "steps", "last step", HeadingOf("peak memory", kGigabytes), "outcome"});
  for (const proto::SweepPoint& point : sweep.points) {
    const proto::Cell batch = LabelCell(FormatCount(point.batch_size()));
    const proto::Cell outcome = LabelCell(DescribeOutcome(point.outcome()));
    if (point.outcome() != proto::COMPLETED) {
      std::vector<proto::Cell> cells(7, AbsentCell(PointReason(point)));
      cells.insert(cells.begin(), batch);
      cells.push_back(outcome);
      AddRow(table, cells);
      continue;
    }
    const double images = static_cast<double>(point.images_per_epoch());
    AddRow(table, {batch, SamplesCell(point.step_seconds()), SamplesCell(point.epoch_seconds()),
                   PerSecond(images, point.epoch_seconds(), 1, "images of an epoch / mean epoch with loading"),
                   PerSecond(images * TrainingFlopPerImage(sweep.spec.model()), point.step_seconds(),
                             kTeraflopsPerSecond.scale,
                             "2 FLOP x 3 passes x forward MACs x images / mean epoch without loading"),
                   CountCell(point.steps_per_epoch(), proto::MEASURED, ""),
                   CountCell(point.tail_batch(), proto::MEASURED, "images of the epoch's last step"),
                   MemoryCell(point, sweep.spec.training().device()), outcome});
  }
  AddMethodNotes(table);
  table.add_note(absl::StrCat(DescribeEnd(sweep.end), " Timing: ", DescribeTiming(sweep.spec.training()), "."));
  table.add_note(absl::StrCat("Model: ", FormatCount(sweep.spec.model().parameter_count()), " parameters, ",
                              FormatNumber(sweep.spec.model().forward_macs_per_image() / 1e6),
                              " million multiply-accumulates forward per image", ImagesText(sweep.spec.model()),
                              " (counted on the built model)."));
  return table;
}

proto::Table PartsTable(const LabSweep& sweep) {
  proto::Table table = MakeTable(
      SweepTitle("Parts of an epoch", sweep),
      {"batch", "waiting for data, s", "copy to device, s", "forward, s", "backward, s", "optimizer, s", "clock"});
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.outcome() != proto::COMPLETED) {
      continue;
    }
    AddRow(table, {LabelCell(FormatCount(point.batch_size())), SamplesCell(point.data_wait_seconds()),
                   SamplesCell(point.copy_seconds()), SamplesCell(point.forward_seconds()),
                   SamplesCell(point.backward_seconds()), SamplesCell(point.optimizer_seconds()),
                   LabelCell(point.timing_method())});
  }
  if (table.row().empty()) {
    table.set_absent_reason("no point was completed");
  }
  AddMethodNotes(table);
  return table;
}

// Adds the memory that was predicted and the memory that was used; no table if nothing was predicted.
void AddMemory(const LabSweep& sweep, proto::Section& section) {
  proto::Table table = MakeTable(SweepTitle(HeadingOf("Memory", kGigabytes), sweep),
                                 {"batch", "predicted", "peak", "peak of timed epochs",
                                  "predicted / peak of timed epochs", "available to training"});
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.predicted_memory_bytes() == 0 || point.peak_memory_bytes() == 0) {
      continue;
    }
    const auto predicted = static_cast<double>(point.predicted_memory_bytes());
    const uint64_t peak =
        point.timed_peak_memory_bytes() != 0 ? point.timed_peak_memory_bytes() : point.peak_memory_bytes();
    const auto timed = static_cast<double>(peak);
    AddRow(table,
           {LabelCell(FormatCount(point.batch_size())),
            NumberCell(predicted / kGigabytes.size, proto::MODELLED,
                       "parameters with their state, activations, and for the fused step also the data set and "
                       "an estimate of the convolutions' workspaces"),
            MemoryCell(point, sweep.spec.training().device()),
            GigabytesCell(point.timed_peak_memory_bytes(), "the same without the first epoch, which tries algorithms"),
            NumberCell(predicted / timed, proto::MODELLED, "predicted / peak"),
            GigabytesCell(point.available_memory_bytes(),
                          "free at the end of training, plus the memory held by training; the rest belongs to the CUDA "
                          "context and libraries")});
  }
  if (!table.row().empty()) {
    AddMethodNotes(table);
    *section.add_table() = std::move(table);
  }
}

// Returns the epochs that a table shows: all, or the first ones and the last if there are many.
std::vector<const proto::EpochResult*> ShownEpochs(
    const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs) {
  std::vector<const proto::EpochResult*> shown;
  for (int i = 0; i < epochs.size(); ++i) {
    if (epochs.size() <= kMaxEpochsShown || i < kMaxEpochsShown - 1 || i == epochs.size() - 1) {
      shown.push_back(&epochs[i]);
    }
  }
  return shown;
}

// Returns the point of a row of the table: "batch 32, ".
std::string PlaceOf(const std::vector<proto::Cell>& labels, const proto::Table& table) {
  std::string place;
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    absl::StrAppend(&place, table.column(i), " ", labels[static_cast<size_t>(i)].text(), ", ");
  }
  return place;
}

// Adds a note on the accuracy on held-out images, which at most one epoch of a point has.
void AddValidationNote(const std::vector<proto::Cell>& labels, const proto::EpochResult& epoch, proto::Table& table) {
  table.add_note(absl::StrCat("Validation accuracy, ", PlaceOf(labels, table), "epoch ", epoch.epoch() + 1, ": ",
                              FormatPercent(epoch.validation_accuracy()),
                              " % of the training images that were held out (measured)."));
}

// Adds a note on the last accuracy with mirror images. No table and no comparison uses these accuracies.
void AddMirroredNote(const std::vector<proto::Cell>& labels, const proto::EpochResult& epoch, proto::Table& table) {
  table.add_note(absl::StrCat("Test accuracy with mirror images, ", PlaceOf(labels, table), "epoch ", epoch.epoch() + 1,
                              ": ", FormatPercent(epoch.mirrored_test_accuracy()),
                              " % of the whole test set, by the mean of the logits of each image and its mirror image "
                              "(measured). All other accuracies are of the plain images."));
}

void AddEpochs(const std::vector<proto::Cell>& labels,
               const google::protobuf::RepeatedPtrField<proto::EpochResult>& epochs, proto::Table& table) {
  for (const proto::EpochResult* epoch : ShownEpochs(epochs)) {
    std::vector<proto::Cell> cells = labels;
    cells.push_back(LabelCell(absl::StrCat(epoch->epoch() + 1, epoch->warmup() ? " (warm-up)" : "")));
    cells.push_back(LabelCell(FormatNumber(epoch->learning_rate(), 3)));
    cells.push_back(NumberCell(epoch->mean_loss(), proto::MEASURED, "mean over the epoch's images during training"));
    cells.push_back(PercentCell(epoch->train_accuracy(), proto::MEASURED, "of the epoch's images while training"));
    cells.push_back(epoch->has_test_accuracy()
                        ? PercentCell(epoch->test_accuracy(), proto::MEASURED, "of the whole test set")
                        : AbsentCell("not evaluated after this epoch"));
    AddRow(table, cells);
  }
  if (!epochs.empty() && epochs[epochs.size() - 1].has_validation_accuracy()) {
    AddValidationNote(labels, epochs[epochs.size() - 1], table);
  }
  if (!epochs.empty() && epochs[epochs.size() - 1].has_mirrored_test_accuracy()) {
    AddMirroredNote(labels, epochs[epochs.size() - 1], table);
  }
  if (epochs.size() > kMaxEpochsShown) {
    table.add_note(absl::StrCat("Of ", epochs.size(), " epochs the first ", kMaxEpochsShown - 1,
                                " and the last are shown; the record has all."));
  }
}

// Returns a sentence on --target_accuracy: whether, when and after how much time it was reached.
std::string DescribeTarget(const proto::SweepPoint& point) {
  const proto::TargetAccuracy& target = point.target();
  const std::string wanted = absl::StrCat("Batch ", FormatCount(point.batch_size()), ": ",
                                          FormatNumber(100 * target.accuracy()), " % of the test set was ");
  if (!target.reached()) {
    return absl::StrCat(wanted, "not reached.");
  }
  return absl::StrCat(wanted, "reached after epoch ", target.epoch() + 1, ", in ",
                      FormatNumber(target.training_seconds()), " s of training, ", FormatNumber(target.total_seconds()),
                      " s with the evaluations (measured).");
}

void FinishEpochTable(proto::Table& table, proto::Section& section) {
  if (!table.row().empty()) {
    AddMethodNotes(table);
    *section.add_table() = std::move(table);
  }
}

std::string DescribeReason(const proto::SweepEnd& end) {
  const std::string detail = end.detail().empty() ? "" : absl::StrCat(" (", WithPresentFlags(end.detail()), ")");
  switch (end.reason()) {
    case proto::END_OUT_OF_MEMORY:
      return absl::StrCat("The batch sweep ended because the next batch did not fit into memory", detail, ".");
    case proto::END_EXCEEDS_DATASET:
      return absl::StrCat("The batch sweep ended because the next batch would be larger than the training set", detail,
                          ", not because memory ran out.");
    case proto::END_MAX_BATCH:
      return absl::StrCat("The batch sweep ended with the last batch requested", detail,
                          ", not because memory ran out.");
    case proto::END_KILLED:
      return absl::StrCat("The batch sweep ended because the next batch's process was killed", detail, ".");
    case proto::END_FAILED:
      return absl::StrCat("The batch sweep ended because the next batch failed", detail, ".");
    default:
      return "The record does not say why the batch sweep ended.";
  }
}

// Returns the result of --find_max; empty if there was no search.
std::string DescribeLargest(const proto::SweepEnd& end) {
  if (end.largest_fitting_batch() == 0) {
    return "";
  }
  return absl::StrCat(" The largest batch that fits is ", FormatCount(end.largest_fitting_batch()),
                      end.smallest_failing_batch() != 0 ? absl::StrCat(": ", FormatCount(end.smallest_failing_batch()),
                                                                       " was tried and does not fit.")
                                                        : ", limited by the data set or --max_batch, not memory.");
}

}  // namespace

std::string DescribeEnd(const proto::SweepEnd& end) { return absl::StrCat(DescribeReason(end), DescribeLargest(end)); }

proto::Section SweepSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("sweep");
  section.set_title("Batch size on one device (Q1)");
  for (const LabSweep& sweep : lab.sweeps) {
    *section.add_table() = SweepTable(sweep);
    *section.add_table() = PartsTable(sweep);
    AddStepTables(sweep, section);
    AddMemory(sweep, section);
    AddDeviceTables(sweep, section);
  }
  if (lab.sweeps.empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Q1: epoch time against batch size", {});
    table.set_absent_reason("no sweep.rec among the inputs; train_sweep makes it");
  }
  return section;
}

proto::Section TrainingSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("training");
  section.set_title("Loss and accuracy");
  const std::vector<std::string> results = {"epoch", "learning rate", "mean loss", "train accuracy, %",
                                            "test accuracy, %"};
  for (const LabSweep& sweep : lab.sweeps) {
    std::vector<std::string> columns = results;
    columns.insert(columns.begin(), "batch");
    proto::Table table = MakeTable(SweepTitle("Loss and accuracy per epoch", sweep), columns);
    for (const proto::SweepPoint& point : sweep.points) {
      AddEpochs({LabelCell(FormatCount(point.batch_size()))}, point.epoch(), table);
      if (point.has_target()) {
        table.add_note(DescribeTarget(point));
      }
    }
    FinishEpochTable(table, section);
  }
  for (const ScalingView& view : ScalingViews(lab)) {  // experiments have tables of their own
    std::vector<std::string> columns = results;
    columns.insert(columns.begin(), {"devices", "batch per device"});
    proto::Table table = MakeTable(absl::StrCat("Loss and accuracy per epoch: ", view.Title()), columns);
    for (const proto::ScalePoint* point : view.points) {
      if (point->reduction() != proto::ABLATED) {  // training without all-reduces is not valid
        AddEpochs({LabelCell(absl::StrCat(point->ranks(), point->reduction() == proto::PLAIN ? " (plain)" : "")),
                   LabelCell(FormatCount(point->batch_per_device()))},
                  point->epoch(), table);
      }
    }
    FinishEpochTable(table, section);
  }
  if (section.table().empty()) {
    proto::Table& table = *section.add_table() = MakeTable("Loss and accuracy per epoch", {});
    table.set_absent_reason("no record among the inputs holds an epoch's result");
  }
  return section;
}

}  // namespace lockstep
