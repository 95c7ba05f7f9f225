#include "lib/scale_run/scale_run.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "lib/base/exit_status.h"
#include "lib/base/log_line.h"
#include "lib/base/point_warnings.h"
#include "lib/base/print_text.h"
#include "lib/base/progress.h"
#include "lib/base/readable_number.h"
#include "lib/base/status_macros.h"
#include "lib/base/stopwatch.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/dataset/content_digest.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/validation_split.h"
#include "lib/device/device.h"
#include "lib/device/torch_status.h"
#include "lib/proto/comm_model.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/readable_text.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/run_files.h"
#include "lib/record/run_stage.h"
#include "lib/record/stage_output.h"
#include "lib/record/standard_input.h"
#include "lib/record/stopped_run.h"
#include "lib/record/value_ranges.h"
#include "lib/scale_run/experiments.h"
#include "lib/scale_run/kept_files.h"
#include "lib/scale_run/merge_ranks.h"
#include "lib/scale_run/point_variants.h"
#include "lib/scale_run/rank_point.h"
#include "lib/scale_run/reducer_choice.h"
#include "lib/scale_run/scale_plan.h"
#include "lib/scale_run/scale_run_plan.h"
#include "lib/scaling/ablation_split.h"
#include "lib/scaling/point_run.h"
#include "lib/scaling/point_settings.h"
#include "lib/statistics/mean.h"
#include "lib/train/busy_cores.h"
#include "lib/train/schedule.h"
#include "lib/train/sweep_journal.h"
#include "lib/train/time_left.h"
#include "lib/train/training_state.h"

namespace lockstep {
namespace {

constexpr char kPointTask[] = "scale_run_point";

// Returns the inputs of the record's header. The digest of a prediction proves that the prediction existed before the
// run.
absl::StatusOr<std::vector<proto::Input>> InputsOf(const ScaleRunOptions& options, const proto::Input& dataset) {
  std::vector<proto::Input> inputs = {dataset};
  if (options.prediction.empty()) {
    return inputs;
  }
  ASSIGN_OR_RETURN(const auto file, ReadRecordFile<proto::CommModelFile>(options.prediction));
  RETURN_IF_ERROR(CheckValueRanges(options.prediction, file.records));
  if (std::none_of(file.records.begin(), file.records.end(),
                   [](const auto& record) { return record.has_prediction() || record.has_what_if(); })) {
    return absl::FailedPreconditionError(
        absl::StrCat(options.prediction,
                     ": expected a record with predictions, found none; make it with comm_model --predict_ranks or "
                     "--what_if"));
  }
  inputs.push_back(file.input);
  return inputs;
}

std::string OtherHostsOf(const World* world) { return world != nullptr ? world->OtherHosts() : ""; }

absl::StatusOr<proto::Header> MakeScaleHeader(const ScaleRunOptions& options, const ScaleRunPlan& plan,
                                              const std::vector<proto::Input>& inputs, const World* world) {
  if (plan.device.is_cuda()) {
    SetNcclEnvironment();
  }
  HeaderOptions header;
  header.schema = proto::ScaleFile::descriptor()->full_name();
  header.seed = plan.spec.training().seed();
  header.inputs = inputs;
  const uint32_t ranks = MaxRanks(plan.spec);
  const uint32_t devices = plan.device.is_cuda() ? world != nullptr ? world->RanksHere(ranks) : ranks : 1;
  for (uint32_t i = 0; i < devices; ++i) {
    ASSIGN_OR_RETURN(const c10::Device device,
                     ResolveDevice(plan.device.is_cuda() ? "cuda" : "cpu", static_cast<int>(i)));
    ASSIGN_OR_RETURN(const proto::Device described, DescribeDevice(device));
    header.devices.push_back(described);
  }
  header.libraries = LoadedLibraries(plan.device);
  // The spec contains all options, except the timeout for a rank, which changes no result.
  proto::ScaleSpec result = plan.spec;
  result.clear_timeout_seconds();
  if (plan.spec.experiment() == proto::EXPERIMENT_UNSPECIFIED) {  // rows of an experiment depend on its other rows
    result.clear_ranks();
    result.clear_batch_size();
    for (const proto::ScalePoint& point : plan.points) {
      header.points.push_back(NameIn(plan, point));
    }
  }
  header.result_flags = {{"spec", result.ShortDebugString()}};
  if (!plan.rows.empty()) {
    header.result_flags["rows"] = absl::StrJoin(plan.rows, ";");
  }
  if (!OtherHostsOf(world).empty()) {
    header.result_flags["other_hosts"] = OtherHostsOf(world);
  }
  if (!options.checkpoint.empty()) {
    header.result_flags["checkpoint"] = options.checkpoint;
    header.result_flags["checkpoint_point"] = absl::StrCat(plan.checkpoint_point);
  }
  return MakeHeader(header);
}

// Returns null if there is no such point.
const proto::ScalePoint* Find(const std::vector<proto::ScalePoint>& points, const proto::ScalePoint& wanted) {
  const std::string key = PointKey(wanted);
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&key](const proto::ScalePoint& point) { return PointKey(point) == key; });
  return found == points.end() ? nullptr : &*found;
}

