#include "lib/scale_run/point_group.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/host_topology.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/broadcast_tensors.h"
#include "lib/communicator/nccl_environment.h"
#include "lib/communicator/shared_memory_communicator.h"
#include "lib/reducer/all_reduce_cost_probe.h"
#include "lib/reducer/bucket_plan.h"
#include "lib/reducer/bucketed_reducer.h"
#include "lib/reducer/c10d_reducer.h"
#include "lib/scale_run/reducer_choice.h"
#include "lib/scale_run/step_figures.h"
#include "lib/scale_run/sum_rank_numbers.h"
#include "lib/scaling/point_settings.h"

namespace lockstep {
namespace {

constexpr char kStateTraffic[] = "training state";
constexpr size_t kSharedPiece = size_t{16} << 20;
constexpr uint64_t kMaxStateBytes = uint64_t{16} << 30;  // 180 times the state of ResNet-18 with momentum

CommunicationDtype CommunicationDtypeOf(const proto::ScaleSpec& spec) {
  return spec.gradient_compression() == "bf16" ? CommunicationDtype::kBf16 : CommunicationDtype::kFp32;
}

// Returns the communicator of a backend that fits all numbers of ranks, so that no reason is needed.
absl::StatusOr<MadeCommunicator> WithoutReason(absl::StatusOr<std::unique_ptr<Communicator>> made) {
  RETURN_IF_ERROR(made.status());
  return MadeCommunicator{*std::move(made), ""};
}

}  // namespace

absl::StatusOr<std::unique_ptr<PointGroup>> PointGroup::Join(RankContext& context, const proto::ScaleSpec& spec,
                                                             const proto::ScalePoint& point, c10::Device device,
                                                             ReducerSource source) {
  std::unique_ptr<PointGroup> group(new PointGroup(context, spec, point, device));
  if (!group->reduces()) {
    return group;
  }
  ASSIGN_OR_RETURN(MadeCommunicator made, group->Connect());
  group->communicator_ = std::move(made.communicator);
  group->why_gloo_ = std::move(made.why);
  if (spec.training().step() == proto::FUSED) {
    ASSIGN_OR_RETURN(group->exchange_, group->MakeExchange(source));
  }
  return group;
}

absl::StatusOr<MadeExchange> PointGroup::MakeExchange(ReducerSource source) {
  using Make = std::function<absl::StatusOr<MadeExchange>()>;
  const bool sends = point_.reduction() == proto::ALL_REDUCE;
  const Make own = [&] {
    CommunicatorExchangeOptions options;
    options.device = device_;
    options.communication_dtype = CommunicationDtypeOf(spec_);
    options.sends = sends;
    options.max_multiprocessors = NcclMultiprocessors();
    return MakeCommunicatorExchange(*communicator_, options);
  };
  const bool hierarchical = spec_.reducer() == "hierarchical";
  PeerExchangeOptions of_peers;
  of_peers.device = device_;
  of_peers.communication_dtype = CommunicationDtypeOf(spec_);
  of_peers.timeout = context_.timeout;
  of_peers.shares_update = hierarchical ? CanShareUpdate(spec_.training()) : spec_.reducer() == "peer_sharded";
  of_peers.sends = sends;
  const Make peers = [&]() -> absl::StatusOr<MadeExchange> {
    if (!hierarchical) {
      return MakePeerExchange(*communicator_, of_peers);
    }
    ASSIGN_OR_RETURN(const HostTopology hosts, GatherHosts(*context_.store, context_.rank, context_.size));
    return MakeHierarchicalExchange(*context_.store, context_.rank, hosts, {of_peers, NcclMultiprocessors()});
  };
  if (!IsByPeers(spec_.reducer())) {
    return own();
  }
  return source == ReducerSource::kAuto ? PeersOrOwn(peers, own, why_own_) : peers();
}

absl::StatusOr<MadeCommunicator> PointGroup::Connect() const {
  if (spec_.backend() == proto::SHARED_MEMORY || spec_.backend() == proto::HIERARCHICAL) {
    absl::StatusOr<MadeCommunicator> made =
        spec_.backend() == proto::HIERARCHICAL
            ? MakeCpuCommunicator(*context_.store, context_.rank, context_.size, context_.timeout)
            : WithoutReason(
                  MakeSharedMemoryCommunicator(*context_.store, context_.rank, context_.size, context_.timeout));
    return absl::IsFailedPrecondition(made.status())
               ? absl::UnavailableError(absl::StrCat(made.status().message(), "; give --backend=gloo"))
               : std::move(made);
  }
  if (spec_.backend() != proto::NCCL) {
    return WithoutReason(MakeGlooCommunicator(*context_.store, context_.rank, context_.size, context_.timeout));
  }
  const bool with_own_kernels = spec_.training().step() == proto::FUSED;
  const NcclOptions options = {device_.index(), context_.timeout, with_own_kernels ? NcclMultiprocessors() : 0};
  return WithoutReason(MakeNcclCommunicator(*context_.store, context_.rank, context_.size, options));
}

// Broadcasts `tensors`, copied to the GPU if necessary, because NCCL sends only GPU memory.
absl::Status PointGroup::Share(const std::vector<at::Tensor>& tensors, const char* kind) {
  if (communicator_ == nullptr) {
    return absl::OkStatus();
  }
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> on_device;
  std::set<at::ScalarType> types;  // dtypes, one broadcast each
  uint64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) {
    on_device.push_back(tensor.detach().to(device_));
    types.insert(tensor.scalar_type());
    bytes += tensor.nbytes();
  }
  traffic_.Add(kind, types.size(), bytes);
  RETURN_IF_ERROR(BroadcastTensors(*communicator_, on_device, 0));
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].is_same(on_device[i])) {
      tensors[i].detach().copy_(on_device[i]);
    }
  }
  return communicator_->Health();
}

