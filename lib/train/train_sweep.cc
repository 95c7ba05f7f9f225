#include "lib/train/train_sweep.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/exit_status.h"
#include "lib/base/init_main.h"
#include "lib/base/status_macros.h"
#include "lib/base/subprocess.h"
#include "lib/cifar/dataset.h"
#include "lib/nn/device.h"
#include "lib/nn/model.h"
#include "lib/nn/torch_status.h"
#include "lib/record/digest.h"
#include "lib/record/provenance.h"
#include "lib/record/record_reader.h"
#include "lib/record/record_writer.h"
#include "lib/record/step_cache.h"
#include "lib/train/point_process.h"
#include "lib/train/sweep_point.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

constexpr uint32_t kDefaultRepeats = 5;
constexpr uint32_t kWarmupEpochs = 1;  // the lab reports the second epoch

// What is known before anything is trained.
struct Plan {
  c10::Device device = c10::Device(c10::kCPU);
  proto::SweepSpec spec;
  Ladder ladder;
  uint32_t checkpoint_batch = 0;
  std::string dataset_path;  // where a child finds the data set
  bool dataset_is_ours = false;  // a copy of standard input, to be removed
};

absl::Status CheckOptions(const TrainSweepOptions& options) {
  if (options.input.empty()) {
    return absl::InvalidArgumentError("--input is missing: --input=dataset.rec, a record file of cifar_prep");
  }
  if (options.output.empty()) {
    return absl::InvalidArgumentError("--output is empty; name a file, or '-' for standard output");
  }
  if (options.preset != "lab") {
    return absl::InvalidArgumentError(absl::StrCat("--preset=", options.preset, ": expected lab, the only one there is"));
  }
  if (options.precision != "fp32") {
    return absl::InvalidArgumentError(absl::StrCat("--precision=", options.precision, ": expected fp32"));
  }
  if (options.epochs != 0 && options.repeats != 0 && options.epochs != kWarmupEpochs + options.repeats) {
    return absl::InvalidArgumentError(absl::StrCat("--epochs=", options.epochs, " is one warm-up and ",
                                                   options.epochs - kWarmupEpochs, " timed epochs, but --repeats=",
                                                   options.repeats, "; give one of the two"));
  }
  return absl::OkStatus();
}

// The folder of the checkpoint must be there before hours are spent on what goes into it.
absl::Status CheckCheckpointFolder(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  struct stat info;
  if (!path.empty() && (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || access(folder.c_str(), W_OK) != 0)) {
    return absl::NotFoundError(absl::StrCat("--checkpoint=", path, ": ", folder, " is no folder to write to"));
  }
  return absl::OkStatus();
}

proto::TrainingSpec MakeTrainingSpec(const TrainSweepOptions& options, c10::Device device) {
  proto::TrainingSpec spec = options.training;
  spec.set_device(ToDeviceKind(device));
  spec.set_precision(proto::FP32);
  spec.set_channels_last(false);
  spec.set_warmup_epochs(kWarmupEpochs);
  const uint32_t timed = options.epochs != 0 ? options.epochs - kWarmupEpochs : kDefaultRepeats;
  spec.set_repeats(options.repeats != 0 ? options.repeats : timed);
  if (spec.learning_rate() == 0) {
    spec.set_learning_rate(DefaultLearningRate(spec.model()));
  }
  if (spec.threads() == 0) {
    spec.set_threads(ComputeThreads());
  }
  return spec;
}

absl::StatusOr<uint32_t> ChooseCheckpointBatch(const TrainSweepOptions& options, const std::vector<uint32_t>& batches) {
  if (options.checkpoint.empty() || batches.empty()) {
    return 0;
  }
  const uint32_t batch = options.checkpoint_batch != 0 ? options.checkpoint_batch : batches.front();
  if (std::find(batches.begin(), batches.end(), batch) == batches.end()) {
    return absl::InvalidArgumentError(absl::StrCat("--checkpoint_batch=", batch, " is not one of the batches that are planned: ",
                                                   absl::StrJoin(batches, ", ")));
  }
  return batch;
}