// Returns true if a point needs no more work. `leaves_checkpoint`: the point must have written the checkpoint.
bool IsFinished(const proto::ScalePoint& point, bool leaves_checkpoint) {
  return leaves_checkpoint ? point.outcome() == proto::COMPLETED && CheckpointIsThere(point.checkpoint())
                           : point.outcome() == proto::COMPLETED || point.outcome() == proto::OUT_OF_MEMORY;
}

// Returns the points that a stopped run finished, up to the first record that is not in this plan, occurs twice or
// needs more work. The first record must be the spec.
std::vector<proto::ScalePoint> FinishedPoints(const std::vector<proto::ScaleRecord>& kept, const ScaleRunPlan& plan) {
  std::vector<proto::ScalePoint> finished;
  for (size_t i = 1; i < kept.size() && kept[0].has_spec(); ++i) {
    const proto::ScalePoint& point = kept[i].point();
    const proto::ScalePoint* const planned = Find(plan.points, point);
    if (planned == nullptr || Find(finished, point) != nullptr ||
        !IsFinished(point, planned == plan.points.data() + plan.checkpoint_point)) {
      break;
    }
    finished.push_back(point);
  }
  return finished;
}

// Writes the spec of a run that grows from a record with fewer points, and the points that it keeps.
absl::Status WriteKept(const ScaleRunPlan& plan, const proto::ScaleSpec& kept_spec, const World* world,
                       RecordWriter& writer, std::vector<proto::ScalePoint>& finished) {
  std::vector<proto::ScaleRecord> records(1 + finished.size());
  *records[0].mutable_spec() = plan.spec;
  records[0].mutable_spec()->set_reducer(kept_spec.reducer());
  if (world != nullptr) {
    *records[0].mutable_spec()->mutable_launch() = world->ToProto();
  }
  std::vector<const google::protobuf::Message*> written = {&records[0]};
  for (size_t i = 0; i < finished.size(); ++i) {
    if (finished[i].earlier_run().empty()) {
      finished[i].set_earlier_run(writer.grown_from());
    }
    *records[i + 1].mutable_point() = finished[i];
    written.push_back(&records[i + 1]);
  }
  return writer.ReplaceAll(written);
}

// Returns the text after a point that this run did not measure.
std::string KeptText(const proto::ScalePoint& point) {
  return point.earlier_run().empty() ? " (from the previous run)"
                                     : absl::StrCat(" (kept from the run of ", point.earlier_run(), ")");
}

// Returns the order for the ranks of point `index` of the plan.
proto::RankOrder OrderOf(const ScaleRunOptions& options, const ScaleRunPlan& plan, const proto::Header& header,
                         size_t index, const World* world) {
  proto::RankOrder order;
  *order.mutable_spec() = plan.spec;
  *order.mutable_point() = plan.points[index];
  order.set_dataset_path(plan.dataset_path);
  order.set_dataset_sha256(plan.dataset_sha256);
  order.set_dataset_content_sha256(plan.dataset_content_sha256);
  order.set_checkpoint_path(index == plan.checkpoint_point ? options.checkpoint : "");
  order.set_state_path(PointStatePath(options, plan.points, index));
  order.set_state_every(options.state_every);
  order.set_afresh(options.force);
  if (!order.state_path().empty()) {
    *order.mutable_state_header() = MakeStateHeader(header, plan.spec, plan.points[index], OtherHostsOf(world));
  }
  MakeTextReadable(order);  // the header's command line may hold any bytes, which protobuf would not parse
  return order;
}

