// scale_run: trains one model on 1 to N devices and measures what communication costs. The stage is
// lib/dist/scale_run.h.
#include "lib/dist/scale_run.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/init_main.h"
#include "lib/base/run_tool.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dist/launch.h"
#include "lib/record/stdout_guard.h"
#include "lib/train/schedule.h"
#include "tools/training_flags.h"

ABSL_FLAG(std::string, input, "", "The data set: a record file of cifar_prep; '-': standard input.");
ABSL_FLAG(std::string, output, "scale.rec", "The record file to write; '-': standard output.");
ABSL_FLAG(bool, force, false, "Make the output again even when it already holds this result.");
ABSL_FLAG(bool, dry_run, false, "Print the plan and exit.");
ABSL_FLAG(std::string, prediction, "",
          "A comm_model record that predicts this run: its digest is kept as proof that it came first.");
ABSL_FLAG(std::string, mode, "ddp", "ddp: a process per device, gradients averaged in buckets. There is no other yet.");
ABSL_FLAG(std::string, precision, "fp32", "fp32. There is no other yet.");
ABSL_FLAG(std::string, device, "auto", "auto (CUDA where there is one), cpu or cuda. With cuda each rank has a GPU.");
RANGED_FLAG(std::vector<std::string>, ranks, std::vector<std::string>({"1", "2"}), 1, lockstep::kMostRanks,
            "Numbers of ranks to measure.");
RANGED_FLAG(std::vector<std::string>, batch, std::vector<std::string>({"32", "128", "512"}), 1, lockstep::kMostImages,
            "Batch sizes to measure.");
ABSL_FLAG(std::string, batch_mode, "per_device", "--batch is per_device, or global: shared among the ranks.");
RANGED_FLAG(uint32_t, epochs, 0, 0, lockstep::kMaxEpochs,
            "Epochs of each point, the first of which is a warm-up; 0: 1 + repeats.");
RANGED_FLAG(uint32_t, repeats, 0, 0, lockstep::kMaxEpochs,
            "Timed epochs of each point; 0: all but the first of --epochs, or 5.");
ABSL_FLAG(bool, drop_last, false, "Leave out images that fill no batch on every rank; otherwise some are seen twice.");
RANGED_FLAG(uint32_t, workers, 2, 0, lockstep::kMaxLoaderWorkers,
            "Threads of each rank that prepare batches ahead; 0: none.");
RANGED_FLAG(
    uint32_t, threads, 0, 0, lockstep::kMostThreads,
    "CPU threads that each rank computes with; 0: cores / the largest of --ranks. The base case on one rank has no "
    "more: a rank more is a core more, and a base case with all cores would be another machine.");
ABSL_FLAG(bool, overlap, true, "Start all-reduces while backward runs; false: all of them after it.");
RANGED_FLAG(double, first_bucket_mib, 1, 0, 1e6, "MiB of gradients that close the first bucket.");
RANGED_FLAG(double, bucket_mib, 25, 0, 1e6, "MiB of gradients that close each other bucket.");
ABSL_FLAG(std::string, buffers, "local",
          "Running statistics of batch norm: local to each rank, or broadcast from rank 0 in every step.");
RANGED_FLAG(absl::Duration, timeout, absl::Seconds(60), 1, 86400,
            "A rank that keeps the others waiting this long ends the run.");

namespace lockstep {
namespace {

constexpr char kTool[] = "scale_run";

absl::Status CheckOnlyChoice(const char* flag, const std::string& value, const char* choice) {
  return value == choice ? absl::OkStatus()
                         : absl::InvalidArgumentError(absl::StrCat("--", flag, "=", value, ": expected ", choice));
}

void ReadTraining(proto::TrainingSpec& training) {
  ReadTrainingFlags(training);
  training.set_drop_last(absl::GetFlag(FLAGS_drop_last));
  training.set_loader_workers(absl::GetFlag(FLAGS_workers));
  training.set_threads(absl::GetFlag(FLAGS_threads));
}

absl::StatusOr<ScaleRunOptions> OptionsFromFlags() {
  RETURN_IF_ERROR(CheckOnlyChoice("mode", absl::GetFlag(FLAGS_mode), "ddp"));
  RETURN_IF_ERROR(CheckOnlyChoice("precision", absl::GetFlag(FLAGS_precision), "fp32"));
  ScaleRunOptions options;
  options.input = absl::GetFlag(FLAGS_input);
  options.output = absl::GetFlag(FLAGS_output);
  options.force = absl::GetFlag(FLAGS_force);
  options.dry_run = absl::GetFlag(FLAGS_dry_run);
  options.prediction = absl::GetFlag(FLAGS_prediction);
  options.device = absl::GetFlag(FLAGS_device);
  options.batch_mode = absl::GetFlag(FLAGS_batch_mode);
  options.epochs = absl::GetFlag(FLAGS_epochs);
  options.repeats = absl::GetFlag(FLAGS_repeats);
  proto::ScaleSpec& spec = options.spec;
  ReadTraining(*spec.mutable_training());
  ASSIGN_OR_RETURN(const std::vector<uint32_t> ranks, ParseNumberList("ranks", absl::GetFlag(FLAGS_ranks)));
  ASSIGN_OR_RETURN(const std::vector<uint32_t> batches, ParseNumberList("batch", absl::GetFlag(FLAGS_batch)));
  spec.mutable_ranks()->Add(ranks.begin(), ranks.end());
  spec.mutable_batch_size()->Add(batches.begin(), batches.end());
  ASSIGN_OR_RETURN(const uint64_t first_bytes,
                   ParseMebibytes("first_bucket_mib", absl::GetFlag(FLAGS_first_bucket_mib)));
  ASSIGN_OR_RETURN(const uint64_t other_bytes, ParseMebibytes("bucket_mib", absl::GetFlag(FLAGS_bucket_mib)));
  spec.set_first_bucket_bytes(first_bytes);
  spec.set_bucket_bytes(other_bytes);
  spec.set_overlap(absl::GetFlag(FLAGS_overlap));
  spec.set_buffers(absl::GetFlag(FLAGS_buffers));
  spec.set_timeout_seconds(absl::ToDoubleSeconds(absl::GetFlag(FLAGS_timeout)));
  return options;
}

absl::Status Run() {
  ASSIGN_OR_RETURN(const ScaleRunOptions options, OptionsFromFlags());
  if (options.output == "-" && !options.dry_run) {
    RETURN_IF_ERROR(TakeStdout().status());
  }
  return RunScaleRun(options);
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  if (lockstep::IsRank()) {
    return lockstep::RunRank(lockstep::ScaleRunTasks());
  }
  lockstep::InitMain(
      {lockstep::kTool,
       "Trains one model on 1 to N devices and measures speed-up and communication; starts the ranks itself.",
       "scale_run --input=dataset.rec --ranks=1,2 --batch=32,128 --output=scale.rec"},
      argc, argv);
  return lockstep::RunTool(lockstep::kTool, lockstep::Run);
}