// Everything that can change the result. --output, --force and the like stay out; so does what is in the header anyway.
std::map<std::string, std::string> ResultFlags(const TrainSweepOptions& options, const Plan& plan) {
  return {{"spec", plan.spec.ShortDebugString()},
          {"exceeding", absl::StrCat(plan.ladder.exceeding)},
          {"by_hand", absl::StrCat(plan.ladder.by_hand)},
          {"evaluate", absl::StrCat(options.evaluate)},
          {"checkpoint", options.checkpoint},
          {"checkpoint_batch", absl::StrCat(plan.checkpoint_batch)}};
}

absl::StatusOr<proto::Header> MakeSweepHeader(const TrainSweepOptions& options, const Plan& plan,
                                              const proto::Input& input) {
  HeaderOptions header;
  header.schema = proto::SweepFile::descriptor()->full_name();
  header.seed = options.training.seed();
  header.inputs = {input};
  ASSIGN_OR_RETURN(const proto::Device device, DescribeDevice(plan.device));
  header.devices = {device};
  header.libraries = LoadedLibraries(plan.device);
  header.result_flags = ResultFlags(options, plan);
  return MakeHeader(header);
}

// Standard input cannot be read by every child: a copy of it can.
absl::StatusOr<std::string> SpoolDataset(const Dataset& dataset) {
  const char* folder = std::getenv("TMPDIR");
  std::string path = absl::StrCat(folder != nullptr ? folder : "/tmp", "/lockstep_dataset.XXXXXX");
  const int fd = mkstemp(path.data());
  if (fd < 0) {
    return absl::NotFoundError(absl::StrCat("cannot make a temporary file ", path, " for the data set; set TMPDIR"));
  }
  close(fd);
  HeaderOptions header;
  header.schema = proto::DatasetFile::descriptor()->full_name();
  RETURN_IF_ERROR(WriteRecordFile(path, MakeHeader(header), ToRecords(dataset)));
  return path;
}

// Fills the plan from options and data set; the data set itself is not needed any more after this.
absl::StatusOr<Plan> MakePlan(const TrainSweepOptions& options, const Dataset& dataset) {
  Plan plan;
  ASSIGN_OR_RETURN(plan.device, ResolveDevice(options.device));
  if (options.memory_limit_bytes != 0 && plan.device.is_cuda()) {
    return absl::InvalidArgumentError("--memory_limit bounds a process on the CPU; on CUDA the GPU's memory is the bound");
  }
  *plan.spec.mutable_training() = MakeTrainingSpec(options, plan.device);
  RETURN_IF_ERROR(CheckTrainingSpec(plan.spec.training()));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(options.training.model(), options.training.seed()));
  ASSIGN_OR_RETURN(plan.ladder, PlanLadder(options.ladder, dataset.train.size()));
  ASSIGN_OR_RETURN(plan.checkpoint_batch, ChooseCheckpointBatch(options, plan.ladder.batch_sizes));
  plan.spec.set_preset(options.preset);
  *plan.spec.mutable_model() = CountModel(*model);
  plan.spec.mutable_model()->set_training_images(dataset.train.size());
  plan.spec.mutable_model()->set_test_images(dataset.test.size());
  plan.spec.mutable_batch_size()->Add(plan.ladder.batch_sizes.begin(), plan.ladder.batch_sizes.end());
  plan.spec.set_memory_limit_bytes(options.memory_limit_bytes);
  plan.dataset_path = options.input;
  return plan;
}

// Whether the file that the record at `output` names as its checkpoint is still the one that was written.
bool CheckpointIsThere(const std::string& output) {
  const auto file = ReadRecordFile<proto::SweepFile>(output);
  if (!file.ok()) {
    return false;
  }
  for (const proto::SweepRecord& record : file->records) {
    if (record.has_checkpoint()) {
      const absl::StatusOr<std::string> sha256 = Sha256HexOfFile(record.checkpoint().path());
      return sha256.ok() && *sha256 == record.checkpoint().sha256();
    }
  }
  return false;
}

