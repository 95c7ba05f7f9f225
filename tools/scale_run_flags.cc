#include "tools/scale_run_flags.h"

#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "lib/base/flag_range.h"
#include "lib/base/flag_values.h"
#include "lib/base/flag_words.h"
#include "lib/base/given_flags.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/batch_loader.h"
#include "lib/scale_run/experiments.h"
#include "lib/scale_run/point_variants.h"
#include "lib/scale_run/scale_flag_uses.h"
#include "lib/train/schedule.h"
#include "tools/training_flags.h"
#include "tools/two_programs.h"

ABSL_FLAG(std::string, output, "scale.rec", "Record file to write; '-': standard output.");
ABSL_FLAG(std::string, prediction, "",
          "comm_model record that predicts this run; its digest is recorded as proof that it came first.");
ABSL_FLAG(std::string, device, "auto", "auto (CUDA if there is a GPU), cpu or cuda. With cuda each rank has a GPU.");
FLAG_WORDS(device, "auto", "cpu", "cuda");
RANGED_FLAG(std::vector<std::string>, ranks, std::vector<std::string>({"1", "2"}), 1, lockstep::kMaxRanks,
            "Numbers of ranks to measure.");
RANGED_FLAG(std::vector<std::string>, batch_size, std::vector<std::string>({"32", "128", "512"}), 1,
            lockstep::kMaxBatchSize, "Batch sizes to measure.");
ABSL_FLAG(std::string, checkpoint, "",
          "File for the weights trained on the most --ranks, as a PyTorch state_dict, with rank 0's running "
          "statistics; empty: none. With --experiment: weights of the only point (--rows and --seeds=1).");
ABSL_FLAG(std::string, batch_mode, "per_device", "--batch_size is per_device, or global: split among the ranks.");
FLAG_WORDS(batch_mode, "per_device", "global");
ABSL_FLAG(bool, drop_last, false,
          "Leave out images that do not fill a batch on every rank; otherwise some are used twice.");
RANGED_FLAG(uint32_t, loader_workers, 2, 0, lockstep::kMaxLoaderWorkers,
            "Threads of each rank that prepare batches ahead; 0: none.");
RANGED_FLAG(uint32_t, threads, 0, 0, lockstep::kMaxThreads,
            "CPU threads of each rank; 0: cores / the largest of --ranks. The base case on one rank has no more "
            "threads, so that speed-up compares equal ranks.");
ABSL_FLAG(std::string, mode, "ddp",
          "ddp: one process per device, with all-reduced gradients. dp: like torch.nn.DataParallel, one process with a "
          "thread per device, which distributes batch and weights in each step and collects the gradients on device 0. "
          "This flag, --preset, --gradient_compression, --buffers, --reducer and --bucket_plan take several words, "
          "such as ddp,dp: one record then holds every possible combination.");
FLAG_WORDS(mode, "ddp", "dp");
ABSL_FLAG(
    std::string, experiment, "",
    "Experiment with its own table, at the global batches of --batch_size on --ranks=N: large_batch (accuracy at the "
    "first batch and at the others, with each remedy and with all; the first also with the others' schedule and "
    "epochs), sampler_epoch (with and without the epoch number), what_is_sent (gradients only, buffers too, "
    "batch norm over all ranks), optimizers (each with its default learning rate). Defaults: --epochs=5 --ranks=2, and "
    "one batch of 128 except with large_batch.");
FLAG_WORDS(experiment, "large_batch", "sampler_epoch", "what_is_sent", "optimizers");
RANGED_FLAG(uint32_t, seeds, 3, 1, 1000, "With --experiment: number of seeds per row, counted from --seed.");
ABSL_FLAG(std::string, rows, "",
          "With --experiment: only these rows, separated by semicolons, such as --rows='128;8192, all'; empty: all.");
ABSL_FLAG(bool, ablation, true,
          "Measure each point of several ranks again without all-reduces; false: only with them.");
