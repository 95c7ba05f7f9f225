#include "lib/scale_run/scale_run_plan.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/flag_values.h"
#include "lib/base/host_topology.h"
#include "lib/base/processors.h"
#include "lib/base/readable_number.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/dataset/normalization.h"
#include "lib/device/compute_threads.h"
#include "lib/device/device.h"
#include "lib/device/nvidia_driver.h"
#include "lib/launch/virtual_hosts.h"
#include "lib/launch/world.h"
#include "lib/networks/networks.h"
#include "lib/nn/model.h"
#include "lib/record/digest.h"
#include "lib/reducer/host_place.h"
#include "lib/scale_run/backend_choice.h"
#include "lib/scale_run/experiments.h"
#include "lib/scale_run/kept_files.h"
#include "lib/scale_run/planned_hosts.h"
#include "lib/scale_run/point_variants.h"
#include "lib/scale_run/reducer_choice.h"
#include "lib/scale_run/scale_plan.h"
#include "lib/scaling/point_name.h"
#include "lib/scaling/point_settings.h"
#include "lib/scaling/virtual_hosts_text.h"
#include "lib/train/schedule.h"
#include "lib/train/step_switches.h"
#include "lib/train/train_step.h"
#include "lib/train/training_spec.h"

namespace lockstep {
namespace {

absl::Status CheckDeviceCount(c10::Device device, uint32_t max_ranks) {
  if (!device.is_cuda()) {
    return absl::OkStatus();
  }
  const uint32_t gpus = CountRankGpus();
  if (max_ranks <= gpus) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(
      absl::StrCat("--ranks needs ", max_ranks, " GPUs, this host has ", gpus, "; give fewer ranks, or --device=cpu"));
}

// Sets the settings that were left to the preset, the model and the machine.
void Settle(c10::Device device, uint32_t ranks_here, proto::ScaleSpec& spec) {
  proto::TrainingSpec& training = *spec.mutable_training();
  if (training.threads() == 0) {
    training.set_threads(
        std::min(ThreadsPerRank(static_cast<uint32_t>(OwnProcessors()), ranks_here), ComputeThreadLimit()));
  }
  training = SettleTraining(spec.preset(), training, device);
  if (!spec.evaluate()) {
    training.clear_evaluation();  // LibTorch evaluates a checkpoint
  }
  if (spec.gradient_compression().empty()) {
    const bool bf16_gradients = training.step() == proto::FUSED && training.precision() == proto::BF16;
    spec.set_gradient_compression(bf16_gradients ? "bf16" : "none");
  }
  if (spec.evaluate_every() == 0 && spec.target_accuracy() != 0) {
    spec.set_evaluate_every(1);
  }
}

// Refuses settings that cannot be combined.
absl::Status CheckTogether(const proto::ScaleSpec& spec) {
  const proto::TrainingSpec& training = spec.training();
  if (spec.mode() == proto::DP && (training.step() == proto::FUSED || training.accumulate() > 1)) {
    return absl::InvalidArgumentError(
        "--mode=dp trains with LibTorch's autograd and without micro-batches; leave --step, --preset=fast and "
        "--accumulate out");
  }
  if (spec.mode() == proto::DP && training.cuda_graph()) {
    return absl::InvalidArgumentError(
        "--cuda_graph=true with --mode=dp: it uses one thread per device, which a CUDA graph cannot capture; leave one "
        "out");
  }
  const bool names_reducer = spec.reducer() != "own" && spec.reducer() != "auto";
  if (spec.mode() == proto::DP && (names_reducer || spec.bucket_plan() != "ddp")) {
    return absl::InvalidArgumentError("--mode=dp has no reducer; leave --reducer and --bucket_plan out");
  }
  if (spec.mode() == proto::DP && (spec.buffers() != "local" || spec.gradient_compression() != "none")) {
    return absl::InvalidArgumentError(
        "--mode=dp has one set of running statistics, device 0's, and moves gradients in fp32; leave --buffers and "
        "--gradient_compression out");
  }
  if (training.step() == proto::FUSED && spec.buffers() != "local") {
    return absl::InvalidArgumentError(
        absl::StrCat("--buffers=", spec.buffers(),
                     " with --step=fused: each rank keeps its own running statistics, and rank 0's are used for "
                     "evaluation; give --buffers=local, or --step=autograd"));
  }
  if (training.step() == proto::AUTOGRAD && training.cuda_graph() &&
      (spec.reducer() == "c10d" || spec.buffers() != "local")) {
    return absl::InvalidArgumentError(
        "--cuda_graph=true with --step=autograd: a CUDA graph captures neither LibTorch's reducer nor the other "
        "communication of a step; leave --reducer=c10d, --buffers=broadcast and --buffers=sync_bn out");
  }
  if (spec.reducer() == "c10d" && (training.step() == proto::FUSED || !spec.overlap() ||
                                   spec.gradient_compression() != "none" || spec.bucket_plan() != "ddp")) {
    return absl::InvalidArgumentError(
        "--reducer=c10d needs LibTorch's autograd and has settings of its own; leave --overlap=false, "
        "--gradient_compression, --bucket_plan=auto and --step=fused out");
  }
  if (IsByPeers(spec.reducer()) && training.step() != proto::FUSED) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--reducer=", spec.reducer(), " needs the fused step; give --preset=fast, or --step=fused, or leave it out"));
  }
  if (spec.reducer() == "peer_sharded" && !CanShareUpdate(training)) {
    return absl::InvalidArgumentError(
        "--reducer=peer_sharded: each rank updates a share of bf16 weights and does not know the gradient norm; give "
        "--precision=bf16 without --clip_norm and --lars, or --reducer=peer");
  }
  if (training.step() == proto::FUSED && !spec.overlap()) {
    return absl::InvalidArgumentError(
        "--overlap=false with --step=fused: the fused step sends each range as soon as it is computed; leave one out");
  }
  if (training.step() == proto::FUSED && spec.bucket_plan() != "ddp") {
    return absl::InvalidArgumentError(
        "--bucket_plan=auto with --step=fused: the fused step has ranges of its own; leave one out");
  }
  return absl::OkStatus();
}

// Returns InvalidArgumentError if --reducer=hierarchical is impossible on the hosts of a point.
absl::Status CheckHosts(const proto::ScaleSpec& spec, const PlannedHosts& hosts) {
  for (const uint32_t ranks : spec.ranks()) {
    if (spec.reducer() == "hierarchical" && ranks > 0) {
      if (const absl::Status status = CheckHierarchical(hosts.First(ranks)); !status.ok()) {
        return absl::InvalidArgumentError(absl::StrCat("--ranks=", ranks, ": ", status.message()));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<proto::ScaleSpec> SettleVariant(proto::ScaleSpec spec, c10::Device device, uint32_t ranks_here,
                                               const PlannedHosts& hosts) {
  const HostTopology topology = hosts.First(MaxRanks(spec));
  if (spec.mode() == proto::DP && topology.hosts() > 1 && !hosts.virtual_hosts().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--mode=dp is one process, which cannot be on several virtual hosts; unset ", kHostOfRankVariable));
  }
  spec.clear_backend_reason();
  if (spec.mode() != proto::DP) {
    const proto::DeviceKind kind = device.is_cuda() ? proto::CUDA : proto::CPU;
    ASSIGN_OR_RETURN(const BackendChoice choice, ChooseBackend(spec.backend(), kind, topology));
    spec.set_backend(choice.backend);
    spec.set_backend_reason(choice.why);
    RETURN_IF_ERROR(CheckHosts(spec, hosts));
  } else {
    spec.clear_backend();
  }
  Settle(device, ranks_here, spec);
  RETURN_IF_ERROR(CheckTrainingSpec(spec.training()));
  RETURN_IF_ERROR(CheckSwitches(spec.training()));
  RETURN_IF_ERROR(CheckPrecision(device, spec.training().precision()));
  RETURN_IF_ERROR(CheckTogether(spec));
  return spec;
}

// Settles the variants. An impossible variant is left out, but refused if it is the only one.
absl::Status SettleVariants(const proto::ScaleSpec& asked, uint32_t ranks_here, const PlannedHosts& hosts,
                            ScaleRunPlan& plan) {
  absl::Status refused;
  for (const proto::ScaleSpec& one : VariantsOf(asked)) {
    absl::StatusOr<proto::ScaleSpec> settled = SettleVariant(one, plan.device, ranks_here, hosts);
    if (settled.ok()) {
      plan.variants.push_back(*std::move(settled));
      continue;
    }
    if (!absl::IsInvalidArgument(settled.status())) {
      return settled.status();
    }
    plan.left_out.push_back(absl::StrCat(VariantText(asked, one), ": ", settled.status().message()));
    refused.Update(settled.status());
  }
  if (plan.variants.empty()) {
    return refused;
  }
  plan.spec = plan.variants.front();
  *plan.spec.mutable_several() = asked.several();
  for (const proto::ScaleSpec& variant : plan.variants) {
    if (variant.mode() != proto::DP) {
      plan.spec.set_backend(variant.backend());
      plan.spec.set_backend_reason(variant.backend_reason());
    }
  }
  return absl::OkStatus();
}

// Returns the hosts of the ranks. InvalidArgument: LOCKSTEP_HOST_OF_RANK is not a list of a host for each rank, or the
// world has too few ranks.
absl::StatusOr<PlannedHosts> HostsOf(const World* world, uint32_t ranks) {
  ASSIGN_OR_RETURN(std::vector<int> virtual_hosts, ReadHostOfRank([](const char* name) { return std::getenv(name); }));
  RETURN_IF_ERROR(CheckHostOfRank(virtual_hosts, ranks));
  if (world == nullptr) {
    return PlannedHosts({}, std::move(virtual_hosts));
  }
  RETURN_IF_ERROR(world->CheckRanks(ranks));
  return PlannedHosts(world->HostAddresses(), std::move(virtual_hosts));
}

// Returns the placement of the first `ranks` ranks. Each local rank uses the GPU of its number. Other hosts than that
// of rank 0, which the leader is on, cannot be asked about their GPUs.
RankPlace PlaceOf(c10::Device device, const PlannedHosts& hosts, uint32_t ranks) {
  RankPlace place;
  const HostTopology topology = hosts.First(ranks);
  place.one_host = topology.hosts() == 1;
  place.why_not_hierarchical = WhyNotHierarchical(topology);
  place.own_gpus = RanksPerGpu() == 1;
  const bool may_use_peers = place.one_host || place.why_not_hierarchical.empty();
  if (device.is_cuda() && may_use_peers && place.own_gpus && topology.ranks() > 0) {
    const auto here = static_cast<uint32_t>(topology.RanksOf(0).size());
    place.why_no_peers =
        NcclPeersAreOff() ? "NCCL_P2P_DISABLE is set" : std::string(CheckGpusShareMemory(here).message());
  }
  return place;
}

// Plans the points variant by variant. A base case that several variants share is measured once.
absl::Status PlanVariants(uint64_t training_images, const PlaceOfRanks& place_of, ScaleRunPlan& plan) {
  const std::string training = plan.spec.training().SerializeAsString();
  for (const proto::ScaleSpec& variant : plan.variants) {
    ASSIGN_OR_RETURN(const std::vector<proto::ScalePoint> points, PlanPoints(variant, training_images));
    for (proto::ScalePoint point : points) {
      SettleReducer(variant, place_of, point);
      if (variant.training().SerializeAsString() != training) {
        *point.mutable_training() = variant.training();
      }
      if (std::none_of(plan.points.begin(), plan.points.end(),
                       [&](const proto::ScalePoint& other) { return AreSameBase(point, other); })) {
        plan.points.push_back(std::move(point));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status PlanRows(const std::vector<std::string>& rows, uint64_t training_images, const PlaceOfRanks& place_of,
                      ScaleRunPlan& plan) {
  if (!plan.spec.several().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--experiment chooses its own rows; give --", plan.spec.several(0).key(), " one word"));
  }
  ASSIGN_OR_RETURN(ExperimentPlan planned, PlanExperiment(plan.spec, rows, training_images));
  plan.points = std::move(planned.points);
  plan.left_out = std::move(planned.left_out);
  for (const proto::ScalePoint& point : plan.points) {
    proto::ScaleSpec of_point = plan.spec;
    of_point.set_buffers(point.buffers());
    *of_point.mutable_training() = point.training();
    RETURN_IF_ERROR(CheckTrainingSpec(point.training()));
    RETURN_IF_ERROR(CheckTogether(of_point));
  }
  SettleReducerOfRows(plan.spec, place_of, plan.points);
  return absl::OkStatus();
}

// Returns "4"; "4 to 279" if an experiment's rows differ.
std::string RepeatsText(const ScaleRunPlan& plan) {
  uint32_t min_repeats = plan.spec.training().repeats(), max_repeats = min_repeats;
  for (const proto::ScalePoint& point : plan.points) {
    if (point.has_training()) {
      min_repeats = std::min(min_repeats, point.training().repeats());
      max_repeats = std::max(max_repeats, point.training().repeats());
    }
  }
  return min_repeats == max_repeats ? absl::StrCat(min_repeats) : absl::StrCat(min_repeats, " to ", max_repeats);
}

std::string HowText(const proto::ScaleSpec& variant) {
  return absl::StrCat(StepText(variant.training()), "; gradients sent in ",
                      variant.gradient_compression() == "none" ? "fp32" : "bf16");
}

// Returns the choices of --reducer=auto, one line each. The GPUs may turn out not to share memory when the ranks run.
std::string ChoicesText(const ScaleRunPlan& plan) {
  std::vector<std::pair<std::string, std::set<uint32_t>>> choices;  // choice, and the numbers of ranks with it
  for (const proto::ScalePoint& point : plan.points) {
    if (plan.spec.reducer() != "auto" || point.reduction() == proto::PLAIN || point.reduction() == proto::STAR) {
      continue;
    }
    const std::string variant = VariantText(plan.spec, point);
    const char* const fallback = IsByPeers(point.reducer()) ? ", or own if the GPUs cannot share memory" : "";
    const std::string why = point.reducer_reason().empty() ? "" : absl::StrCat("; ", point.reducer_reason());
    const std::string choice = absl::StrCat("  ", variant, variant.empty() ? "" : ": ", "--reducer=auto takes ",
                                            point.reducer(), fallback, why);
    auto same = std::find_if(choices.begin(), choices.end(), [&](const auto& other) { return other.first == choice; });
    same = same != choices.end() ? same : choices.insert(same, {choice, {}});
    same->second.insert(point.ranks());
  }
  return absl::StrJoin(choices, "", [](std::string* text, const auto& choice) {
    absl::StrAppend(text, choice.first, " (--ranks=", absl::StrJoin(choice.second, ","), ")\n");
  });
}

}  // namespace

absl::StatusOr<ScaleRunPlan> MakeScaleRunPlan(const ScaleRunOptions& options, const Dataset& dataset,
                                              const World* world) {
  ScaleRunPlan plan;
  ASSIGN_OR_RETURN(plan.device, ResolveDevice(options.device));
  const uint32_t ranks = MaxRanks(options.spec);
  const uint32_t here = world != nullptr ? world->RanksHere(ranks) : ranks;
  RETURN_IF_ERROR(CheckDeviceCount(plan.device, here));
  ASSIGN_OR_RETURN(const PlannedHosts hosts, HostsOf(world, ranks));
  proto::ScaleSpec asked = options.spec;
  ASSIGN_OR_RETURN(*asked.mutable_training()->mutable_normalization(),
                   CompleteNormalization(options.spec.training().normalization(), dataset.train.info));
  if (IsModelFile(asked.training().model())) {
    ASSIGN_OR_RETURN(*asked.mutable_training()->mutable_model_sha256(), Sha256HexOfFile(asked.training().model()));
  }
  RETURN_IF_ERROR(SettleVariants(asked, here, hosts, plan));
  if ((plan.spec.evaluate() || !options.checkpoint.empty()) && dataset.test.size() == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(options.input, " has no test images; give --noevaluate, and leave --checkpoint out"));
  }
  RETURN_IF_ERROR(ParseModel(plan.spec.training().model()).status());
  RETURN_IF_ERROR(SetComputeThreads(plan.spec.training().threads()));  // CountModel runs the model
  const ModelShape shape = ModelShapeOf(dataset.train.info);
  RETURN_IF_ERROR(CheckStepShape(plan.spec.training(), shape));
  ASSIGN_OR_RETURN(const std::shared_ptr<Model> model,
                   MakeModel(plan.spec.training().model(), plan.spec.training().seed(), shape));
  *plan.spec.mutable_model() = CountModel(*model);
  plan.spec.mutable_model()->set_training_images(dataset.train.size());
  plan.spec.mutable_model()->set_test_images(dataset.test.size());
  plan.spec.mutable_virtual_host()->Assign(hosts.virtual_hosts().begin(), hosts.virtual_hosts().end());
  plan.rows = options.rows;
  const auto place_of = [&](uint32_t of_ranks) { return PlaceOf(plan.device, hosts, of_ranks); };
  RETURN_IF_ERROR(plan.spec.experiment() == proto::EXPERIMENT_UNSPECIFIED
                      ? PlanVariants(dataset.train.size(), place_of, plan)
                      : PlanRows(options.rows, dataset.train.size(), place_of, plan));
  ASSIGN_OR_RETURN(plan.checkpoint_point, ChooseCheckpointPoint(options, plan.points));
  RETURN_IF_ERROR(CheckStatePlaces(options, plan.points));
  plan.dataset_path = options.input;
  return plan;
}

std::string NameIn(const ScaleRunPlan& plan, const proto::ScalePoint& point) {
  const std::string variant = VariantText(plan.spec, point);
  return absl::StrCat(PointName(point), variant.empty() ? "" : absl::StrCat(" (", variant, ")"));
}

uint32_t MaxRanks(const proto::ScaleSpec& spec) {
  return spec.ranks().empty() ? 0 : *std::max_element(spec.ranks().begin(), spec.ranks().end());
}

std::vector<std::string> PlanWarnings(const ScaleRunPlan& plan) {
  std::vector<std::string> warnings;
  if (const std::string untimed = UntimedWarning(plan.spec.training()); !untimed.empty()) {
    warnings.push_back(untimed);
  }
  const auto& ranks = plan.spec.ranks();
  if (plan.spec.experiment() == proto::EXPERIMENT_UNSPECIFIED &&
      std::find(ranks.begin(), ranks.end(), 1u) == ranks.end()) {
    warnings.push_back(absl::StrCat("no speed-up without the base case on one rank: use --ranks=1,",
                                    absl::StrJoin(ranks, ","),
                                    ", or comm_model --sweep with a sweep of the same settings"));
  }
  if (const std::string shared = SharedGpuWarning(plan.points, RanksPerGpu());
      plan.device.is_cuda() && !shared.empty()) {
    warnings.push_back(shared);
  }
  if (!plan.spec.virtual_host().empty()) {
    warnings.push_back(absl::StrCat(VirtualHostsText(plan.spec),
                                    " (LOCKSTEP_HOST_OF_RANK) on one machine: times are not times of a network"));
  }
  if (!plan.spec.backend_reason().empty()) {
    warnings.push_back(absl::StrCat("all ranks communicate over gloo: ", plan.spec.backend_reason()));
  }
  return warnings;
}

std::string PlanText(const ScaleRunPlan& plan) {
  const proto::TrainingSpec& training = plan.spec.training();
  const proto::ModelFacts& model = plan.spec.model();
  std::string text = absl::StrFormat(
      "%d points of %d + %s epochs each; %s, %d parameters, %s of gradients, %d CPU threads per rank\n",
      plan.points.size(), training.warmup_epochs(), RepeatsText(plan), training.model(), model.parameter_count(),
      BytesText(static_cast<double>(model.gradient_bytes())), training.threads());
  absl::StrAppend(&text, "  ", RecipeText(training), "\n", HeldOutText(training));
  for (const proto::ScaleSpec& variant : plan.variants) {
    const std::string keys = VariantText(plan.spec, variant);
    absl::StrAppend(&text, "  ", keys, keys.empty() ? "" : ": ", HowText(variant), "\n");
  }
  absl::StrAppend(&text, ChoicesText(plan));
  for (const std::string& left_out : plan.left_out) {
    absl::StrAppend(&text, "  left out: ", left_out, "\n");
  }
  for (size_t i = 0; i < plan.points.size(); ++i) {
    const proto::ScalePoint& point = plan.points[i];
    absl::StrAppendFormat(&text, "  %s: %d steps per epoch, %d images (%d padded)%s\n", NameIn(plan, point),
                          point.steps_per_epoch(), point.images_per_epoch(), point.padded_images(),
                          i == plan.checkpoint_point ? ", then the checkpoint" : "");
  }
  absl::StrAppendFormat(&text,
                        "A rank holds weights, gradients and momentum (%s), the data set, and the activations of "
                        "a batch, whose size is unknown until the network runs. Seconds: unknown until the first point "
                        "is measured; each point then prints the time left.\n",
                        BytesText(3.0 * static_cast<double>(model.gradient_bytes())));
  for (const std::string& warning : PlanWarnings(plan)) {
    absl::StrAppend(&text, "warning: ", warning, "\n");
  }
  return text;
}

}  // namespace lockstep
