#include "lib/collectives/all_reduce_points.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/path.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/collective_cost.h"
#include "lib/collectives/nccl_tests.pb.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

bool IsTime(double seconds) { return std::isfinite(seconds) && seconds > 0; }

absl::Status CheckCollective(const proto::NcclTestsFile& file) {
  const std::string program = file.args().empty() ? "" : file.args(0);
  if (!absl::StartsWith(FileNameOf(program), "all_reduce_perf")) {
    return absl::DataLossError(
        absl::StrCat("expected args[0] to be all_reduce_perf, found '", program, "': only all-reduce times are read"));
  }
  return absl::OkStatus();
}

struct RanksAndHosts {
  uint32_t ranks = 0;
  uint32_t hosts = 0;  // 0: not known
};

// Counts processes * threads * GPUs, and host names. Processes are distinguished by host and process id, and by their
// ranks, because containers may have equal names and process ids; then the hosts are not known.
absl::StatusOr<RanksAndHosts> CountRanks(const proto::NcclTestsFile& file) {
  const auto& devices = file.config().devices().empty() ? file.devices() : file.config().devices();
  std::set<std::pair<std::string, int64_t>> names;
  std::set<std::string> hosts;
  for (const proto::NcclTestsDevice& device : devices) {
    if (device.group() != devices[0].group()) {
      return absl::DataLossError("expected one group of ranks, found several in devices: run without NCCL_TESTS_SPLIT");
    }
    names.emplace(device.hostname(), device.pid());
    hosts.insert(device.hostname());
  }
  constexpr uint64_t kMax = 1 << 24;  // more than any machine has, and safe to multiply
  const uint64_t threads = file.config().nthreads(), gpus = file.config().ngpus();
  const uint64_t per_process = threads <= kMax && gpus <= kMax ? threads * gpus : kMax;
  std::set<int64_t> by_rank;  // the first rank of a process is a multiple of the number of its ranks
  for (const proto::NcclTestsDevice& device : devices) {
    by_rank.insert(device.rank() / static_cast<int64_t>(std::max<uint64_t>(per_process, 1)));
  }
  const uint64_t processes = std::max(names.size(), by_rank.size());
  if (processes == 0 || per_process * processes < 2 || per_process * processes >= kMax) {
    return absl::DataLossError(absl::StrCat("expected 2 or more ranks, found ", processes,
                                            " processes in config.devices, config.nthreads ", threads,
                                            " and config.ngpus ", gpus));
  }
  const bool are_hosts_known = names.size() == processes && hosts.count("") == 0;
  return RanksAndHosts{.ranks = static_cast<uint32_t>(per_process * processes),
                       .hosts = are_hosts_known ? static_cast<uint32_t>(hosts.size()) : 0};
}

// Columns are printed with six decimals. Each number may be off by half of the last decimal, which matters relative to
// a short time.
constexpr double kLastDecimal = 1e-6;

bool Agrees(double printed, double recomputed, double microseconds) {
  const double tolerance =
      kLastDecimal + std::abs(recomputed) * kLastDecimal / microseconds + 1e-9 * std::abs(recomputed);
  return std::abs(printed - recomputed) <= tolerance;
}

absl::Status CheckBandwidth(absl::string_view column, double printed, double recomputed, double microseconds,
                            absl::string_view formula) {
  if (Agrees(printed, recomputed, microseconds)) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat("expected ", column, " to be ", formula, " = ", recomputed, " GB/s, found ", printed));
}

absl::Status CheckTiming(const proto::NcclTestsTiming& timing, uint32_t ranks, uint64_t size_bytes) {
  if (timing.has_cpu_time()) {
    return absl::DataLossError("expected `time`, found `cpu_time`, the time to enqueue: run without -C");
  }
  RETURN_IF_ERROR(
      CheckMeasured(timing.has_time() ? std::optional<double>(timing.time()) : std::nullopt, timing.nwrong()));
  if (!timing.has_alg_bw() || !timing.has_bus_bw()) {
    return absl::DataLossError("expected alg_bw and bus_bw, by which the time is checked; one is missing");
  }
  const double size = static_cast<double>(size_bytes), seconds = timing.time() / kMicroseconds.scale;
  RETURN_IF_ERROR(CheckBandwidth("alg_bw", timing.alg_bw(),
                                 AlgorithmBandwidth(size, seconds) / kGigabytesPerSecond.size, timing.time(),
                                 "size / time"));
  return CheckBandwidth("bus_bw", timing.bus_bw(),
                        AllReduceBusBandwidth(ranks, size, seconds) / kGigabytesPerSecond.size, timing.time(),
                        absl::StrCat("alg_bw * 2(N-1)/N of ", ranks, " ranks"));
}