ABSL_FLAG(bool, overlap, true, "Start all-reduces during the backward pass; false: after it.");
RANGED_FLAG(double, first_bucket_mib, 1, 0, 1e6, "Size in MiB at which the first bucket is full.");
RANGED_FLAG(double, bucket_mib, 25, 0, 1e6, "Size in MiB at which another bucket is full.");
ABSL_FLAG(std::string, gradient_compression, "",
          "Communication dtype of gradients: none (fp32) or bf16; empty: bf16 if computed in bf16 (--preset=fast).");
FLAG_WORDS(gradient_compression, "none", "bf16");
ABSL_FLAG(
    std::string, buffers, "local",
    "Running statistics of batch norm: local to each rank, or broadcast from rank 0 in every step; sync_bn: batch "
    "norm over the images of all ranks.");
FLAG_WORDS(buffers, "local", "broadcast", "sync_bn");
ABSL_FLAG(
    std::string, backend, "",
    "Transport between ranks on CPUs: shared_memory (all on one host), hierarchical (shared memory within each of "
    "several hosts with equally many ranks, Gloo between hosts) or gloo; empty: the first possible one. On CUDA: "
    "nccl.");
FLAG_WORDS(backend, "shared_memory", "hierarchical", "gloo", "nccl");
ABSL_FLAG(
    std::string, reducer, "auto",
    "Gradient reducer: own, buckets over NCCL or Gloo; c10d, LibTorch's reducer over the same communicator "
    "(--step=autograd); peer, copies into the memory of the host's other GPUs (--step=fused); peer_sharded, like "
    "peer, but each rank updates its share of the weights for all (--precision=bf16); hierarchical, for several "
    "hosts with equally many ranks: copies within each host, and each rank sums its share over NCCL with one rank "
    "of each other host. auto: for each number of ranks the last possible one of own, peer, peer_sharded and "
    "hierarchical.");
FLAG_WORDS(reducer, "auto", "own", "c10d", "peer", "peer_sharded", "hierarchical");
ABSL_FLAG(std::string, bucket_plan, "ddp",
          "ddp: buckets by size, like PyTorch's. auto: by the measured times at which gradients are ready and the "
          "cost of an all-reduce.");
FLAG_WORDS(bucket_plan, "ddp", "auto");
RANGED_FLAG(absl::Duration, timeout, absl::Seconds(60), 1, 86400,
            "Time for which a rank may keep the others waiting; after it the run ends.");
ABSL_FLAG(std::string, launcher, "auto",
          "Launcher that started this process once for each rank: torchrun (RANK, WORLD_SIZE, LOCAL_RANK), openmpi "
          "(OMPI_COMM_WORLD_*), pmi (PMI_*, PMIX_RANK), slurm (a step of srun), or none: this process starts the "
          "ranks. auto: the first of these whose variables are set, else none.");
FLAG_WORDS(launcher, "auto", "none", "torchrun", "openmpi", "pmi", "slurm");
ABSL_FLAG(std::string, master_addr, "",
          "Under a launcher, with ranks on several hosts: rank 0's host (127.0.0.1 on one host). Empty: MASTER_ADDR, "
          "else the first node of SLURM_STEP_NODELIST.");
RANGED_FLAG(uint32_t, master_port, 0, 0, 65535,
            "Under a launcher: port on which rank 0 listens. 0: MASTER_PORT, else a port from 20000 to 28999, derived "
            "from the launcher's name for the run.");
ABSL_FLAG(std::string, interface, "",
          "Network device for the traffic between ranks, such as eth0. Empty: GLOO_SOCKET_IFNAME and "
          "NCCL_SOCKET_IFNAME, else the device of the route to rank 0's host.");

