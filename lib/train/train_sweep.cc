#include "lib/train/train_sweep.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/text_format.h"
#include "lib/base/exit_status.h"
#include "lib/base/log_line.h"
#include "lib/base/point_warnings.h"
#include "lib/base/print_text.h"
#include "lib/base/progress.h"
#include "lib/base/readable_number.h"
#include "lib/base/status_macros.h"
#include "lib/base/stop_signal.h"
#include "lib/base/stopwatch.h"
#include "lib/base/subprocess.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/validation_split.h"
#include "lib/device/compute_threads.h"
#include "lib/device/device.h"
#include "lib/device/torch_status.h"
#include "lib/proto/training_state.pb.h"
#include "lib/record/provenance.h"
#include "lib/record/readable_text.h"
#include "lib/record/record_reader.h"
#include "lib/record/recorded_file.h"
#include "lib/record/run_files.h"
#include "lib/record/run_stage.h"
#include "lib/record/stage_output.h"
#include "lib/record/standard_input.h"
#include "lib/record/stopped_run.h"
#include "lib/statistics/mean.h"
#include "lib/train/batch_sweep.h"
#include "lib/train/busy_cores.h"
#include "lib/train/memory.h"
#include "lib/train/point_process.h"
#include "lib/train/schedule.h"
#include "lib/train/sweep_journal.h"
#include "lib/train/sweep_plan.h"
#include "lib/train/sweep_point.h"
#include "lib/train/time_left.h"
#include "lib/train/training_state.h"