enum class Placement { kInPlace, kOutOfPlace };

absl::Status AddTiming(const proto::NcclTestsTiming& timing, uint32_t ranks, uint64_t size, Placement placement,
                       const std::string& origin, std::vector<AllReducePoint>* points) {
  if (const absl::Status status = CheckTiming(timing, ranks, size); !status.ok()) {
    return absl::DataLossError(absl::StrCat(origin, ": ", status.message()));
  }
  AddSample({ranks, size, placement == Placement::kInPlace, {timing.time() / kMicroseconds.scale}, origin}, *points);
  return absl::OkStatus();
}

// Returns true for a row of 0 bytes and 0 GB/s: all_reduce_perf -b 1 rounds its smallest size down to no element.
bool SendsNothing(const proto::NcclTestsResult& result) {
  const auto has_no_bandwidth = [](const proto::NcclTestsTiming& timing) {
    return timing.alg_bw() == 0 && timing.bus_bw() == 0;
  };
  return result.has_size() && result.size() == 0 && (result.has_out_of_place() || result.has_in_place()) &&
         has_no_bandwidth(result.out_of_place()) && has_no_bandwidth(result.in_place());
}

absl::Status AddResult(const proto::NcclTestsResult& result, uint32_t ranks, const std::string& origin,
                       std::vector<AllReducePoint>* points) {
  if (SendsNothing(result)) {
    return absl::OkStatus();
  }
  if (result.size() > kMaxMessageBytes) {
    return absl::DataLossError(absl::StrCat(origin, ": expected a size up to 2^53 bytes, found ", result.size()));
  }
  if (result.size() == 0 || !(result.has_out_of_place() || result.has_in_place())) {
    return absl::DataLossError(
        absl::StrCat(origin, ": expected a size above 0 with out_of_place or in_place, found size ", result.size(),
                     " and ", result.has_out_of_place() || result.has_in_place() ? "times" : "no times"));
  }
  if (result.has_out_of_place()) {
    RETURN_IF_ERROR(AddTiming(result.out_of_place(), ranks, result.size(), Placement::kOutOfPlace,
                              origin + ".out_of_place", points));
  }
  if (result.has_in_place()) {
    RETURN_IF_ERROR(
        AddTiming(result.in_place(), ranks, result.size(), Placement::kInPlace, origin + ".in_place", points));
  }
  return absl::OkStatus();
}

// Returns the value of NAME=value in lower case; empty if the variable is not set.
std::string EnvironmentValue(const proto::NcclTestsFile& file, absl::string_view name) {
  for (const std::string& variable : file.env()) {
    absl::string_view value = variable;
    if (absl::ConsumePrefix(&value, name) && absl::ConsumePrefix(&value, "=")) {
      return absl::AsciiStrToLower(value);
    }
  }
  return "";
}

}  // namespace

absl::StatusOr<std::vector<AllReducePoint>> ParseNcclTests(absl::string_view text, const std::string& path) {
  proto::NcclTestsFile file;
  if (const absl::Status status = ParseForeignJson(text, path, "the JSON that nccl-tests writes with -J", file);
      !status.ok()) {
    const bool is_other_form = absl::StartsWith(text, "#") || absl::StrContains(text, "}\n{");
    return is_other_form
               ? absl::DataLossError(absl::StrCat(path, ": expected the JSON that nccl-tests writes with -J, found ",
                                                  text[0] == '#' ? "the text that it prints" : "several JSON objects",
                                                  "; run all_reduce_perf again with -J FILE.json, and name that file"))
               : status;
  }
  const absl::Status collective = CheckCollective(file);
  const absl::StatusOr<RanksAndHosts> ranks = CountRanks(file);
  for (const absl::Status& status : {collective, ranks.status()}) {
    if (!status.ok()) {
      return absl::DataLossError(absl::StrCat(path, ": ", status.message()));
    }
  }
  std::vector<AllReducePoint> points;
  for (int i = 0; i < file.results_size(); ++i) {
    RETURN_IF_ERROR(AddResult(file.results(i), ranks->ranks, absl::StrCat(path, ", results[", i, "]"), &points));
  }
  if (points.empty()) {
    return absl::DataLossError(absl::StrCat(path, ": expected rows in `results`, found none"));
  }
  for (AllReducePoint& point : points) {
    point.hosts = ranks->hosts;
    point.nccl_algorithm = EnvironmentValue(file, "NCCL_ALGO");
    point.nccl_protocol = EnvironmentValue(file, "NCCL_PROTO");
  }
  return points;
}

