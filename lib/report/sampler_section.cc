#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/lab_records/dataset_facts.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/report/sections.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"
#include "lib/wording/question_commands.h"

namespace lockstep {
namespace {

std::optional<double> Orders(const proto::ScalePoint& point) {
  std::set<std::string> orders;
  for (const proto::RankFacts& rank : point.rank()) {
    orders.insert(rank.epoch_order_sha256().begin(), rank.epoch_order_sha256().end());
  }
  return orders.empty() ? std::nullopt : std::optional<double>(static_cast<double>(orders.size()) / point.rank_size());
}

std::optional<double> RepeatedShare(const proto::ScalePoint& point) {
  double share = 0;
  for (const proto::RankFacts& rank : point.rank()) {
    share += rank.repeated_batch_share() / point.rank_size();
  }
  return point.rank().empty() ? std::nullopt : std::optional<double>(share);
}

// Returns the images that one rank ever saw, as a share of the training set.
std::optional<double> SeenShare(const proto::ScalePoint& point, int rank, uint64_t images) {
  if (rank >= point.rank_size() || images == 0 || point.rank(rank).distinct_images_ever() == 0) {
    return std::nullopt;
  }
  return static_cast<double>(point.rank(rank).distinct_images_ever()) / static_cast<double>(images);
}

proto::Table RowsTable(const ExperimentView& view) {
  proto::Table table = MakeTable(absl::StrCat("With and without the epoch number: ", view.Title()),
                                 {"sampler", "seeds", "epochs", "orders of a rank", "batches as in the epoch before, %",
                                  absl::StrCat("loss, ", view.EpochName()),
                                  absl::StrCat("train accuracy, ", view.EpochName(), ", %"), "test accuracy, %"});
  for (const ExperimentRow& row : view.rows) {
    AddRow(table,
           {LabelCell(row.name), LabelCell(row.SeedsText()),
            row.trained.empty() ? AbsentCell("not trained")
                                : CountCell(static_cast<uint64_t>(row.first().epoch_size()), proto::MEASURED, ""),
            SeedsCell(row.Values(Orders)), SeedsPercentCell(row.Values(RepeatedShare)), SeedsCell(row.Values(LabLoss)),
            SeedsPercentCell(row.Values(LabTrainAccuracy)), SeedsPercentCell(row.Values(TestAccuracy))});
  }
  AddMethodNotes(table);
  table.add_note(
      "orders of a rank: number of different image orders, by digest, over the epochs. A batch is as in the epoch "
      "before if it has the same images at the same position.");
  return table;
}

proto::Table SeenTable(const ExperimentView& view) {
  const uint64_t images = view.scale->spec.model().training_images();
  std::vector<std::string> columns = {"rank"};
  for (const ExperimentRow& row : view.rows) {
    columns.push_back(absl::StrCat(row.name, ", % of the images"));
  }
  proto::Table table = MakeTable(absl::StrCat("Images that each rank ever saw: ", view.Title()), columns);
  for (uint32_t rank = 0; rank < view.ranks && rank < kMaxOfAKind; ++rank) {
    std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(rank))};
    for (const ExperimentRow& row : view.rows) {
      cells.push_back(SeedsPercentCell(row.Values(
          [&](const proto::ScalePoint& point) { return SeenShare(point, static_cast<int>(rank), images); })));
    }
    AddRow(table, cells);
  }
  AddMethodNotes(table);
  table.add_note(absl::StrCat("Of ", FormatCount(images), " training images, over all epochs of the run."));
  return table;
}

proto::Table OrdersTable(const ExperimentView& view) {
  std::vector<std::string> columns = {"epoch"};
  int epochs = 0;
  for (const ExperimentRow& row : view.rows) {
    columns.push_back(row.name);
    if (!row.trained.empty() && !row.first().rank().empty()) {
      epochs = std::max(epochs, row.first().rank(0).epoch_order_sha256_size());
    }
  }
  proto::Table table = MakeTable(absl::StrCat("The order of rank 0's images, as a digest: ", view.Title()), columns);
  for (int epoch = 0; epoch < std::min(epochs, 2 * kLabEpoch); ++epoch) {
    std::vector<proto::Cell> cells = {LabelCell(absl::StrCat(epoch + 1))};
    for (const ExperimentRow& row : view.rows) {
      const bool known =
          !row.trained.empty() && !row.first().rank().empty() && epoch < row.first().rank(0).epoch_order_sha256_size();
      cells.push_back(known ? LabelCell(ShortDigest(row.first().rank(0).epoch_order_sha256(epoch)))
                            : AbsentCell("no such epoch in the record"));
    }
    AddRow(table, cells);
  }
  if (table.row().empty()) {
    table.set_absent_reason("no point has the order of its epochs");
  } else {
    table.add_note("The first 12 digits of SHA-256 over the indices; of the first seed.");
  }
  return table;
}

}  // namespace

proto::Section SamplerSection(const LabRecords& lab) {
  proto::Section section;
  section.set_id("sampler");
  section.set_title("The sampler's epoch (Q5)");
  for (const ExperimentView& view : ExperimentViews(lab, proto::SAMPLER_EPOCH)) {
    *section.add_table() = RowsTable(view);
    *section.add_table() = SeenTable(view);
    *section.add_table() = OrdersTable(view);
  }
  if (section.table().empty()) {
    *section.add_table() = MissingExperiment(lab, "With and without the epoch number", proto::SAMPLER_EPOCH);
  }
  return section;
}

proto::Table MissingExperiment(const LabRecords& lab, absl::string_view caption, proto::Experiment experiment) {
  proto::Table table = MakeTable(caption, {});
  table.set_absent_reason(
      absl::StrCat("no record of this experiment among the inputs; ", ExperimentText(experiment, FactsOfDataset(lab))));
  return table;
}

}  // namespace lockstep