namespace lockstep {
namespace {

absl::StatusOr<proto::Header> MakeSweepHeader(const TrainSweepOptions& options, const SweepPlan& plan,
                                              const proto::Input& input) {
  HeaderOptions header;
  header.schema = proto::SweepFile::descriptor()->full_name();
  header.seed = plan.spec.training().seed();
  header.inputs = {input};
  if (plan.init) {
    header.inputs.push_back(plan.init->input);
  }
  ASSIGN_OR_RETURN(const proto::Device device, DescribeDevice(plan.device));
  header.devices = {device};
  header.libraries = LoadedLibraries(plan.device);
  header.result_flags = ResultFlags(options, plan);
  header.points = PointNames(plan);
  header.point_flags = PointFlags(plan);
  return MakeHeader(header);
}

// Returns the last epoch's result: "; loss 0.0012, test accuracy 95.12 % after epoch 200".
std::string ResultText(const proto::SweepPoint& point) {
  if (point.epoch_size() == 0) {  // a stopped run's file may lack epochs
    return "";
  }
  const proto::EpochResult& last = point.epoch(point.epoch_size() - 1);
  std::string text = absl::StrFormat("; loss %.4f", last.mean_loss());
  if (last.has_test_accuracy()) {
    absl::StrAppendFormat(&text, ", test accuracy %.2f %%", 100 * last.test_accuracy());
  }
  if (last.has_mirrored_test_accuracy()) {
    absl::StrAppendFormat(&text, ", with mirror images %.2f %%", 100 * last.mirrored_test_accuracy());
  }
  if (last.has_validation_accuracy()) {
    absl::StrAppendFormat(&text, ", validation accuracy %.2f %%", 100 * last.validation_accuracy());
  }
  return absl::StrCat(text, " after epoch ", point.epoch_size());
}

// Returns the result for --target_accuracy on a new line; empty if there is no target.
std::string TargetText(const proto::TargetAccuracy& target) {
  if (target.accuracy() == 0) {
    return "";
  }
  const std::string wanted = absl::StrFormat("\n  target accuracy %.2f %%: ", 100 * target.accuracy());
  if (!target.reached()) {
    return absl::StrCat(wanted, "not reached");
  }
  return absl::StrCat(wanted, absl::StrFormat("reached after epoch %d, %.2f s of training, %.2f s with evaluations",
                                              target.epoch() + 1, target.training_seconds(), target.total_seconds()));
}

// Logs the outcome of a point after its `place`, followed by `rest`. The reason of the first failure is omitted, since
// the final error message contains it.
void LogPoint(const std::string& place, const proto::SweepPoint& point, bool first_failure, const std::string& rest) {
  const int timed = point.epoch_seconds().value_size();
  std::string text = absl::StrCat(place, place.empty() ? "" : ": ", "batch ", point.batch_size(), ": ");
  if (point.outcome() != proto::COMPLETED) {
    absl::StrAppend(&text, proto::Outcome_Name(point.outcome()));
    absl::StrAppend(&text, first_failure || point.detail().empty() ? "" : ": ", first_failure ? "" : point.detail());
  } else if (timed == 0) {
    absl::StrAppend(&text, "completed", ResultText(point), TargetText(point.target()));
  } else {
    absl::StrAppend(&text, SecondsText(Mean(point.epoch_seconds().value())), " per epoch (",
                    SecondsText(Mean(point.step_seconds().value())), " without waiting for data), mean of ", timed,
                    "; second epoch ", SecondsText(point.epoch_seconds().value(0)));
    absl::StrAppend(&text, ResultText(point), TargetText(point.target()));
  }
  LogLine(absl::StrCat(text, rest));
}

// Returns the text after a point that this run did not measure.
std::string KeptText(const proto::SweepPoint& point) {
  return point.earlier_run().empty() ? " (from the previous run)"
                                     : absl::StrCat(" (kept from the run of ", point.earlier_run(), ")");
}

// Returns the status of a FAILED point. Errors of flags, device and input keep the code that the point's process found;
// any other failure is internal.
absl::Status FailureOf(const proto::SweepPoint& point) {
  const std::string text = absl::StrCat("batch ", point.batch_size(), " failed: ", point.detail());
  switch (static_cast<ExitCode>(point.exit_status())) {
    case ExitCode::kUsage:
      return absl::InvalidArgumentError(text);
    case ExitCode::kDevice:
      return absl::UnavailableError(text);
    case ExitCode::kBadInput:
      return absl::FailedPreconditionError(text);
    default:
      return absl::InternalError(text);
  }
}

RunFiles FilesOf(const TrainSweepOptions& options) {
  RunFiles files = {{options.input}, {{"--output", options.output, ""}, {"--checkpoint", options.checkpoint, ""}}};
  if (!options.init.empty()) {
    files.inputs.push_back(options.init);
  }
  if (options.resume) {
    files.outputs.push_back({"--resume", absl::StrCat(options.output, ".batch"), ".state"});
  }
  return files;
}

// Returns the files that the process of one point reads and writes itself.
RunFiles FilesOf(const proto::PointOrder& order) {
  RunFiles files = {{order.dataset_path()},
                    {{"--checkpoint", order.checkpoint_path(), ""}, {"--resume", order.state_path(), ""}}};
  if (!order.init_path().empty()) {
    files.inputs.push_back(order.init_path());
  }
  return files;
}

// Returns the state file of one point. The header's key covers everything that can change the training's numbers.
absl::StatusOr<TrainingStateFile> StateFileOf(const proto::PointOrder& order, c10::Device on,
                                              const proto::Input& input) {
  if (order.state_path().empty()) {
    return TrainingStateFile();
  }
  HeaderOptions header;
  header.schema = proto::TrainingStateFile::descriptor()->full_name();
  header.seed = order.spec().training().seed();
  header.inputs = {input};
  ASSIGN_OR_RETURN(const proto::Device device, DescribeDevice(on));
  header.devices = {device};
  header.libraries = LoadedLibraries(on);
  header.result_flags = {{"training", order.spec().training().ShortDebugString()},
                         {"batch", absl::StrCat(order.batch_size())},
                         {"evaluate", absl::StrCat(order.evaluate())},
                         {"evaluate_every", absl::StrCat(order.spec().evaluate_every())},
                         {"target_accuracy", absl::StrCat(order.spec().target_accuracy())}};
  return TrainingStateFile{order.state_path(), MakeHeader(header), order.afresh()};
}

proto::BatchProbe ToProbe(const proto::SweepPoint& point) {
  proto::BatchProbe probe;
  probe.set_batch_size(point.batch_size());
  probe.set_outcome(point.outcome());
  probe.set_detail(point.detail());
  probe.set_peak_memory_bytes(point.peak_memory_bytes());
  probe.set_predicted_memory_bytes(point.predicted_memory_bytes());
  return probe;
}

// One run of the batch sweep, which writes its results as they come.
class Sweep {
 public:
  Sweep(const TrainSweepOptions& options, const SweepPlan& plan, SweepJournal& journal, FinishedWork& work)
      : options_(options), plan_(plan), journal_(journal), work_(work) {
    work_.planned = plan.batch_sweep.batch_sizes.size();
    for (const uint32_t batch : plan.batch_sweep.batch_sizes) {
      if (journal.Finished(batch) == nullptr) {
        time_left_.Expect(epochs_);
      }
    }
  }

