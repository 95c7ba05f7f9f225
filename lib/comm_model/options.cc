#include "lib/comm_model/options.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

bool IsPositive(double value) { return value > 0 && std::isfinite(value); }

absl::Status CheckPositive(const std::vector<double>& values, absl::string_view flag) {
  for (const double value : values) {
    if (!IsPositive(value)) {
      return absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value, ": expected numbers above 0"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCounts(const std::vector<uint32_t>& values, absl::string_view flag) {
  if (std::find(values.begin(), values.end(), 0u) != values.end()) {
    return absl::InvalidArgumentError(absl::StrCat("--", flag, ": expected numbers of at least 1, found 0"));
  }
  return absl::OkStatus();
}

// InvalidArgument: an option needs times of runs, and no input has them.
absl::Status CheckNeedsTimes(const CommModelOptions& options) {
  if (!options.scale_paths.empty() || !options.times_paths.empty()) {
    return absl::OkStatus();
  }
  const char* const wanting = !options.predict_ranks.empty()     ? "--predict_ranks"
                              : options.fit_ranks > 0            ? "--fit_ranks"
                              : !options.what_if.devices.empty() ? "--what_if"
                                                                 : nullptr;
  if (wanting == nullptr) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(wanting, " starts from times of runs; give --input=scale.rec, or --times=TABLE.csv"));
}

absl::Status CheckNeedsScale(const CommModelOptions& options) {
  if (options.scale_paths.empty() && (!options.sweep_path.empty() || options.nominal_link_gigabytes_per_second > 0)) {
    return absl::InvalidArgumentError(
        "--sweep and --nominal_link_gigabytes_per_second belong to a scale record; give --input");
  }
  if (options.scale_paths.empty() && !options.score_path.empty()) {
    return absl::InvalidArgumentError("--score compares predictions with a run; give its scale record by --input");
  }
  return absl::OkStatus();
}

bool IsGiven(const LinkOptions& link) { return link.gigabytes_per_second != 0 || link.latency_microseconds != 0; }

proto::Link ToLink(const LinkOptions& options) {
  proto::Link link;
  if (options.gigabytes_per_second != 0) {
    link.set_bytes_per_second(options.gigabytes_per_second * kGigabytesPerSecond.size);
    link.set_source("flags");
  }
  if (options.latency_microseconds != 0) {
    link.set_latency_seconds(options.latency_microseconds * kMicroseconds.size);
  }
  return link;
}

std::string ExchangeNames(const std::vector<Exchange>& exchanges) {
  return absl::StrJoin(exchanges, ",",
                       [](std::string* text, Exchange exchange) { absl::StrAppend(text, ExchangeName(exchange)); });
}

}  // namespace

proto::Cluster MakeCluster(uint32_t devices_per_host, const std::string& algorithm, const LinkOptions& intra_host,
                           const LinkOptions& inter_host) {
  proto::Cluster cluster;
  cluster.set_devices_per_host(devices_per_host);
  cluster.set_algorithm(algorithm);
  if (IsGiven(intra_host)) {
    *cluster.mutable_intra_host() = ToLink(intra_host);
  }
  if (IsGiven(inter_host)) {
    *cluster.mutable_inter_host() = ToLink(inter_host);
  }
  return cluster;
}

absl::Status CheckCommModelOptions(const CommModelOptions& options) {
  RETURN_IF_ERROR(CheckOutputFlag(options.output_path));
  if (!(options.nominal_link_gigabytes_per_second >= 0) || std::isinf(options.nominal_link_gigabytes_per_second)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--nominal_link_gigabytes_per_second=", options.nominal_link_gigabytes_per_second,
                     " is not a bandwidth; expected a number above 0"));
  }
  RETURN_IF_ERROR(CheckNeedsTimes(options));
  RETURN_IF_ERROR(CheckNeedsScale(options));
  RETURN_IF_ERROR(CheckCounts(options.predict_ranks, "predict_ranks"));
  RETURN_IF_ERROR(CheckCounts(options.predict_batches, "predict_batch"));
  RETURN_IF_ERROR(CheckCounts(options.what_if.batches, "what_if_batch"));
  RETURN_IF_ERROR(CheckPositive(options.what_if.bucket_mib, "what_if_bucket_mib"));
  RETURN_IF_ERROR(CheckPositive(options.what_if.gradient_bytes, "what_if_gradient_bytes"));
  RETURN_IF_ERROR(CheckPositive(options.what_if.link_factors, "what_if_link_factor"));
  if (options.scale_paths.empty() && options.times_paths.empty() && options.audit_paths.empty() &&
      options.all_reduce_paths.empty()) {
    return absl::InvalidArgumentError(
        "nothing to explain; give --input=scale.rec, --audit=data/published/hand_in_001.textproto, --times=TABLE.csv, "
        "--all_reduce=nccl_tests.json, or several of them");
  }
  return absl::OkStatus();
}

std::vector<std::string> InputPaths(const CommModelOptions& options) {
  std::vector<std::string> paths = {options.sweep_path, options.score_path, options.model_spec_path,
                                    options.what_if.cluster_path, options.what_if.inter_host_all_reduce_path};
  for (const auto* list :
       {&options.scale_paths, &options.times_paths, &options.all_reduce_paths, &options.audit_paths}) {
    paths.insert(paths.end(), list->begin(), list->end());
  }
  return paths;
}

std::map<std::string, std::string> ResultFlags(const CommModelOptions& options) {
  return {{"nominal_link_gigabytes_per_second", absl::StrCat(options.nominal_link_gigabytes_per_second)},
          {"fit_ranks", absl::StrCat(options.fit_ranks)},
          {"predict_ranks", absl::StrJoin(options.predict_ranks, ",")},
          {"predict_batch", absl::StrJoin(options.predict_batches, ",")},
          {"what_if", absl::StrJoin(options.what_if.devices, ",")},
          {"what_if_batch", absl::StrJoin(options.what_if.batches, ",")},
          {"exchange", ExchangeNames(options.what_if.exchanges)},
          {"what_if_bucket_mib", absl::StrJoin(options.what_if.bucket_mib, ",")},
          {"what_if_gradient_bytes", absl::StrJoin(options.what_if.gradient_bytes, ",")},
          {"what_if_link_factor", absl::StrJoin(options.what_if.link_factors, ",")},
          {"cluster", options.what_if.cluster.ShortDebugString()}};
}

}  // namespace lockstep
