#include "lib/scaling/point_run.h"

#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace lockstep {
namespace {

bool IsBaseCase(const proto::ScalePoint& base, const proto::ScalePoint& point) {
  return base.ranks() == 1 && base.reduction() == proto::PLAIN && point.ranks() > 1 && point.row().empty() &&
         point.reduction() != proto::ABLATED && base.preset() == point.preset() &&
         (base.batch_per_device() == point.batch_per_device() || base.batch_per_device() == point.global_batch());
}

}  // namespace

std::string RunStartOf(const proto::Header& header, const proto::ScalePoint& point) {
  return !point.pooled_file().empty()   ? ""
         : !point.earlier_run().empty() ? point.earlier_run()
         : !point.resumed_run().empty() ? point.resumed_run()
                                        : header.start_time();
}

bool AreTwoRuns(const std::string& run_start, const std::string& other_start) {
  return !run_start.empty() && !other_start.empty() && run_start != other_start;
}

std::string DifferentRunsText(const std::string& ranks, const std::string& base_start, const std::string& run_start) {
  return absl::StrCat("the times of 1 and ", ranks, " ranks were measured in different runs (begun at ", base_start,
                      " and ", run_start, ")");
}

std::string DifferentRunsOf(const proto::Header& header, const std::vector<proto::ScalePoint>& points) {
  std::set<uint32_t> ranks;
  std::string base_start, run_start;  // starts of the first pair
  for (const proto::ScalePoint& point : points) {
    for (const proto::ScalePoint& base : points) {
      if (IsBaseCase(base, point) && AreTwoRuns(RunStartOf(header, base), RunStartOf(header, point))) {
        base_start = ranks.empty() ? RunStartOf(header, base) : base_start;
        run_start = ranks.empty() ? RunStartOf(header, point) : run_start;
        ranks.insert(point.ranks());
      }
    }
  }
  return ranks.empty() ? "" : DifferentRunsText(absl::StrJoin(ranks, ", "), base_start, run_start);
}

}  // namespace lockstep