  // Runs the sweep. The warnings of its points follow the results, also if the sweep fails.
  absl::Status Run() {
    const absl::Status status = RunPoints();
    warnings_.Log("train_sweep", work_.planned);
    return status;
  }

 private:
  absl::Status RunPoints() {
    ASSIGN_OR_RETURN(proto::SweepEnd end, RunBatchSweep(
                                              plan_.batch_sweep, [this](uint32_t batch) { return TryBatchSize(batch); },
                                              [this](const proto::SweepPoint& point) { return Keep(point); }));
    RETURN_IF_ERROR(FindMax(end));
    const absl::Status status = Verdict();
    RETURN_IF_ERROR(journal_.Finish(end, static_cast<int>(ToExitCode(status))));
    if (journal_.has_checkpoint()) {
      LogLine(absl::StrCat("train_sweep: ", WrittenText(journal_.checkpoint())));
    }
    return status;
  }

  // Returns "point 2 of 8"; empty if the plan has one point, or not this one.
  std::string PlaceOf(uint32_t batch) const {
    const auto& batches = plan_.batch_sweep.batch_sizes;
    const auto found = std::find(batches.begin(), batches.end(), batch);
    return batches.size() < 2 || found == batches.end()
               ? ""
               : absl::StrCat("point ", found - batches.begin() + 1, " of ", batches.size());
  }

  absl::StatusOr<proto::SweepPoint> TryBatchSize(uint32_t batch) {
    if (const proto::SweepFile* finished = journal_.Finished(batch); finished != nullptr) {
      tried_ = *finished;
      return tried_.record(0).point();
    }
    proto::PointOrder order = MakePointOrder(options_, plan_, batch);
    order.set_place(PlaceOf(batch));
    order.set_later_seconds(time_left_.SecondsAfterNext(epochs_, watch_.Seconds()));
    absl::StatusOr<proto::SweepFile> tried = RunInProcess(order);
    if (absl::IsCancelled(tried.status()) && options_.resume && access(StatePath(options_, batch).c_str(), F_OK) == 0) {
      work_.under_way = absl::StrCat("batch ", batch, " after its last complete epoch");
    }
    RETURN_IF_ERROR(tried.status());
    tried_ = *std::move(tried);
    for (proto::SweepRecord& record : *tried_.mutable_record()) {
      if (record.has_checkpoint()) {
        record.mutable_checkpoint()->set_path(options_.checkpoint);
      }
    }
    return tried_.record(0).point();
  }