absl::Status PointGroup::ShareModel(Model& model) {
  RETURN_IF_ERROR(Share(model.parameters(), "initial broadcast"));
  return Share(model.buffers(), "initial broadcast");
}

absl::Status PointGroup::ShareBuffers(Model& model) { return Share(model.buffers(), "buffers to evaluate with"); }

absl::StatusOr<ReducerOptions> PointGroup::OptionsOfReducer(bool check_sum) {
  ReducerOptions options;
  options.caps = {spec_.first_bucket_bytes(), spec_.bucket_bytes()};
  options.overlap = spec_.overlap();
  options.all_reduce = point_.reduction() == proto::ALL_REDUCE;
  options.keep_local = check_sum;
  options.communication_dtype = CommunicationDtypeOf(spec_);
  options.rule = spec_.bucket_plan() == "auto" ? BucketRule::kAuto : BucketRule::kDdp;
  if (options.rule == BucketRule::kAuto) {
    ASSIGN_OR_RETURN(options.all_reduce_seconds, MeasureAllReduceCost(*communicator_, device_));
  }
  return options;
}

// Returns rank 0's plan on all ranks, because a rank knows only its own plan.
absl::StatusOr<BucketPlan> PointGroup::KeptPlan(size_t parameters) {
  if (!kept_plan_.has_value()) {
    return BucketPlan();
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> plans, GatherState(*kept_plan_));
  return plans[0].empty() ? BucketPlan() : ParseBucketPlan(plans[0], parameters);
}

absl::StatusOr<GradientHook*> PointGroup::MakeHook(Model& model) {
  if (!reduces()) {
    return nullptr;
  }
  std::vector<NamedParameter> parameters;
  for (const auto& parameter : model.named_parameters()) {
    parameters.push_back({parameter.key(), parameter.value()});
  }
  const bool check_sum = sends() && spec_.training().warmup_epochs() > 0 && spec_.training().accumulate() <= 1;
  ASSIGN_OR_RETURN(ReducerOptions options, OptionsOfReducer(check_sum));
  ASSIGN_OR_RETURN(options.plan, KeptPlan(parameters.size()));
  std::unique_ptr<GradientReducer> reducer;
  if (spec_.reducer() == "c10d") {
    ASSIGN_OR_RETURN(reducer, MakeC10dReducer(std::move(parameters), *communicator_, options));
  } else {
    ASSIGN_OR_RETURN(reducer, BucketedReducer::Create(std::move(parameters), *communicator_, options));
  }
  PointHookOptions hook_options;
  hook_options.check_sum = check_sum;
  hook_options.communication_dtype = options.communication_dtype;
  if (spec_.buffers() == "sync_bn") {
    sync_ = std::make_unique<SyncBatchNorm>(model, *communicator_, options.all_reduce);
    hook_options.sync = sync_.get();
  }
  if (spec_.buffers() == "broadcast" && options.all_reduce) {
    hook_options.buffers = model.buffers();
  }
  hook_ = std::make_unique<PointHook>(*communicator_, std::move(reducer), std::move(hook_options));
  return hook_.get();
}

