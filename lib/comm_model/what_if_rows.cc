#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "lib/base/log_line.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/all_reduce_cost.h"
#include "lib/comm_model/model_records.h"
#include "lib/prediction/exchange_cost.h"
#include "lib/prediction/predict.h"
#include "lib/prediction/what_if.h"
#include "lib/prediction/workload.h"
#include "lib/statistics/unit.h"

namespace lockstep {
namespace {

constexpr double kFp32Bytes = 4;  // bytes of a gradient element as measured

std::vector<Variant> VariantsOf(const WhatIfOptions& options) {
  std::vector<Variant> variants = {Variant()};
  for (const double mib : options.bucket_mib) {
    Variant& variant = variants.emplace_back();
    variant.name = absl::StrCat("buckets of ", mib, " ", kMebibytes.name);
    variant.bucket_bytes = mib * kMebibytes.size;
  }
  for (const double bytes : options.gradient_bytes) {
    Variant& variant = variants.emplace_back();
    variant.name = absl::StrCat("gradients of ", bytes, " bytes");
    variant.gradient_factor = bytes / kFp32Bytes;
  }
  for (const double factor : options.link_factors) {
    Variant& variant = variants.emplace_back();
    variant.name = absl::StrCat("links between hosts ", factor, " times as fast");
    variant.link_factor = factor;
  }
  return variants;
}

std::vector<uint32_t> BatchesOf(const WhatIfOptions& options, const ScalingTimes& times) {
  std::vector<uint32_t> batches = options.batches;
  for (const ScalingTime& time : times.times) {
    if (options.batches.empty() && time.ranks == 1) {
      batches.push_back(time.batch);
    }
  }
  std::sort(batches.begin(), batches.end());
  return batches;
}

// Returns the exchanges over several hosts. With one device per host both are the same, and the flat one is taken.
absl::StatusOr<std::vector<Exchange>> ExchangesOf(const WhatIfOptions& options, const proto::Cluster& cluster) {
  const std::vector<Exchange> flat = {Exchange::kFlat}, hierarchical = {Exchange::kHierarchical};
  if (cluster.devices_per_host() == 1) {
    return options.exchanges == hierarchical
               ? absl::StatusOr<std::vector<Exchange>>(absl::InvalidArgumentError(
                     "--exchange=hierarchical needs several devices per host, found 1; use --exchange=flat"))
               : flat;
  }
  const bool rings = cluster.algorithm() == AllReduceAlgorithmName(AllReduceAlgorithm::kHierarchical);
  return rings && options.exchanges != flat ? hierarchical : options.exchanges;
}

// Converts OutOfRange to InvalidArgument: a batch above the measured ones is an error of the caller, not of the data.
absl::StatusOr<Workload> WorkloadAt(const ScalingTimes& times, const StepCurve& curve, const AllReduceTime& all_reduce,
                                    uint32_t batch) {
  absl::StatusOr<Workload> workload = MakeWorkload(times, curve, all_reduce, batch);
  if (absl::IsOutOfRange(workload.status())) {
    return absl::InvalidArgumentError(absl::StrCat("--what_if_batch=", batch, ": ", workload.status().message()));
  }
  return workload;
}

// Returns a sentence on the runs that TimesForHosts leaves out; empty if it leaves out no run.
std::string NoteOn(const ScalingTimes& all, const ScalingTimes& used, uint32_t ranks_per_host) {
  if (used.times.size() == all.times.size()) {
    return "";
  }
  const std::string ranks = absl::StrCat(ranks_per_host, ranks_per_host == 1 ? " rank" : " ranks");
  return absl::StrCat("hosts of ", ranks, " are modelled from runs of at most ", ranks,
                      ": more ranks were measured, but they share one CPU and slow each other down",
                      ranks_per_host == 1 ? ", so the time that ranks wait for each other counts as 0" : "");
}

// Returns a sentence on the rows of an exchange whose sums within a host were measured on another one; empty if they
// were not measured, or on the same.
std::string NoteOnSumsWithinHosts(const ScalingTimes& times, Exchange exchange) {
  if (std::none_of(times.times.begin(), times.times.end(), [](const ScalingTime& time) { return time.ranks > 1; })) {
    return "";
  }
  if (exchange == Exchange::kHierarchical) {
    return times.gpu_path == GpuPath::kNccl
               ? "hierarchical: the exchange within a host is that of the record, over NCCL; a run uses peer memory "
                 "there and may take less. Measure one host with --reducer=hierarchical"
               : "";
  }
  return times.gpu_path == GpuPath::kPeerMemory
             ? "flat: the exchange within a host is that of the record, through peer memory; a run uses NCCL there and "
               "may take longer. Measure one host with --reducer=own"
             : "";
}

void SetNote(const std::string& note, const std::function<bool(const proto::WhatIfRow&)>& wanted,
             std::vector<proto::WhatIfRow>& rows) {
  bool is_set = false;
  for (proto::WhatIfRow& row : rows) {
    if (!note.empty() && wanted(row)) {
      row.set_note(note);
      is_set = true;
    }
  }
  if (is_set) {
    LogWarning(absl::StrCat("comm_model: warning: --what_if: ", note));
  }
}

// Appends the rows of one variant at one batch.
absl::Status AppendRows(const WhatIfOptions& options, const Workload& workload, const proto::Cluster& cluster,
                        const proto::ModelSpec& spec, Variant variant, std::vector<proto::WhatIfRow>& rows) {
  ASSIGN_OR_RETURN(const std::vector<Exchange> exchanges, ExchangesOf(options, cluster));
  for (const uint32_t devices : options.devices) {
    // Both are the same on one host. The last one also decides at how many devices scaling stops paying.
    const bool one_host = devices <= cluster.devices_per_host();
    for (const Exchange exchange : one_host ? std::vector<Exchange>{exchanges.back()} : exchanges) {
      variant.exchange = exchange;
      ASSIGN_OR_RETURN(rows.emplace_back(), AskWhatIf(workload, cluster, spec, variant, devices));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<proto::WhatIfRow>> MakeWhatIfRows(const CommModelOptions& options,
                                                             const CommModelInputs& inputs,
                                                             const std::vector<ScalingTimes>& all,
                                                             const std::vector<AllReduceCurve>& curves) {
  std::vector<proto::WhatIfRow> rows;
  if (options.what_if.devices.empty()) {
    return rows;
  }
  const ScalingTimes& times = all[0];
  const absl::StatusOr<StepCurve> curve = MakeStepCurve(times, inputs.model_spec.step_time());
  if (!curve.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(times.source, ": ", curve.status().message()));
  }
  const AllReduceTime all_reduce(CurvesFor(times, curves), times.probes);
  proto::Cluster cluster = inputs.cluster;
  const absl::StatusOr<proto::Link> measured = MeasuredLink(times, all_reduce, cluster.devices_per_host());
  if (!cluster.has_intra_host() && measured.ok()) {
    *cluster.mutable_intra_host() = *measured;
  }
  const uint32_t max_devices = *std::max_element(options.what_if.devices.begin(), options.what_if.devices.end());
  RETURN_IF_ERROR(CheckCluster(cluster, max_devices));
  RETURN_IF_ERROR(CheckSharedCpu(times, cluster.devices_per_host(), max_devices));
  const uint32_t ranks_per_host = std::min(cluster.devices_per_host(), max_devices);
  const ScalingTimes used = TimesForHosts(times, ranks_per_host);
  for (const Variant& variant : VariantsOf(options.what_if)) {
    for (const uint32_t batch : BatchesOf(options.what_if, times)) {
      ASSIGN_OR_RETURN(const Workload workload, WorkloadAt(used, *curve, all_reduce, batch));
      RETURN_IF_ERROR(AppendRows(options.what_if, workload, cluster, inputs.model_spec, variant, rows));
    }
  }
  SetNote(
      NoteOn(times, used, ranks_per_host), [](const proto::WhatIfRow&) { return true; }, rows);
  if (inputs.cluster.has_intra_host()) {
    return rows;  // the link within a host was not taken from the record
  }
  for (const Exchange exchange : {Exchange::kFlat, Exchange::kHierarchical}) {
    SetNote(
        NoteOnSumsWithinHosts(times, exchange),
        [exchange](const proto::WhatIfRow& row) { return row.exchange() == ExchangeName(exchange); }, rows);
  }
  return rows;
}

}  // namespace lockstep