namespace lockstep {
namespace {

constexpr uint32_t kExperimentRanks = 2;
constexpr uint32_t kExperimentBatch = 128;  // the lab's base batch

// Sets epochs, ranks and batch of an experiment, if no flag gives them.
absl::Status SetExperimentDefaults(proto::ScaleSpec& spec) {
  if (spec.experiment() == proto::EXPERIMENT_UNSPECIFIED) {
    return absl::OkStatus();
  }
  if (!IsGiven("ranks")) {
    spec.clear_ranks();
    spec.add_ranks(kExperimentRanks);
  }
  if (!IsGiven("batch_size") && spec.experiment() != proto::LARGE_BATCH) {
    spec.clear_batch_size();
    spec.add_batch_size(kExperimentBatch);
  }
  const bool has_epochs = absl::GetFlag(FLAGS_epochs) != 0 || absl::GetFlag(FLAGS_repeats) != 0;
  return has_epochs ? absl::OkStatus() : SetEpochs(kLabEpochs, 0, *spec.mutable_training());
}

}  // namespace

absl::StatusOr<ScaleRunOptions> ScaleRunOptionsFromFlags() {
  ScaleRunOptions options;
  RETURN_IF_ERROR(ApplyRecipeFlag({"batch_size"}));  // a list of batches per device, or of an experiment
  ReadRunFlags(options);
  options.prediction = absl::GetFlag(FLAGS_prediction);
  proto::ScaleSpec& spec = options.spec;
  RETURN_IF_ERROR(SetFieldsFromFlags(spec, VariantKeys()));
  for (const std::string& key : VariantKeys()) {
    const std::string words = absl::FindCommandLineFlag(key)->CurrentValue();
    RETURN_IF_ERROR(SetWords(key, absl::StrSplit(words, ','), spec));
  }
  RETURN_IF_ERROR(ReadTrainingFlags(*spec.mutable_training()));
  options.default_validation = !absl::GetFlag(FLAGS_validation_images).has_value();
  options.default_batches = !IsGiven("batch_size");
  options.rows = absl::StrSplit(absl::GetFlag(FLAGS_rows), ';', absl::SkipEmpty());
  RETURN_IF_ERROR(SetExperimentDefaults(spec));
  ASSIGN_OR_RETURN(const auto first_bytes, ParseMebibytes("first_bucket_mib", absl::GetFlag(FLAGS_first_bucket_mib)));
  ASSIGN_OR_RETURN(const auto other_bytes, ParseMebibytes("bucket_mib", absl::GetFlag(FLAGS_bucket_mib)));
  spec.set_first_bucket_bytes(first_bytes);
  spec.set_bucket_bytes(other_bytes);
  spec.set_timeout_seconds(absl::ToDoubleSeconds(absl::GetFlag(FLAGS_timeout)));
  RETURN_IF_ERROR(CheckGivenFlags(ScaleFlagUses(options)));
  return options;
}

ToolInfo DescribeTool() {
  return {"scale_run",
          "Trains one model on 1 to N devices and measures speed-up and communication; starts the ranks itself, or is "
          "started once per rank by torchrun --no-python, mpirun or srun.",
          {"scale_run --input=dataset.rec --ranks=1,2 --batch_size=32,128 --output=scale.rec",
           "scale_run --input=dataset.rec --ranks=1,2 --mode=ddp,dp --batch_size=128 --dry_run",
           "scale_run --input=dataset.rec --ranks=4 --experiment=large_batch --batch_size=128,8192 "
           "--output=large_batch.rec"},
          WithTrainingGroups(
              {{"files",
                "inputs and outputs",
                {{"input"}, {"output"}, {"checkpoint"}, {"prediction"}, {"force"}, {"dry_run"}, {"quiet"}},
                HelpPages::kAll},
               {"scaling",
                "points and devices",
                {{"device"}, {"ranks"}, {"batch_size"}, {"batch_mode"}, {"mode"}, {"ablation"}, {"timeout"}},
                HelpPages::kAll},
               {"experiment", "experiments with their own tables", {{"experiment"}, {"seeds"}, {"rows", "all"}}},
               {"communication",
                "exchange of gradients and buffers",
                {{"reducer"},
                 {"gradient_compression", "as the step computes them"},
                 {"buffers"},
                 {"overlap"},
                 {"bucket_plan"},
                 {"first_bucket_mib"},
                 {"bucket_mib"},
                 {"backend", "CPU: shared_memory or hierarchical if possible; CUDA: nccl"}}},
               {"launch",
                "under torchrun, mpirun or srun",
                {{"launcher"}, {"master_addr"}, {"master_port"}, {"interface"}}},
               {"cpu",
                "threads and the last batch",
                {{"loader_workers"}, {"threads", "0: cores / the largest of --ranks"}, {"drop_last"}}}})};
}

absl::Status CheckFlags() { return ScaleRunOptionsFromFlags().status(); }

}  // namespace lockstep