absl::Status PointGroup::BeginEpoch(uint32_t) { return context_.store->Barrier(context_.rank, context_.size); }

void PointGroup::CountApart(const char* kind, const Traffic& traffic) {
  traffic_.Add(kind, traffic.calls, traffic.bytes);
  traffic_.AddSeconds(kind, traffic.busy_seconds);
}

absl::Status PointGroup::EndEpoch(uint32_t epoch) {
  RETURN_IF_ERROR(communicator_ != nullptr ? communicator_->Health() : absl::OkStatus());
  if (hook_ != nullptr) {
    ReducerTimes times = hook_->reducer().TakeTimes();
    traffic_.Add(kGradientTraffic, times.sent_calls, times.sent_bytes);
    CountApart(kBufferTraffic, hook_->buffers().TakeTraffic());
    if (sync_ != nullptr) {
      CountApart(kBatchNormTraffic, sync_->TakeTraffic());
    }
    if (epoch >= spec_.training().warmup_epochs() && !replays()) {
      epochs_.push_back(std::move(times));
    }
  }
  return absl::OkStatus();
}

std::vector<proto::Traffic> PointGroup::TrafficRecords(uint64_t steps) const {
  TrafficCount all = traffic_;
  if (exchange_.counter != nullptr && point_.reduction() == proto::ALL_REDUCE) {
    const ExchangeCount step = exchange_.counter->CountOfStep();
    all.Add(kGradientTraffic, steps * step.calls, steps * step.bytes);
  }
  return all.ToRecords(steps);
}

absl::StatusOr<std::vector<std::string>> PointGroup::AllGather(absl::string_view bytes) {
  traffic_.Add("metrics", 1, bytes.size());
  return context_.store->AllGather(context_.rank, context_.size, bytes);
}

absl::StatusOr<std::vector<std::string>> PointGroup::GatherState(absl::string_view bytes) {
  traffic_.Add(kStateTraffic, 1, bytes.size());
  return context_.store->AllGather(context_.rank, context_.size, bytes);
}

// Broadcasts in pieces, because training uses most of the device's memory.
absl::Status PointGroup::ShareState(std::string& bytes) {
  if (communicator_ == nullptr) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> sizes, GatherState(absl::StrCat(bytes.size())));
  uint64_t size = 0;
  if (!absl::SimpleAtoi(sizes[0], &size) || size > kMaxStateBytes) {
    return absl::InternalError(absl::StrCat("expected the size of a training state from rank 0, at most ",
                                            kMaxStateBytes, " bytes, found '", absl::CHexEscape(sizes[0].substr(0, 40)),
                                            "'; this is a fault of that rank"));
  }
  bytes.resize(size);
  traffic_.Add(kStateTraffic, 1, size);
  for (size_t at = 0; at < bytes.size(); at += kSharedPiece) {
    const auto count = static_cast<int64_t>(std::min(kSharedPiece, bytes.size() - at));
    const at::Tensor host = at::from_blob(&bytes[at], {count}, at::kByte);
    const at::Tensor piece = host.to(device_);
    RETURN_IF_ERROR(communicator_->Broadcast(piece, 0));
    if (!piece.is_same(host)) {
      host.copy_(piece);
    }
  }
  return communicator_->Health();
}

proto::RankProgress PointGroup::Progress() const {
  proto::RankProgress progress;
  for (const ReducerTimes& epoch : epochs_) {
    AddToTrace(epoch.steps, point_.reduction() == proto::ALL_REDUCE ? AllReduces::kSent : AllReduces::kLeftOut,
               *progress.add_epoch());
  }
  for (const proto::Traffic& traffic : traffic_.ToRecords(0)) {
    *progress.add_traffic() = traffic;
  }
  progress.set_bucket_plan(hook_ != nullptr ? BucketPlanText(hook_->reducer().PlanFromHere()) : "");
  return progress;
}

void PointGroup::Resume(const proto::RankProgress& progress) {
  for (const proto::StepTrace& trace : progress.epoch()) {
    epochs_.emplace_back().steps = StepsOf(trace);
  }
  for (const proto::Traffic& traffic : progress.traffic()) {
    traffic_.Add(traffic);
  }
  kept_plan_ = progress.bucket_plan();
}

absl::StatusOr<std::vector<double>> PointGroup::Sum(const std::vector<RankNumber>& numbers) {
  ASSIGN_OR_RETURN(const std::vector<std::string> all, AllGather(EncodeRankNumbers(numbers)));
  return SumRankNumbers(numbers, all);
}

}  // namespace lockstep