bool IsDone(const TrainSweepOptions& options, const proto::Header& header) {
  const bool may_be_cached = !options.force && (options.checkpoint.empty() || CheckpointIsThere(options.output));
  return may_be_cached && IsCached(options.output, header);
}

// What a run would do. Times are not foretold: nothing was measured yet.
std::string PlanText(const TrainSweepOptions& options, const Plan& plan) {
  const proto::TrainingSpec& training = plan.spec.training();
  const proto::ModelFacts& model = plan.spec.model();
  const uint32_t epochs = training.warmup_epochs() + training.repeats();
  // Forward, and backward with respect to inputs and weights: three times the forward's multiply-accumulates, two
  // operations each (backward with respect to the images themselves is not computed; the stem's share is below 1 %).
  const double epoch_tflop = 6 * model.forward_macs_per_image() * static_cast<double>(model.training_images()) / 1e12;
  std::string text = absl::StrCat(
      "plan: ", training.model(), " on ", proto::DeviceKind_Name(training.device()), ", ", epochs, " epochs of ",
      model.training_images(), " images at each batch size, about ", epoch_tflop, " TFLOP an epoch\n",
      "  memory beside activations: ", 3 * model.gradient_bytes(), " bytes (weights, gradients, momentum)\n");
  for (const uint32_t batch : plan.ladder.batch_sizes) {
    const uint64_t images = model.training_images();
    const uint64_t steps = training.drop_last() ? images / batch : (images + batch - 1) / batch;
    absl::StrAppend(&text, "  batch ", batch, ": ", steps, " steps an epoch, ", steps * epochs, " in all",
                    batch == plan.checkpoint_batch ? ", then the checkpoint" : "", "\n");
  }
  if (plan.ladder.exceeding != 0) {
    absl::StrAppend(&text, "  batch ", plan.ladder.exceeding, ": exceeds the training set; not run\n");
  }
  return absl::StrCat(text, "  a point that runs out of memory ends a ladder; seconds are not known before they are measured\n");
}

// One line of talk per point.
void Tell(const proto::SweepPoint& point) {
  const int timed = point.epoch_seconds().value_size();
  if (point.outcome() != proto::COMPLETED || timed == 0) {
    std::fprintf(stderr, "batch %u: %s%s%s\n", point.batch_size(), proto::Outcome_Name(point.outcome()).c_str(),
                 point.detail().empty() ? "" : ": ", point.detail().c_str());
    return;
  }
  std::fprintf(stderr, "batch %u: %.3f s an epoch (%.3f s without waiting for data), second epoch of %d\n",
               point.batch_size(), point.epoch_seconds().value(0), point.step_seconds().value(0), timed + 1);
}

// One run over the ladder, writing as it goes.
class Sweep {
 public:
  Sweep(const TrainSweepOptions& options, const Plan& plan, RecordWriter& writer)
      : options_(options), plan_(plan), writer_(writer) {}

  absl::Status Run() {
    proto::SweepRecord record;
    *record.mutable_spec() = plan_.spec;
    RETURN_IF_ERROR(writer_.Append(record));
    ASSIGN_OR_RETURN(const proto::SweepEnd end,
                     ClimbLadder(plan_.ladder, [this](uint32_t batch) { return TryBatchSize(batch); },
                                 [this](const proto::SweepPoint& point) { return Keep(point); }));
    if (checkpoint_.has_checkpoint()) {
      RETURN_IF_ERROR(writer_.Append(checkpoint_));
    }
    *record.mutable_end() = end;
    RETURN_IF_ERROR(writer_.Append(record));
    const absl::Status status = Verdict();
    RETURN_IF_ERROR(writer_.Finish(static_cast<int>(ToExitCode(status))));
    return status;
  }

