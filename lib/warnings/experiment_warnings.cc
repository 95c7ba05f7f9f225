#include "lib/warnings/experiment_warnings.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/lab_records/experiment_view.h"
#include "lib/scaling/point_settings.h"
#include "lib/warnings/repeat_command.h"
#include "lib/wording/cell.h"
#include "lib/wording/sent.h"

namespace lockstep {
namespace {

void WarnOfSeeds(const ExperimentView& view, std::vector<Warning>& warnings) {
  std::vector<std::string> single, missing;
  for (const ExperimentRow& row : view.rows) {
    if (row.trained.size() == 1) {
      single.push_back(row.name);
    }
    if (row.trained.size() < row.seeds_asked) {
      missing.push_back(absl::StrCat(row.name, " (", row.trained.size(), " of ", row.seeds_asked, ")"));
    }
  }
  if (!single.empty()) {
    warnings.push_back({"one_run_only",
                        absl::StrCat("One seed only, so no spread: ", view.scale->name(), ", ",
                                     single.size() == view.rows.size() ? "all rows" : absl::StrJoin(single, "; "),
                                     ". Differences of one percentage point may be noise; train with --seeds=3."),
                        {RepeatCommand(view.scale->header, "--seeds=3")}});
  }
  if (!missing.empty()) {
    warnings.push_back({"seeds_missing", absl::StrCat("Rows of ", view.scale->name(),
                                                      " that lack a seed: ", absl::StrJoin(missing, "; "), ".")});
  }
}

// A sampler that gets the epoch number has a different order in each epoch; a sampler without it has one order.
void WarnOfOrders(const ExperimentView& view, std::vector<Warning>& warnings) {
  for (const ExperimentRow& row : view.rows) {
    for (const proto::ScalePoint* point : row.trained) {
      for (const proto::RankFacts& rank : point->rank()) {
        const auto& orders = rank.epoch_order_sha256();
        const size_t different = std::set<std::string>(orders.begin(), orders.end()).size();
        const size_t expected = point->training().no_set_epoch() ? 1 : static_cast<size_t>(orders.size());
        if (!orders.empty() && different != expected) {
          warnings.push_back({"wrong_orders", absl::StrCat("WRONG ORDERS OF IMAGES: ", view.scale->name(), ", row '",
                                                           row.name, "', seed ", point->training().seed(), ", rank ",
                                                           rank.rank(), ": ", different, " different orders in ",
                                                           orders.size(), " epochs, expected ", expected, ".")});
        }
      }
    }
  }
}

// All gradients are sent exactly once a step.
void WarnOfBytes(const LabScale& scale, const proto::ScalePoint& point, std::vector<Warning>& warnings) {
  const proto::PointSettings settings = SettingsOf(scale.spec, point);
  const std::optional<double> counted = BytesPerStep(point, kGradientsKind);
  const auto model = static_cast<double>(scale.spec.model().gradient_bytes());
  const double expected = settings.gradient_compression() == "bf16" ? model / 2 : model;
  const bool is_known = point.reduction() == proto::ALL_REDUCE && settings.step() == proto::AUTOGRAD && model > 0;
  if (is_known && counted.has_value() && *counted != expected) {
    warnings.push_back(
        {"wrong_bytes",
         absl::StrCat("WRONG BYTES OF GRADIENTS: ", scale.name(), ", ", CountOf(point.ranks(), "rank"), ", batch ",
                      point.batch_per_device(), " per device",
                      point.row().empty() ? "" : absl::StrCat(", row '", point.row(), "'"), ": ",
                      BytesCell(*counted, proto::DERIVED, "").text(), " bytes per step were counted, expected ",
                      BytesCell(expected, proto::DERIVED, "").text(), ".")});
  }
}

}  // namespace

void WarnOfExperiments(const LabRecords& lab, std::vector<Warning>& warnings) {
  for (const LabScale& scale : lab.scales) {
    for (const proto::ScalePoint& point : scale.points) {
      WarnOfBytes(scale, point, warnings);
    }
  }
  for (const proto::Experiment experiment : kExperiments) {
    for (const ExperimentView& view : ExperimentViews(lab, experiment)) {
      WarnOfSeeds(view, warnings);
      WarnOfOrders(view, warnings);
    }
  }
}

}  // namespace lockstep