absl::StatusOr<std::vector<AllReducePoint>> AllReducePointsOf(const RecordFile<proto::ScaleRecord>& scale) {
  std::vector<AllReducePoint> points;
  int number = 0;
  for (const proto::ScaleRecord& record : scale.records) {
    if (record.kind_case() != proto::ScaleRecord::kPoint) {
      continue;
    }
    const proto::ScalePoint& point = record.point();
    const auto& seconds = point.probe().seconds().value();
    const std::string origin = absl::StrCat("scale record, point ", ++number);
    if (point.ranks() < 2 || point.probe().size_bytes() == 0 || seconds.empty()) {
      continue;
    }
    if (!std::all_of(seconds.begin(), seconds.end(), IsTime)) {
      return absl::DataLossError(absl::StrCat(origin, ": expected times of its all-reduce above 0 s, found another"));
    }
    if (point.probe().size_bytes() > kMaxMessageBytes) {
      return absl::DataLossError(
          absl::StrCat(origin, ": expected an all-reduce of up to 2^53 bytes, found ", point.probe().size_bytes()));
    }
    points.push_back({.ranks = point.ranks(),
                      .size_bytes = point.probe().size_bytes(),
                      .in_place = true,
                      .seconds = {seconds.begin(), seconds.end()},
                      .origin = origin});
  }
  return points;
}

absl::Status ParseForeignJson(absl::string_view text, const std::string& path, absl::string_view what,
                              google::protobuf::Message& file) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");  // byte-order mark
  const auto status = google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, &file, options);
  if (status.ok()) {
    return absl::OkStatus();
  }
  const std::string found(status.message().data(), status.message().size());
  return absl::DataLossError(
      absl::StrCat(path, ": expected ", what, ", found ", absl::StrReplaceAll(found, {{"\n", " "}})));
}

absl::Status CheckMeasured(std::optional<double> microseconds, double wrong_elements) {
  if (!microseconds.has_value() || !IsTime(*microseconds / kMicroseconds.scale)) {
    return absl::DataLossError(absl::StrCat("expected a time above 0 us, found ",
                                            microseconds.has_value() ? absl::StrCat(*microseconds) : "none"));
  }
  if (wrong_elements != 0) {
    return absl::DataLossError(
        absl::StrCat("expected a correct result, found ", wrong_elements, " wrong elements: the time is not valid"));
  }
  return absl::OkStatus();
}

bool IsNcclsChoice(const AllReducePoint& point) {
  return point.nccl_algorithm.empty() && point.nccl_protocol.empty() &&
         (point.way.empty() || absl::StartsWith(point.way, "nccl, "));
}

std::string WayText(absl::string_view method, absl::string_view type) {
  return method == "shared_memory" ? "shared memory" : method == "gloo" ? "gloo" : absl::StrCat(method, ", ", type);
}

void AddSample(AllReducePoint sample, std::vector<AllReducePoint>& points) {
  const auto same = std::find_if(points.begin(), points.end(), [&](const AllReducePoint& point) {
    return point.ranks == sample.ranks && point.size_bytes == sample.size_bytes && point.in_place == sample.in_place &&
           point.way == sample.way && point.hosts == sample.hosts;
  });
  if (same == points.end()) {
    points.push_back(std::move(sample));
  } else {
    same->seconds.insert(same->seconds.end(), sample.seconds.begin(), sample.seconds.end());
  }
}

}  // namespace lockstep
