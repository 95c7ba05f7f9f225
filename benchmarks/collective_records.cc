#include "benchmarks/collective_records.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "benchmarks/quantile.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

void AddRow(const CollectiveRows& all, const CollectiveRow& row, uint32_t ranks, const std::string& type,
            std::vector<proto::CollectiveTimesRecord>& records) {
  proto::CollectiveTimes& times = *records.emplace_back().mutable_times();
  times.set_collective(row.collective);
  times.set_way(row.way);
  times.set_ranks(RanksOfACall(row, ranks, all.hosts));
  times.set_type(row.collective == kPeerToPeer ? "" : type);
  times.set_size_bytes(row.size_bytes);
  times.mutable_seconds()->mutable_value()->Add(row.replays.begin(), row.replays.end());
  times.set_eager_seconds(row.eager_seconds);
  times.set_wrong_elements(row.wrong);
  times.set_hosts(all.hosts);
  if (all.link_bytes_per_second > 0) {
    times.set_link_bytes_per_second(all.link_bytes_per_second);
  }
}

}  // namespace

absl::StatusOr<CollectiveRows> JoinRows(const std::vector<std::string>& texts) {
  ASSIGN_OR_RETURN(CollectiveRows all, ParseCollectiveRows(texts[0]));
  for (size_t rank = 1; rank < texts.size(); ++rank) {
    ASSIGN_OR_RETURN(CollectiveRows more, ParseCollectiveRows(texts[rank]));
    for (size_t i = 0; i < all.rows.size() && i < more.rows.size(); ++i) {
      all.rows[i].wrong += more.rows[i].wrong;
      if (!more.rows[i].replays.empty()) {
        all.rows[i].eager_seconds = more.rows[i].eager_seconds;
        all.rows[i].replays = std::move(more.rows[i].replays);
      }
    }
  }
  return all;
}

absl::StatusOr<AllReduceCrossovers> CrossoversOfRows(const CollectiveRows& all) {
  constexpr const char* kWays[kAllReduceWays] = {"one_shot", "two_shots", "copies"};  // same order as AllReduceWay
  std::map<size_t, MeasuredWays> sizes;
  for (const CollectiveRow& row : all.rows) {
    const auto way = std::find(std::begin(kWays), std::end(kWays), row.way);
    if (row.collective == "all_reduce" && way != std::end(kWays) && row.wrong == 0) {
      sizes[row.size_bytes].bytes = row.size_bytes;
      sizes[row.size_bytes].seconds[static_cast<size_t>(way - std::begin(kWays))] = Quantile(row.replays, 0.5);
    }
  }
  std::vector<MeasuredWays> measured;
  for (const auto& [bytes, ways] : sizes) {
    measured.push_back(ways);
  }
  return ChooseCrossovers(std::move(measured));
}

absl::Status AddRecords(const CollectiveRows& all, uint32_t ranks, const std::string& type,
                        std::vector<proto::CollectiveTimesRecord>& records) {
  for (const CollectiveRow& row : all.rows) {
    AddRow(all, row, ranks, type, records);
  }
  const bool summed = std::any_of(all.rows.begin(), all.rows.end(),
                                  [](const CollectiveRow& row) { return row.collective == "all_reduce"; });
  if (!summed || all.hosts > 1) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const AllReduceCrossovers found, CrossoversOfRows(all));
  proto::AllReduceCrossovers& crossovers = *records.emplace_back().mutable_crossovers();
  crossovers.set_ranks(ranks);
  crossovers.set_type(type);
  crossovers.set_max_one_shot_bytes(found.max_one_shot_bytes);
  crossovers.set_max_two_shots_bytes(found.max_two_shots_bytes);
  return absl::OkStatus();
}

}  // namespace lockstep