absl::StatusOr<proto::ScalePoint> MeasurePoint(const ScaleRunPlan& plan, const proto::RankOrder& order, World* world) {
  const proto::ScalePoint& point = order.point();
  LaunchOptions launch;
  launch.ranks = point.mode() == proto::DP ? 1 : static_cast<int>(point.ranks());
  launch.task = kPointTask;
  launch.payload = order.SerializeAsString();
  launch.world = world;
  launch.timeout = absl::Seconds(plan.spec.timeout_seconds());
  const absl::StatusOr<std::vector<std::string>> results = LaunchRanks(launch);
  if (!results.ok()) {
    return absl::Status(results.status().code(), absl::StrCat(NameIn(plan, point), ": ", results.status().message()));
  }
  std::vector<proto::ScalePoint> of_rank(results->size());
  for (size_t rank = 0; rank < of_rank.size(); ++rank) {
    if (!of_rank[rank].ParseFromString((*results)[rank])) {
      return absl::InternalError(absl::StrCat(NameIn(plan, point), ": the answer of rank ", rank, " does not parse"));
    }
  }
  ASSIGN_OR_RETURN(proto::ScalePoint merged, MergeRanks(of_rank));
  if (merged.has_checkpoint()) {
    merged.mutable_checkpoint()->set_path(order.checkpoint_path());  // original path, which may not be readable text
  }
  return merged;
}

// Returns "; about 36 s left"; empty after the last point.
std::string LeftText(double seconds) {
  return seconds == 0 ? "" : absl::StrCat("; about ", TimeLeftText(seconds), " left");
}

// Logs "scale_run: point 3 of 12: 2 ranks, batch 32: 1.234 s per epoch, mean of 5", followed by `rest`.
// Adds the point's warnings to `warnings`.
void ReportPoint(const ScaleRunPlan& plan, size_t index, const proto::ScalePoint& point, const std::string& rest,
                 PointWarnings& warnings) {
  const std::string place = absl::StrCat("scale_run: point ", index + 1, " of ", plan.points.size(), ": ");
  const auto& seconds = point.epoch_seconds().value();
  if (point.outcome() == proto::OUT_OF_MEMORY) {
    LogLine(absl::StrFormat("%sout of memory: %s%s", place, point.detail(), rest));
  } else if (seconds.empty()) {
    LogLine(absl::StrFormat("%s%s: completed, no timed epoch%s", place, NameIn(plan, point), rest));
  } else {
    LogLine(absl::StrFormat("%s%s: %s per epoch, mean of %d%s", place, NameIn(plan, point), SecondsText(Mean(seconds)),
                            seconds.size(), rest));
  }
  for (const std::string& warning : point.noise_warning()) {
    warnings.Add(NameIn(plan, point), warning);
  }
}

// Logs that the ranks of this point fell back to another reducer than --reducer=auto chose, or to Gloo.
void ReportFallback(const ScaleRunPlan& plan, const proto::ScalePoint& planned, const proto::ScalePoint& measured) {
  if (measured.reducer() != planned.reducer()) {
    LogLine(absl::StrFormat("scale_run: %s: --reducer=auto continues with %s, not %s: %s", NameIn(plan, planned),
                            measured.reducer(), planned.reducer(), measured.reducer_reason()));
  }
  if (!measured.communicator_reason().empty()) {
    LogLine(absl::StrFormat("scale_run: %s: all ranks communicate over gloo: %s", NameIn(plan, planned),
                            measured.communicator_reason()));
  }
}

// Logs, after a point without all-reduces, the split of the time that it saves.
void ReportAblation(const std::vector<proto::ScalePoint>& measured, const proto::ScalePoint& ablated) {
  if (ablated.reduction() != proto::ABLATED || ablated.outcome() != proto::COMPLETED) {
    return;
  }
  proto::ScalePoint wanted = ablated;
  wanted.set_reduction(proto::ALL_REDUCE);
  const proto::ScalePoint* const reduced = Find(measured, wanted);
  wanted.set_ranks(1);
  const proto::ScalePoint* const alone = Find(measured, wanted);
  if (reduced == nullptr) {
    return;
  }
  if (const auto split = SplitAblation(*reduced, ablated, alone); split.ok()) {
    LogLine(absl::StrFormat("scale_run: %s", AblationText(*split)));
  }
}