  // Searches for the largest batch that fits and stores it in `end`. A probe that fails ends the search, not the sweep.
  absl::Status FindMax(proto::SweepEnd& end) {
    if (!plan_.spec.find_max() || !failure_.ok()) {
      return absl::OkStatus();
    }
    const uint64_t images = plan_.spec.model().training_images();
    const uint32_t max_batch = options_.batch_sweep.max_batch;
    const auto limit = static_cast<uint32_t>(max_batch == 0 ? images : std::min<uint64_t>(images, max_batch));
    const absl::StatusOr<BatchBounds> found = FindLargestBatch(bounds_, limit, GuessLargestBatch(completed_),
                                                               [this](uint32_t batch) { return Probe(batch); });
    if (!found.ok()) {
      failure_ = absl::IsInternal(found.status()) ? found.status() : absl::OkStatus();
      return failure_.ok() ? found.status() : absl::OkStatus();
    }
    end.set_largest_fitting_batch(found->fits);
    end.set_smallest_failing_batch(found->fails);
    LogLine(absl::StrCat(
        "largest batch that fits: ", found->fits, " (",
        found->fails != 0 ? absl::StrCat(found->fails, " does not") : "the limit of the search, not of memory", ")"));
    return absl::OkStatus();
  }

  absl::StatusOr<proto::Outcome> Probe(uint32_t batch) {
    proto::SweepFile records;
    const proto::SweepFile* const finished = journal_.FinishedProbe(batch);
    if (finished != nullptr) {
      records = *finished;
    } else {
      ASSIGN_OR_RETURN(const proto::SweepFile tried, RunInProcess(MakeProbeOrder(options_, plan_, batch)));
      *records.add_record()->mutable_probe() = ToProbe(tried.record(0).point());
    }
    const proto::BatchProbe& probe = records.record(0).probe();
    LogLine(absl::StrCat("probe of batch ", batch, ": ", proto::Outcome_Name(probe.outcome()),
                         finished != nullptr ? " (from the previous run)" : ""));
    if (probe.outcome() == proto::FAILED) {
      return absl::InternalError(absl::StrCat("probe of batch ", batch, " failed: ", probe.detail()));
    }
    RETURN_IF_ERROR(journal_.Keep(records));
    return probe.outcome();
  }

  absl::StatusOr<proto::SweepFile> RunInProcess(const proto::PointOrder& order) const {
    ASSIGN_OR_RETURN(const std::string self, SelfPath());
    const std::string flag = absl::StrCat("--", kPointFlag, "=", order.ShortDebugString());
    ASSIGN_OR_RETURN(proto::SweepFile tried,
                     RunPointProcess({self, flag}, plan_.spec.memory_limit_bytes(), order.batch_size()));
    const proto::SweepPoint& point = tried.record(0).point();
    if (point.outcome() == proto::FAILED && point.exit_status() == static_cast<int>(ExitCode::kBadInput)) {
      return FailureOf(point);  // all other points would fail with this input, too; earlier points stay in the journal
    }
    return tried;
  }

  // Returns the origin of a kept point, or the time left after a measured one: "; about 3 min left".
  std::string RestText(const proto::SweepPoint& point) {
    if (journal_.Finished(point.batch_size()) != nullptr) {
      return KeptText(point);
    }
    if (point.outcome() != proto::COMPLETED && !plan_.batch_sweep.by_hand) {
      return "";  // the sweep ends
    }
    const auto& seconds = point.epoch_seconds().value();
    time_left_.Finish(epochs_, seconds.empty() ? 0 : Mean(seconds));
    const double left = time_left_.Seconds(watch_.Seconds());
    return left == 0 ? "" : absl::StrCat("; about ", TimeLeftText(left), " left");
  }

