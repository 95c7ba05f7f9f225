#include "lib/report/energy_table.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/scaling/point_energy.h"
#include "lib/wording/cell.h"
#include "lib/wording/describe.h"

namespace lockstep {
namespace {

constexpr double kMillijoules = 1e3;

const std::vector<std::string>& Columns() {
  static const auto* columns =
      new std::vector<std::string>({"energy of an epoch, J", "energy of an image, mJ", "images per joule"});
  return *columns;
}

std::vector<std::string> ColumnsAfter(std::vector<std::string> labels) {
  labels.insert(labels.end(), Columns().begin(), Columns().end());
  return labels;
}

void AddEnergyRow(std::vector<proto::Cell> cells, const proto::Quantity& joules, uint64_t images, proto::Table& table) {
  cells.push_back(QuantityCell(joules));
  cells.push_back(QuantityCell(JoulesPerImage(joules, images), kMillijoules));
  cells.push_back(QuantityCell(ImagesPerJoule(joules, images)));
  AddRow(table, cells);
}

bool IsNewEnough(const proto::ScalePoint& point) { return point.rank_size() > 0 && point.rank(0).has_epoch_joules(); }

}  // namespace

proto::Table SweepEnergyTable(const LabSweep& sweep, const std::string& caption) {
  proto::Table table = MakeTable(caption, ColumnsAfter({"batch"}));
  for (const proto::SweepPoint& point : sweep.points) {
    if (point.outcome() == proto::COMPLETED && point.has_epoch_joules()) {
      AddEnergyRow({LabelCell(FormatCount(point.batch_size()))}, point.epoch_joules(), point.images_per_epoch(), table);
    }
  }
  return table;
}

proto::Table ScaleEnergyTable(const ScalingView& view) {
  proto::Table table = MakeTable(absl::StrCat("Energy of all devices: ", view.Title()),
                                 ColumnsAfter({"devices N", "batch per device B", "gradients"}));
  for (const proto::ScalePoint* const point : view.points) {
    if (point->outcome() == proto::COMPLETED && point->reduction() != proto::ABLATED && IsNewEnough(*point)) {
      AddEnergyRow({LabelCell(absl::StrCat(point->ranks())), LabelCell(FormatCount(point->batch_per_device())),
                    LabelCell(DescribeReduction(point->reduction()))},
                   PointEpochJoules(view.Spec(), *point), point->images_per_epoch(), table);
    }
  }
  if (!table.row().empty()) {
    AddMethodNotes(table);
  }
  return table;
}

}  // namespace lockstep