 private:
  absl::StatusOr<proto::SweepPoint> TryBatchSize(uint32_t batch) {
    ASSIGN_OR_RETURN(std::vector<std::string> argv, ChildCommand(batch));
    ASSIGN_OR_RETURN(const proto::SweepFile file, RunPointProcess(argv, options_.memory_limit_bytes, batch));
    for (const proto::SweepRecord& record : file.record()) {
      if (record.has_checkpoint()) {
        checkpoint_ = record;
      }
    }
    return file.record(0).point();
  }

  // This program and its flags; what is said last holds.
  absl::StatusOr<std::vector<std::string>> ChildCommand(uint32_t batch) const {
    std::vector<std::string> argv = CommandLine();
    ASSIGN_OR_RETURN(argv[0], SelfPath());
    argv.push_back(absl::StrCat("--input=", plan_.dataset_path));
    argv.push_back(absl::StrCat("--threads=", plan_.spec.training().threads()));
    argv.push_back(absl::StrCat("--checkpoint=", batch == plan_.checkpoint_batch ? options_.checkpoint : ""));
    argv.push_back(absl::StrCat("--", kPointFlag, "=", batch));
    return argv;
  }

  absl::Status Keep(const proto::SweepPoint& point) {
    Tell(point);
    if (point.outcome() == proto::FAILED && failure_.empty()) {
      failure_ = absl::StrCat("batch ", point.batch_size(), " failed: ", point.detail());
    }
    proto::SweepRecord record;
    *record.mutable_point() = point;
    return writer_.Append(record);
  }

  // What the exit status says about a sweep whose record is whole.
  absl::Status Verdict() const {
    if (!failure_.empty()) {
      return absl::InternalError(failure_);
    }
    if (!options_.checkpoint.empty() && !checkpoint_.has_checkpoint()) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no checkpoint ", options_.checkpoint, ": its point did not complete; the record says why"));
    }
    return absl::OkStatus();
  }

  const TrainSweepOptions& options_;
  const Plan& plan_;
  RecordWriter& writer_;
  proto::SweepRecord checkpoint_;
  std::string failure_;
};

absl::Status PlanAndSweep(const TrainSweepOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  RETURN_IF_ERROR(CheckCheckpointFolder(options.checkpoint));
  Plan plan;
  proto::Header header;
  const absl::Cleanup remove = [&plan] {
    if (plan.dataset_is_ours) {
      unlink(plan.dataset_path.c_str());
    }
  };
  {
    ASSIGN_OR_RETURN(const Dataset dataset, ReadDataset(options.input));
    ASSIGN_OR_RETURN(plan, MakePlan(options, dataset));
    ASSIGN_OR_RETURN(header, MakeSweepHeader(options, plan, dataset.input));
    if (options.dry_run) {
      std::fputs(PlanText(options, plan).c_str(), stderr);
      return absl::OkStatus();
    }
    if (IsDone(options, header)) {
      return absl::OkStatus();
    }
    if (options.input == "-") {
      ASSIGN_OR_RETURN(plan.dataset_path, SpoolDataset(dataset));
      plan.dataset_is_ours = true;
    }
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<RecordWriter> writer, RecordWriter::Create(options.output, header));
  return Sweep(options, plan, *writer).Run();
}

}  // namespace

absl::Status RunTrainSweep(const TrainSweepOptions& options) {
  return CatchTorchErrors("train_sweep", [&] { return PlanAndSweep(options); });
}

absl::Status RunTrainSweepPoint(const TrainSweepOptions& options, uint32_t batch_size) {
  return CatchTorchErrors("train_sweep", [&]() -> absl::Status {
    SweepPointOptions point;
    ASSIGN_OR_RETURN(point.device, ResolveDevice(options.device));
    point.training = MakeTrainingSpec(options, point.device);
    point.batch_size = batch_size;
    point.evaluate = options.evaluate;
    point.checkpoint_path = options.checkpoint;
    ASSIGN_OR_RETURN(const Dataset dataset, ReadDataset(options.input));
    ASSIGN_OR_RETURN(const proto::SweepFile file, RunSweepPoint(point, dataset));
    return WriteResult(file.SerializeAsString());
  });
}

}  // namespace lockstep
