#include "lib/scaling/point_name.h"

#include "absl/strings/str_cat.h"
#include "lib/scaling/point_settings.h"

namespace lockstep {

std::string PointName(const proto::ScalePoint& point) {
  const char* reduction = point.reduction() == proto::PLAIN        ? "plain"
                          : point.reduction() == proto::ALL_REDUCE ? "all-reduce"
                          : point.reduction() == proto::STAR       ? "DataParallel"
                                                                   : "all-reduce left out";
  const char* const one = point.mode() == proto::DP ? " device" : " rank";
  const std::string row =
      point.row().empty() ? "" : absl::StrCat(point.row(), ", seed ", point.training().seed(), ": ");
  return absl::StrCat(row, point.ranks(), one, point.ranks() == 1 ? "" : "s", ", batch ", point.batch_per_device(),
                      " per device, ", reduction);
}

std::string PointTitle(const proto::ScaleSpec& spec, const proto::ScalePoint& point) {
  return absl::StrCat(PointName(point), ", ", SettingsText(SettingsOf(spec, point)));
}

}  // namespace lockstep