  // Keeps a point that was just tried, or one that the batch sweep does not try.
  absl::Status Keep(const proto::SweepPoint& point) {
    RETURN_IF_ERROR(CheckNotStopped());
    const bool first_failure = point.outcome() == proto::FAILED && failure_.ok();
    LogPoint(PlaceOf(point.batch_size()), point, first_failure, RestText(point));
    for (const std::string& warning : point.noise_warning()) {
      warnings_.Add(absl::StrCat("batch ", point.batch_size()), warning);
    }
    if (point.outcome() == proto::COMPLETED) {
      bounds_.fits = std::max(bounds_.fits, point.batch_size());
      completed_.push_back(point);
    } else if (point.outcome() == proto::OUT_OF_MEMORY || point.outcome() == proto::KILLED) {
      bounds_.fails = bounds_.fails == 0 ? point.batch_size() : std::min(bounds_.fails, point.batch_size());
    }
    if (point.outcome() == proto::KILLED && options_.resume) {
      killed_ = absl::StrCat("batch ", point.batch_size(), ": ", point.detail(), "; the same command resumes with it");
    }
    if (first_failure) {
      failure_ = FailureOf(point);
    }
    proto::SweepFile records;
    if (tried_.record_size() > 0 && tried_.record(0).point().batch_size() == point.batch_size()) {
      records.Swap(&tried_);
    } else {
      *records.add_record()->mutable_point() = point;
    }
    RETURN_IF_ERROR(journal_.Keep(records));
    work_.finished += point.outcome() == proto::COMPLETED || point.outcome() == proto::OUT_OF_MEMORY ? 1 : 0;
    if (point.outcome() == proto::COMPLETED && options_.resume) {
      RemoveTrainingState(StatePath(options_, point.batch_size()));
    }
    return absl::OkStatus();
  }

  // Returns the exit status of a sweep whose record is complete.
  absl::Status Verdict() const {
    RETURN_IF_ERROR(failure_);
    if (!killed_.empty()) {
      return absl::UnavailableError(killed_);
    }
    if (!options_.checkpoint.empty() && !journal_.has_checkpoint()) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the checkpoint ", options_.checkpoint,
                       " was not written: its point did not complete; the record contains the reason"));
    }
    return absl::OkStatus();
  }

  const TrainSweepOptions& options_;
  const SweepPlan& plan_;
  SweepJournal& journal_;
  FinishedWork& work_;      // updated during the run
  proto::SweepFile tried_;  // the point tried last, and its checkpoint if it left one
  BatchBounds bounds_;      // bounds of the largest batch that fits, found by the batch sweep
  std::vector<proto::SweepPoint> completed_;
  absl::Status failure_;  // error of the first point that failed
  TimeLeft time_left_;
  const uint32_t epochs_ = TotalEpochs(plan_.spec.training());
  const Stopwatch watch_;
  PointWarnings warnings_;
  std::string killed_;  // description of a killed point with which --resume can continue
};

// Returns the largest batch of --batch_size, or the first of the batch sweep, which ends where a batch exceeds the
// training set.
uint32_t LargestNamedBatch(const TrainSweepOptions& options) {
  const auto& batches = options.spec.batch_size();
  return batches.empty() ? options.batch_sweep.min_batch : *std::max_element(batches.begin(), batches.end());
}

absl::Status MeasureSweep(const TrainSweepOptions& options, const SweepPlan& plan, StageOutput output,
                          FinishedWork& work) {
  const uint32_t checkpoint_batch = options.checkpoint.empty() ? 0 : plan.checkpoint_batch;
  ASSIGN_OR_RETURN(const std::unique_ptr<SweepJournal> journal,
                   SweepJournal::Open(std::move(output), checkpoint_batch, plan.spec));
  if (plan.init) {
    LogLine(absl::StrCat("train_sweep: initial weights of ", plan.init->remark));
    for (const std::string& warning : plan.init->warnings) {
      LogWarning(absl::StrCat("train_sweep: warning: initial weights: ", warning));
    }
  }
  if (const std::string warning = UntimedWarning(plan.spec.training()); !warning.empty()) {
    LogWarning(absl::StrCat("train_sweep: warning: ", warning));
  }
  if (const bool chosen = options.spec.training().threads() > 0; !chosen && plan.device.is_cpu()) {
    if (const std::string warning = BusyCoresWarning(ComputeThreads()); !warning.empty()) {
      LogWarning(absl::StrCat("train_sweep: warning: ", warning));
    }
  }
  return Sweep(options, plan, *journal, work).Run();
}