// Measures a point. If a rank's allocator or the kernel reports out of memory, this becomes the point's outcome.
absl::StatusOr<proto::ScalePoint> TryPoint(const ScaleRunPlan& plan, const proto::RankOrder& order, World* world) {
  absl::StatusOr<proto::ScalePoint> measured = MeasurePoint(plan, order, world);
  if (!absl::IsResourceExhausted(measured.status())) {
    return measured;
  }
  proto::ScalePoint lost = order.point();
  lost.set_outcome(proto::OUT_OF_MEMORY);
  lost.set_detail(std::string(measured.status().message()));
  return lost;
}

// Finishes the record, which is complete even if the checkpoint's point did not complete.
absl::Status Finish(const ScaleRunOptions& options, const std::vector<proto::ScalePoint>& points, StageOutput& output) {
  absl::Status status = options.checkpoint.empty()
                            ? absl::OkStatus()
                            : absl::ResourceExhaustedError(absl::StrCat(
                                  "the checkpoint ", options.checkpoint,
                                  " was not written: its point did not complete; the record contains the reason"));
  for (const proto::ScalePoint& point : points) {
    if (point.has_checkpoint()) {
      output.writer->AddOutput(FileOf(point.checkpoint()));
      status = absl::OkStatus();
    }
  }
  RETURN_IF_ERROR(output.Finish(static_cast<int>(ToExitCode(status))));
  for (const proto::ScalePoint& point : points) {
    if (point.has_checkpoint()) {
      LogLine(absl::StrCat("scale_run: ", WrittenText(point.checkpoint())));
    }
  }
  return status;
}

// Warns if points that a speed-up divides are of different runs. `start` is that of the run in the record's header.
void WarnOfDifferentRuns(const std::string& start, const std::vector<proto::ScalePoint>& points) {
  proto::Header header;
  header.set_start_time(start);
  if (const std::string text = DifferentRunsOf(header, points); !text.empty()) {
    LogWarning(absl::StrCat("scale_run: warning: ", text,
                            "; for speed-ups that can be trusted, measure all of them in one run: --force"));
  }
}

