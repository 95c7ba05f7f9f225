#include "lib/collectives/benchmark_points.h"

#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/collective_cost.h"
#include "lib/collectives/google_benchmark.pb.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

constexpr double kTolerance = 1e-6;  // relative difference allowed between a printed bandwidth and the bandwidth of the
                                     // printed time
constexpr uint32_t kMaxRanks = 1 << 24;

struct Row {
  uint32_t ranks = 0;
  uint64_t size_bytes = 0;
  std::string way;
  uint32_t hosts = 0;  // 0: not in the name, because all ranks are on one host or the result is older
};

// Parses "all_reduce/ranks:2/type:bf16/bytes:1024/method:nccl/...", where "hosts:2" may follow as the next word, and
// the names of older results: "all_reduce/2/bf16/1024/nccl/..." on GPUs, "BM_AllReduce/processes:2/bytes:1024/..." on
// CPUs. Returns nullopt for other names.
std::optional<Row> RowOf(const std::string& name) {
  const std::vector<absl::string_view> words = absl::StrSplit(name, '/');
  Row row;
  absl::string_view ranks, bytes;
  if (words.size() >= 5 && words[0] == "all_reduce") {
    ranks = absl::StripPrefix(words[1], "ranks:");
    bytes = absl::StripPrefix(words[3], "bytes:");
    row.way = WayText(absl::StripPrefix(words[4], "method:"), absl::StripPrefix(words[2], "type:"));
    absl::string_view hosts = words.size() > 5 ? words[5] : "";
    if (absl::ConsumePrefix(&hosts, "hosts:") && !absl::SimpleAtoi(hosts, &row.hosts)) {
      return Row();  // no ranks: the caller rejects the row
    }
  } else if (words.size() >= 3 && words[0] == "BM_AllReduce") {
    ranks = absl::StripPrefix(words[1], "processes:");
    bytes = absl::StripPrefix(words[2], "bytes:");
    row.way = "shared memory";
  } else {
    return std::nullopt;
  }
  if (!absl::SimpleAtoi(ranks, &row.ranks) || !absl::SimpleAtoi(bytes, &row.size_bytes)) {
    row = Row();  // no ranks: the caller rejects the row
  }
  return row;
}

absl::Status CheckBandwidth(const char* column, double printed, double recomputed) {
  return std::abs(printed - recomputed) <= kTolerance * recomputed
             ? absl::OkStatus()
             : absl::DataLossError(absl::StrCat("expected ", column, " to follow from the time, ", recomputed,
                                                " GB/s, found ", printed));
}

struct Times {
  std::optional<double> us;
  double algbw = 0, busbw = 0, wrong = 0;
};

absl::Status CheckTimes(const Row& row, const Times& times) {
  RETURN_IF_ERROR(CheckMeasured(times.us, times.wrong));
  const double size = static_cast<double>(row.size_bytes), seconds = *times.us / kMicroseconds.scale;
  RETURN_IF_ERROR(CheckBandwidth("algbw", times.algbw, AlgorithmBandwidth(size, seconds) / kGigabytesPerSecond.size));
  return CheckBandwidth("busbw", times.busbw,
                        AllReduceBusBandwidth(row.ranks, size, seconds) / kGigabytesPerSecond.size);
}

absl::Status AddTimes(const Row& row, const Times& times, const std::string& origin,
                      std::vector<AllReducePoint>& points) {
  if (const absl::Status status = CheckTimes(row, times); !status.ok()) {
    return absl::DataLossError(absl::StrCat(origin, ": ", row.way, ": ", status.message()));
  }
  AllReducePoint point = {.ranks = row.ranks,
                          .size_bytes = row.size_bytes,
                          .in_place = true,
                          .seconds = {*times.us / kMicroseconds.scale},
                          .origin = origin};
  point.way = row.way;
  point.hosts = row.hosts;
  AddSample(std::move(point), points);
  return absl::OkStatus();
}

absl::Status AddRow(const proto::GoogleBenchmarkRow& found, const std::string& origin,
                    std::vector<AllReducePoint>& points) {
  std::optional<Row> row = RowOf(found.name());
  if (!row.has_value() || found.run_type() == "aggregate") {
    return absl::OkStatus();
  }
  if (found.error_occurred()) {
    return absl::DataLossError(absl::StrCat(origin, ": the benchmark failed there"));
  }
  if (row->ranks < 2 || row->ranks > kMaxRanks || row->size_bytes == 0 || row->size_bytes > kMaxMessageBytes) {
    return absl::DataLossError(absl::StrCat(origin, ": expected 2 or more ranks and 1 to 2^53 bytes"));
  }
  Times times = {std::nullopt, found.algbw(), found.busbw(), found.wrong()};
  if (found.has_us()) {
    times.us = found.us();
  }
  RETURN_IF_ERROR(AddTimes(*row, times, origin, points));
  if (!found.has_gloo_us()) {
    return absl::OkStatus();
  }
  row->way = "gloo";
  return AddTimes(*row, {found.gloo_us(), found.gloo_algbw(), found.gloo_busbw(), found.gloo_wrong()}, origin, points);
}

}  // namespace

bool IsGoogleBenchmark(absl::string_view text) { return absl::StrContains(text, "\"benchmarks\""); }

absl::StatusOr<std::vector<AllReducePoint>> ParseAllReduceBenchmark(absl::string_view text, const std::string& path) {
  proto::GoogleBenchmarkFile file;
  RETURN_IF_ERROR(ParseForeignJson(text, path, "the JSON that --benchmark_out writes", file));
  std::vector<AllReducePoint> points;
  for (const proto::GoogleBenchmarkRow& row : file.benchmarks()) {
    RETURN_IF_ERROR(AddRow(row, absl::StrCat(path, ", ", row.name()), points));
  }
  if (points.empty()) {
    return absl::DataLossError(absl::StrCat(path,
                                            ": expected rows of all_reduce_benchmark or gpu_all_reduce_benchmark, "
                                            "found none"));
  }
  return points;
}

}  // namespace lockstep