absl::Status PlanAndSweep(const TrainSweepOptions& options, FinishedWork& work) {
  RETURN_IF_ERROR(CheckSweepOptions(options));
  RETURN_IF_ERROR(DeclareRunFiles(FilesOf(options)));
  std::string dataset_path = options.input;
  if (options.input == "-") {  // child processes cannot share a pipe
    ASSIGN_OR_RETURN(dataset_path, CopyStandardInput());
  }
  SweepPlan plan;
  proto::Header header;
  {
    ASSIGN_OR_RETURN(Dataset dataset, ReadDataset(dataset_path));
    dataset.input.set_path(options.input);
    RETURN_IF_ERROR(
        HoldOutValidation(options.spec.training().validation_images(), LargestNamedBatch(options), dataset));
    ASSIGN_OR_RETURN(plan, PlanSweep(options, dataset));
    plan.dataset_path = dataset_path;
    ASSIGN_OR_RETURN(header, MakeSweepHeader(options, plan, dataset.input));
  }  // child processes read the data set themselves
  StageRun run;
  run.output.record = options.output;
  run.output.checkpoint = options.checkpoint;
  run.output.is_journal = true;
  run.output.force = options.force;
  run.dry_run = options.dry_run;
  run.print_plan = [&] { return PrintToStderr(PlanText(plan)); };
  run.make_header = [&] { return header; };
  run.write = [&](const proto::Header&, StageOutput& output) {
    return MeasureSweep(options, plan, std::move(output), work);
  };
  return RunStage(run);
}

// Ends a point's process that makes no progress. Uses _exit, because the work that the process waits for cannot be
// cancelled.
void EndStalledPoint(uint32_t batch_size, c10::Device device, const absl::Status& stalled) {
  const absl::Status error(
      stalled.code(),
      absl::StrCat(stalled.message(),
                   device.is_cuda()
                       ? "; the GPU does not respond: a kernel does not end, or another program occupies the GPU"
                       : "",
                   " (--timeout)"));
  const bool reported = WriteResult(UnfinishedPoint(batch_size, error).SerializeAsString()).ok();
  _exit(reported ? 0 : static_cast<int>(ExitCode::kDevice));
}

}  // namespace

absl::Status RunTrainSweep(const TrainSweepOptions& options) {
  FinishedWork work;
  const absl::Status status = CatchTorchErrors("train_sweep", [&] { return PlanAndSweep(options, work); });
  return WithWhatIsKept(status, options.output, work);
}

absl::Status RunTrainSweepPoint(const std::string& order) {
  TrainingRunOptions run;
  if (!google::protobuf::TextFormat::ParseFromString(order, &run.order)) {
    return absl::InternalError(absl::StrCat("the order of a point does not parse: ", order));
  }
  proto::SweepFile file;
  const absl::Status status = CatchTorchErrors("train_sweep", [&]() -> absl::Status {
    RETURN_IF_ERROR(DeclareRunFiles(FilesOf(run.order)));
    ASSIGN_OR_RETURN(run.device, ResolveDevice(run.order.spec().training().device() == proto::CUDA ? "cuda" : "cpu"));
    run.stalled = [&run](const absl::Status& stalled) { EndStalledPoint(run.order.batch_size(), run.device, stalled); };
    ASSIGN_OR_RETURN(Dataset dataset, ReadDataset(run.order.dataset_path()));
    RETURN_IF_ERROR(CheckNotReplaced(dataset.input, run.order.dataset_sha256()));
    RETURN_IF_ERROR(
        HoldOutValidation(run.order.spec().training().validation_images(), run.order.batch_size(), dataset));
    ASSIGN_OR_RETURN(run.state, StateFileOf(run.order, run.device, dataset.input));
    ASSIGN_OR_RETURN(file, RunSweepPoint(run, dataset));
    return absl::OkStatus();
  });
  if (absl::IsCancelled(status)) {
    return status;
  }
  proto::SweepFile result = status.ok() ? std::move(file) : UnfinishedPoint(run.order.batch_size(), status);
  MakeTextReadable(result);  // the parent could not parse it otherwise, and knows the checkpoint's path
  return WriteResult(result.SerializeAsString());
}

}  // namespace lockstep