// Measures all points. The spec is written together with the first point, so that a run that stops or fails before
// leaves nothing.
absl::Status MeasureAll(const ScaleRunOptions& options, ScaleRunPlan plan, const proto::Header& header, World* world,
                        StageOutput& output, FinishedWork& work, PointWarnings& warnings) {
  RecordWriter& writer = *output.writer;
  // Records of a stopped run of the same command; empty with --force.
  ASSIGN_OR_RETURN(const std::vector<proto::ScaleRecord> kept, ParseKept<proto::ScaleRecord>(writer));
  for (const std::string& warning : PlanWarnings(plan)) {
    LogWarning(absl::StrFormat("scale_run: warning: %s", warning));
  }
  if (const bool chosen = options.spec.training().threads() > 0; !chosen && plan.device.is_cpu()) {
    if (const std::string warning = BusyCoresWarning(plan.spec.training().threads()); !warning.empty()) {
      LogWarning(absl::StrFormat("scale_run: warning: %s", warning));
    }
  }
  for (const std::string& left_out : plan.left_out) {
    LogLine(absl::StrCat("scale_run: left out: ", left_out));
  }
  for (const proto::ScaleRecord& record : kept) {
    FallBackFrom(record.point(), plan.points);
  }
  std::vector<proto::ScalePoint> finished = FinishedPoints(kept, plan);
  if (!finished.empty() && !writer.grown_from().empty()) {
    RETURN_IF_ERROR(WriteKept(plan, kept[0].spec(), world, writer, finished));
  }
  const bool resumes = !finished.empty() && !writer.resumed_from().empty();
  bool spec_written = !finished.empty();
  RETURN_IF_ERROR(writer.KeepOnly(spec_written ? 1 + finished.size() : 0));
  std::vector<proto::ScalePoint> table = finished;
  work = {"point", finished.size(), plan.points.size(), ""};
  const auto epochs_of = [&plan](const proto::ScalePoint& point) { return TotalEpochs(TrainingOf(plan.spec, point)); };
  TimeLeft time_left;
  for (const proto::ScalePoint& point : plan.points) {
    if (Find(finished, point) == nullptr) {
      time_left.Expect(epochs_of(point));
    }
  }
  const Stopwatch watch;
  for (size_t i = 0; i < plan.points.size(); ++i) {
    if (const proto::ScalePoint* same = Find(finished, plan.points[i]); same != nullptr) {
      ReportPoint(plan, i, *same, KeptText(*same), warnings);
      continue;
    }
    proto::RankOrder order = OrderOf(options, plan, header, i, world);
    order.set_place(plan.points.size() < 2 ? "" : absl::StrCat("point ", i + 1, " of ", plan.points.size()));
    order.set_later_seconds(time_left.SecondsAfterNext(epochs_of(plan.points[i]), watch.Seconds()));
    absl::StatusOr<proto::ScalePoint> tried = TryPoint(plan, order, world);
    if (absl::IsCancelled(tried.status()) && access(order.state_path().c_str(), F_OK) == 0) {
      work.under_way = absl::StrCat("point ", i + 1, " after its last complete epoch");
    }
    RETURN_IF_ERROR(tried.status());
    proto::ScalePoint& measured = *tried;
    if (resumes) {
      measured.set_resumed_run(header.start_time());
    }
    proto::ScaleRecord record;
    if (!std::exchange(spec_written, true)) {
      *record.mutable_spec() = plan.spec;
      if (plan.spec.reducer() == "auto") {
        record.mutable_spec()->set_reducer(measured.reducer());
      }
      if (world != nullptr) {
        *record.mutable_spec()->mutable_launch() = world->ToProto();
      }
      RETURN_IF_ERROR(writer.Append(record));
    }
    const auto& seconds = measured.epoch_seconds().value();
    time_left.Finish(epochs_of(plan.points[i]), seconds.empty() ? 0 : Mean(seconds));
    ReportFallback(plan, plan.points[i], measured);
    FallBackFrom(measured, plan.points);
    ReportPoint(plan, i, measured, LeftText(time_left.Seconds(watch.Seconds())), warnings);
    table.push_back(measured);
    ReportAblation(table, measured);
    *record.mutable_point() = measured;
    RETURN_IF_ERROR(writer.Append(record));
    work.finished += measured.outcome() == proto::COMPLETED || measured.outcome() == proto::OUT_OF_MEMORY ? 1 : 0;
    if (!order.state_path().empty() && measured.outcome() == proto::COMPLETED) {
      RemoveTrainingState(order.state_path());
    }
  }
  WarnOfDifferentRuns(resumes ? writer.resumed_from() : header.start_time(), table);
  if (plan.spec.experiment() != proto::EXPERIMENT_UNSPECIFIED && !IsQuiet()) {
    RETURN_IF_ERROR(PrintToStderr(ExperimentTable(plan.spec, table)));
  }
  return Finish(options, table, output);
}

// Standard input is copied into this process; only its own child processes can read the copy.
absl::Status CheckOneProcess(const World* world) {
  return world == nullptr || world->size() == 1
             ? absl::OkStatus()
             : absl::InvalidArgumentError(
                   "--input=- under a launcher: expected a file that every rank can read, found "
                   "standard input; give the file's path");
}

// Returns the images of the largest requested step.
uint64_t LargestGlobalBatch(const proto::ScaleSpec& spec) {
  const auto& batches = spec.batch_size();
  const uint64_t largest = batches.empty() ? 0 : *std::max_element(batches.begin(), batches.end());
  const bool global = spec.batch_mode() == proto::GLOBAL || spec.experiment() != proto::EXPERIMENT_UNSPECIFIED;
  return global ? largest : largest * MaxRanks(spec);
}

