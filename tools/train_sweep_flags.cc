#include "tools/train_sweep_flags.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/given_flags.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/batch_loader.h"
#include "lib/train/sweep_flag_uses.h"
#include "tools/training_flags.h"
#include "tools/two_programs.h"

ABSL_FLAG(std::string, output, "sweep.rec", "Record file to write; '-': standard output.");
ABSL_FLAG(std::string, device, "auto", "auto (CUDA if there is a GPU), cpu or cuda.");
FLAG_WORDS(device, "auto", "cpu", "cuda");
RANGED_FLAG(std::vector<std::string>, batch_size, {}, 1, lockstep::kMaxBatchSize,
            "Batch sizes, such as 32,128; none: a batch sweep.");
RANGED_FLAG(uint32_t, min_batch, 32, 1, lockstep::kMaxBatchSize, "First batch size of the sweep.");
RANGED_FLAG(uint32_t, factor, 4, 2, 1000, "Factor between batch sizes of the sweep.");
RANGED_FLAG(uint32_t, max_batch, 0, 0, lockstep::kMaxBatchSize,
            "Upper limit of the sweep; 0: until a batch does not fit or exceeds the data set.");
RANGED_FLAG(uint64_t, memory_limit_bytes, 0, 0, uint64_t{1} << 50,
            "Heap limit of a point's process in bytes, on a CPU; 0: no limit.");
RANGED_FLAG(absl::Duration, timeout, absl::ZeroDuration(), 0, 86400,
            "Time without progress after which a point fails, for example because a GPU does not answer; 0: 2m on "
            "CUDA, no limit on a CPU.");
ABSL_FLAG(std::string, checkpoint, "", "File for the trained weights, as a PyTorch state_dict; empty: none.");
ABSL_FLAG(std::string, init, "",
          "Weights from which the training starts, in any format that quantize --checkpoint reads; empty: random "
          "weights of --seed.");
ABSL_FLAG(bool, drop_last, false, "Leave out an epoch's last batch if it is smaller than the others.");
RANGED_FLAG(uint32_t, loader_workers, 2, 0, lockstep::kMaxLoaderWorkers,
            "Threads that prepare batches ahead; 0: none.");
RANGED_FLAG(uint32_t, threads, 0, 0, lockstep::kMaxThreads, "CPU threads of LibTorch; 0: LibTorch's default.");
ABSL_FLAG(bool, find_max, false,
          "After the sweep, find the largest batch that fits, by bisection: each probe is an untimed epoch in its own "
          "process.");
ABSL_FLAG(std::string, internal_point, "",
          "Internal: train the one point of this order and return it to the parent process.");

namespace lockstep {

absl::StatusOr<TrainSweepOptions> TrainSweepOptionsFromFlags() {
  TrainSweepOptions options;
  RETURN_IF_ERROR(ApplyRecipeFlag());
  ReadRunFlags(options);
  RETURN_IF_ERROR(SetFieldsFromFlags(options.spec));
  RETURN_IF_ERROR(ReadTrainingFlags(*options.spec.mutable_training()));
  options.batch_sweep = {absl::GetFlag(FLAGS_min_batch), absl::GetFlag(FLAGS_factor), absl::GetFlag(FLAGS_max_batch)};
  options.init = absl::GetFlag(FLAGS_init);
  options.normalization_given = IsGiven("normalization");
  options.evaluate = absl::GetFlag(FLAGS_evaluate);
  options.timeout = absl::GetFlag(FLAGS_timeout);
  RETURN_IF_ERROR(CheckGivenFlags(SweepFlagUses(options)));
  return options;
}

ToolInfo DescribeTool() {
  return {"train_sweep",
          "Times the training of one model at several batch sizes on one device, and saves its weights.",
          {"train_sweep --input=dataset.rec --model=resnet18 --output=sweep.rec",
           "train_sweep --input=dataset.rec --model=lenet5 --batch_size=32,128 --epochs=3 --output=sweep.rec",
           "train_sweep --input=dataset.rec --batch_size=128 --epochs=200 --schedule=cosine --checkpoint=resnet18.pt"},
          WithTrainingGroups({{"files",
                               "inputs and outputs",
                               {{"input"}, {"output"}, {"checkpoint"}, {"init"}, {"force"}, {"dry_run"}, {"quiet"}},
                               HelpPages::kAll},
                              {"sweep",
                               "batch sizes and device",
                               {{"device"},
                                {"batch_size", "a sweep: 32, 128, ..."},
                                {"find_max"},
                                {"timeout", "2m on CUDA, none on a CPU"}},
                               HelpPages::kAll},
                              {"batch_sweep",
                               "the batch sweep, without --batch_size",
                               {{"min_batch"},
                                {"factor"},
                                {"max_batch", "0: until a batch does not fit"},
                                {"memory_limit_bytes", "0: no limit"},
                                {"drop_last"}}},
                              {"cpu", "threads", {{"loader_workers"}, {"threads", "0: LibTorch's default"}}}})};
}

absl::Status CheckFlags() {
  const bool is_point = !absl::GetFlag(FLAGS_internal_point).empty();
  return is_point ? absl::OkStatus() : TrainSweepOptionsFromFlags().status();
}

}  // namespace lockstep
