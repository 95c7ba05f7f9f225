#include "lib/dist/scale_run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "lib/base/status_macros.h"
#include "lib/cifar/dataset.h"
#include "lib/dist/merge_ranks.h"
#include "lib/dist/nccl_environment.h"
#include "lib/dist/rank_point.h"
#include "lib/dist/scale_plan.h"
#include "lib/nn/device.h"
#include "lib/nn/torch_status.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/step_cache.h"

namespace lockstep {
namespace {

constexpr char kPointTask[] = "scale_run_point";

// Ranks cannot share a pipe: they get a copy of standard input in memory, by a path that lives as long as this process.
absl::StatusOr<std::string> CopyStandardInput() {
  const int fd = memfd_create("dataset.rec", MFD_CLOEXEC);
  if (fd < 0) {
    return absl::InternalError(absl::StrCat("memfd_create: ", std::strerror(errno)));
  }
  std::FILE* copy = fdopen(fd, "wb");
  char buffer[65536];
  size_t n;
  while ((n = std::fread(buffer, 1, sizeof(buffer), stdin)) > 0 && std::fwrite(buffer, 1, n, copy) == n) {
  }
  if (std::ferror(stdin) != 0 || std::ferror(copy) != 0 || std::fflush(copy) != 0) {
    return absl::DataLossError(absl::StrCat("standard input: cannot copy it: ", std::strerror(errno)));
  }
  return absl::StrCat("/proc/", getpid(), "/fd/", fd);
}

absl::StatusOr<proto::Header> MakeScaleHeader(const ScaleRunPlan& plan, const proto::Input& input) {
  if (plan.device.is_cuda()) {
    SetNcclEnvironment();
  }
  HeaderOptions header;
  header.schema = proto::ScaleFile::descriptor()->full_name();
  header.seed = plan.spec.training().seed();
  header.inputs = {input};
  const uint32_t devices = plan.device.is_cuda() ? MaxRanks(plan.spec) : 1;
  for (uint32_t i = 0; i < devices; ++i) {
    c10::Device device = plan.device;
    if (device.is_cuda()) {
      device.set_index(static_cast<c10::DeviceIndex>(i));
    }
    ASSIGN_OR_RETURN(const proto::Device described, DescribeDevice(device));
    header.devices.push_back(described);
  }
  header.libraries = LoadedLibraries(plan.device);
  // All that the user can ask for is in the spec, except how long to wait for a rank, which changes no result.
  proto::ScaleSpec result = plan.spec;
  result.clear_timeout_seconds();
  header.result_flags = {{"spec", result.ShortDebugString()}};
  return MakeHeader(header);
}

bool SamePoint(const proto::ScalePoint& a, const proto::ScalePoint& b) {
  return a.ranks() == b.ranks() && a.batch_per_device() == b.batch_per_device() && a.reduction() == b.reduction();
}

// The points that an earlier, stopped run of the same command completed; none with --force.
std::vector<proto::ScalePoint> FinishedPoints(const ScaleRunOptions& options, const proto::Header& header) {
  std::vector<proto::ScalePoint> points;
  if (options.force || options.output == "-" || header.build().build_id().empty()) {
    return points;
  }
  const auto file = ReadRecordFile<proto::ScaleFile>(options.output + ".part", ReadMode::kSalvage);
  if (!file.ok() || file->header.cache_key() != header.cache_key()) {
    return points;
  }
  for (const proto::ScaleRecord& record : file->records) {
    if (record.has_point() && record.point().outcome() == proto::COMPLETED) {
      points.push_back(record.point());
    }
  }
  return points;
}

absl::StatusOr<proto::ScalePoint> MeasurePoint(const ScaleRunPlan& plan, const proto::ScalePoint& point) {
  proto::RankOrder order;
  *order.mutable_spec() = plan.spec;
  *order.mutable_point() = point;
  order.set_dataset_path(plan.dataset_path);
  LaunchOptions launch;
  launch.ranks = static_cast<int>(point.ranks());
  launch.task = kPointTask;
  launch.payload = order.SerializeAsString();
  launch.timeout = absl::Seconds(plan.spec.timeout_seconds());
  const absl::StatusOr<std::vector<std::string>> results = LaunchRanks(launch);
  if (!results.ok()) {
    return absl::Status(results.status().code(), absl::StrCat(PointName(point), ": ", results.status().message()));
  }
  std::vector<proto::ScalePoint> of_rank(results->size());
  for (size_t rank = 0; rank < of_rank.size(); ++rank) {
    if (!of_rank[rank].ParseFromString((*results)[rank])) {
      return absl::InternalError(absl::StrCat(PointName(point), ": the answer of rank ", rank, " does not parse"));
    }
  }
  return MergeRanks(of_rank);
}

absl::Status AppendPoint(RecordWriter& writer, const proto::ScalePoint& point) {
  proto::ScaleRecord record;
  *record.mutable_point() = point;
  return writer.Append(record);
}

void ReportPoint(const proto::ScalePoint& point, bool resumed) {
  double sum = 0;
  for (const double seconds : point.epoch_seconds().value()) {
    sum += seconds;
  }
  absl::FPrintF(stderr, "scale_run: %s: %.4g s per epoch%s\n", PointName(point),
                sum / std::max(1, point.epoch_seconds().value_size()), resumed ? " (from the run before)" : "");
}

// A stopped or failed run with nothing to keep leaves nothing: the spec is written together with the first point.
absl::Status MeasureAll(const ScaleRunOptions& options, const ScaleRunPlan& plan, const proto::Header& header) {
  const std::vector<proto::ScalePoint> finished = FinishedPoints(options, header);
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Create(options.output, header));
  proto::ScaleRecord spec;
  *spec.mutable_spec() = plan.spec;
  bool spec_written = false;
  const auto append = [&](const proto::ScalePoint& point, bool resumed) -> absl::Status {
    if (!std::exchange(spec_written, true)) {
      RETURN_IF_ERROR(writer->Append(spec));
    }
    ReportPoint(point, resumed);
    return AppendPoint(*writer, point);
  };
  std::vector<proto::ScalePoint> to_do;
  for (const proto::ScalePoint& point : plan.points) {
    const auto same = [&](const proto::ScalePoint& other) { return SamePoint(point, other); };
    const auto found = std::find_if(finished.begin(), finished.end(), same);
    if (found == finished.end()) {
      to_do.push_back(point);
    } else {
      RETURN_IF_ERROR(append(*found, true));
    }
  }
  for (const proto::ScalePoint& point : to_do) {
    ASSIGN_OR_RETURN(const proto::ScalePoint measured, MeasurePoint(plan, point));
    RETURN_IF_ERROR(append(measured, false));
  }
  return writer->Finish();
}

absl::Status PlanAndMeasure(const ScaleRunOptions& options) {
  RETURN_IF_ERROR(CheckScaleRunOptions(options));
  std::string dataset_path = options.input;
  if (options.input == "-") {
    ASSIGN_OR_RETURN(dataset_path, CopyStandardInput());
  }
  ScaleRunPlan plan;
  proto::Header header;
  {
    ASSIGN_OR_RETURN(Dataset dataset, ReadDataset(dataset_path));
    dataset.input.set_path(options.input);
    ASSIGN_OR_RETURN(plan, MakeScaleRunPlan(options, dataset));
    ASSIGN_OR_RETURN(header, MakeScaleHeader(plan, dataset.input));
  }
  plan.dataset_path = dataset_path;
  if (options.dry_run) {
    std::fputs(PlanText(plan).c_str(), stderr);
    return absl::OkStatus();
  }
  if (!options.force && IsCached(options.output, header)) {
    return absl::OkStatus();
  }
  return MeasureAll(options, plan, header);
}

absl::StatusOr<std::string> RunPointTask(RankContext& context) {
  proto::RankOrder order;
  if (!order.ParseFromString(context.payload)) {
    return absl::InternalError("a rank's order does not parse");
  }
  ASSIGN_OR_RETURN(const proto::ScalePoint point, RunRankPoint(context, order));
  return point.SerializeAsString();
}

}  // namespace

absl::Status RunScaleRun(const ScaleRunOptions& options) {
  return CatchTorchErrors("scale_run", [&] { return PlanAndMeasure(options); });
}

const std::map<std::string, RankTask>& ScaleRunTasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{kPointTask, RunPointTask}};
  return *tasks;
}

}  // namespace lockstep