// Logs the default batch sizes that are left out.
void LogLeftOut(const std::vector<uint32_t>& batches, uint64_t images, const proto::ScaleSpec& spec) {
  if (!batches.empty()) {
    LogLine(absl::StrCat("scale_run: left out: --batch_size=", absl::StrJoin(batches, ","), " of the default: ", images,
                         " training images are too few for ", MaxRanks(spec),
                         MaxRanks(spec) == 1 ? " rank" : " ranks"));
  }
}

// Holds images out of the training split, and sets their number in `options`. Leaves default batches out that are too
// large for the rest.
absl::Status HoldOut(ScaleRunOptions& options, Dataset& dataset) {
  const uint32_t images = ValidationImages(options, dataset.train.size());
  options.spec.mutable_training()->set_validation_images(images);
  const uint64_t rest = dataset.train.size() - std::min<uint64_t>(images, dataset.train.size());
  LogLeftOut(LeaveOutLargeBatches(rest, options), rest, options.spec);
  return HoldOutValidation(images, LargestGlobalBatch(options.spec), dataset);
}

absl::Status PlanAndMeasure(ScaleRunOptions options, World* world, FinishedWork& work) {
  RETURN_IF_ERROR(CheckScaleRunOptions(options));
  RETURN_IF_ERROR(DeclareRunFiles(FilesOf(options)));
  std::string dataset_path = options.input;
  if (options.input == "-") {  // ranks cannot share a pipe
    RETURN_IF_ERROR(CheckOneProcess(world));
    ASSIGN_OR_RETURN(dataset_path, CopyStandardInput());
  }
  ScaleRunPlan plan;
  proto::Header header;
  {
    ASSIGN_OR_RETURN(Dataset dataset, ReadDataset(dataset_path));
    dataset.input.set_path(options.input);
    const std::string content_sha256 =
        world != nullptr ? ContentSha256(dataset) : "";  // digest of all images: other processes hold none out
    RETURN_IF_ERROR(HoldOut(options, dataset));
    ASSIGN_OR_RETURN(plan, MakeScaleRunPlan(options, dataset, world));
    plan.dataset_sha256 = dataset.input.sha256();
    if (world != nullptr) {
      const uint32_t ranks = MaxRanks(plan.spec);
      RETURN_IF_ERROR(plan.device.is_cuda() ? world->CheckRanksOnGpus(ranks) : world->CheckRanks(ranks));
      plan.dataset_content_sha256 = content_sha256;
      RETURN_IF_ERROR(world->CheckDataset(plan.dataset_content_sha256));
    }
    ASSIGN_OR_RETURN(const std::vector<proto::Input> inputs, InputsOf(options, dataset.input));
    ASSIGN_OR_RETURN(header, MakeScaleHeader(options, plan, inputs, world));
  }
  plan.dataset_path = dataset_path;
  StageRun run;
  run.output.record = options.output;
  run.output.checkpoint = options.checkpoint;
  run.output.is_journal = true;
  run.output.force = options.force;
  run.dry_run = options.dry_run;
  run.print_plan = [&] { return PrintToStderr(PlanText(plan)); };
  run.make_header = [&] { return header; };
  run.write = [&](const proto::Header&, StageOutput& output) {
    PointWarnings warnings;
    const absl::Status status = MeasureAll(options, std::move(plan), header, world, output, work, warnings);
    warnings.Log("scale_run", work.planned);
    return status;
  };
  return RunStage(run);
}

absl::StatusOr<std::string> RunPointTask(RankContext& context) {
  proto::RankOrder order;
  if (!order.ParseFromString(context.payload)) {
    return absl::InternalError("a rank's order does not parse");
  }
  ASSIGN_OR_RETURN(proto::ScalePoint point, RunRankPoint(context, order));
  MakeTextReadable(point);  // unreadable text would not parse
  return point.SerializeAsString();
}

}  // namespace

absl::Status RunScaleRun(const ScaleRunOptions& options, World* world) {
  FinishedWork work;
  const absl::Status status = CatchTorchErrors("scale_run", [&] { return PlanAndMeasure(options, world, work); });
  return WithWhatIsKept(status, options.output, work);
}

const std::map<std::string, RankTask>& ScaleRunTasks() {
  static const auto* tasks = new std::map<std::string, RankTask>{{kPointTask, RunPointTask}};
  return *tasks;
}

}  // namespace lockstep
