#include "lib/scale_run/rank_point.h"

#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/communicator/all_reduce_probe.h"
#include "lib/data_parallel/data_parallel_trainer.h"
#include "lib/data_parallel/star_times.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/validation_split.h"
#include "lib/device/device.h"
#include "lib/launch/process_description.h"
#include "lib/nn/model.h"
#include "lib/nn/zero_gamma.h"
#include "lib/scale_run/epoch_orders.h"
#include "lib/scale_run/point_communication.h"
#include "lib/scale_run/point_group.h"
#include "lib/scale_run/point_hook.h"
#include "lib/scale_run/point_variants.h"
#include "lib/scale_run/rank_agreement.h"
#include "lib/scale_run/weights_digest.h"
#include "lib/statistics/quantity.h"
#include "lib/train/schedule.h"
#include "lib/train/trained_weights.h"
#include "lib/train/training_run.h"

namespace lockstep {
namespace {

// Returns the run's spec with the settings of the point, if it has its own.
proto::ScaleSpec SpecOf(const proto::RankOrder& order) {
  proto::ScaleSpec spec = order.spec();
  SetVariant(order.point(), spec);
  if (order.point().has_training()) {
    *spec.mutable_training() = order.point().training();
  }
  return spec;
}

// Returns the training order of the ranks, as for a sweep.
proto::PointOrder OrderOf(const proto::ScaleSpec& spec, const proto::ScalePoint& point, c10::Device device) {
  proto::PointOrder order;
  order.set_batch_size(point.mode() == proto::DP ? point.global_batch() : point.batch_per_device());
  *order.mutable_spec()->mutable_training() = spec.training();
  order.mutable_spec()->set_preset(spec.preset());
  const bool evaluate = spec.evaluate() && point.reduction() != proto::ABLATED;
  order.set_evaluate(evaluate);
  order.mutable_spec()->set_evaluate_every(evaluate ? spec.evaluate_every() : 0);
  order.mutable_spec()->set_target_accuracy(evaluate ? spec.target_accuracy() : 0);
  // A step of a large batch may take any time on a CPU. There only the waits for other ranks have a limit.
  order.set_timeout_seconds(device.is_cuda() ? spec.timeout_seconds() : 0);
  return order;
}

// One rank's work, from its order to its measurements. Members are destroyed in reverse order of declaration.
class RankPoint {
 public:
  RankPoint(RankContext& context, const proto::RankOrder& order)
      : context_(context), order_(order), spec_(SpecOf(order)), training_(spec_.training()), point_(order.point()) {}

  absl::StatusOr<proto::ScalePoint> Run() {
    RETURN_IF_ERROR(SetUp(order_.dataset_path()));
    RETURN_IF_ERROR(CheckRanksAgree(context_, device_, dataset_));
    RETURN_IF_ERROR(HoldOutValidation(training_.validation_images(), point_.global_batch(), dataset_));
    const c10::DeviceGuard guard(device_);
    const ReducerSource source = order_.spec().reducer() == "auto" ? ReducerSource::kAuto : ReducerSource::kNamed;
    ASSIGN_OR_RETURN(group_, PointGroup::Join(context_, spec_, point_, device_, source));
    if (!group_->why_own().empty()) {
      point_.set_reducer("own");
      point_.set_reducer_reason(group_->why_own());
    }
    if (group_->communicator() != nullptr) {
      point_.set_communicator(std::string(group_->communicator()->name()));
      point_.set_communicator_reason(group_->why_gloo());
    }
    RETURN_IF_ERROR(Train());
    RETURN_IF_ERROR(CompareWeights());
    RETURN_IF_ERROR(KeepWeights());
    RETURN_IF_ERROR(Probe());
    AddSent();
    AddFacts();
    point_.set_outcome(proto::COMPLETED);
    // No rank may leave and close its connections while another still works.
    RETURN_IF_ERROR(context_.store->Barrier(context_.rank, context_.size));
    return point_;
  }

 private:
  // Does everything that needs no other rank.
  absl::Status SetUp(const std::string& dataset_path) {
    ASSIGN_OR_RETURN(device_, ResolveDevice(training_.device() == proto::CUDA ? "cuda" : "cpu", context_.local_rank));
    RETURN_IF_ERROR(CheckEpochs(training_));
    RETURN_IF_ERROR(SetNumerics({.deterministic = training_.deterministic(), .threads = training_.threads()}));
    ASSIGN_OR_RETURN(dataset_, ReadDataset(dataset_path));
    RETURN_IF_ERROR(CheckIsPlannedDataset(dataset_, order_));
    ASSIGN_OR_RETURN(model_, MakePlannedModel(training_, ModelShapeOf(dataset_.train.info)));
    RETURN_IF_ERROR(training_.zero_gamma() ? SetZeroGamma(*model_) : absl::OkStatus());
    return absl::OkStatus();
  }

  absl::Status Train() {
    TrainingRunOptions run;
    run.order = OrderOf(spec_, point_, device_);
    run.order.set_place(order_.place());
    run.order.set_later_seconds(order_.later_seconds());
    run.device = device_;
    run.group = group_.get();
    if (point_.reduction() == proto::STAR) {
      run.make_trainer = [this](const TrainerInput& input) { return MakeStarTrainer(input); };
      run.epoch_ended = [this](uint32_t epoch) { AddStar(epoch); };
    }
    run.order.set_evaluate(run.order.evaluate() || !order_.checkpoint_path().empty());
    run.order.set_state_every(order_.state_every());
    run.state = {order_.state_path(), order_.state_header(), order_.afresh()};
    run.measured = [this] { return Measured(); };
    run.resume = [this](const std::string& measured) { return Resume(measured); };
    run.stalled = [this](const absl::Status& stalled) {
      EndRank(absl::Status(stalled.code(), absl::StrCat(stalled.message(), " (--timeout)")));
    };
    run.failed = [](const absl::Status& error) { EndRank(error); };
    run.instrumented = [this](const InstrumentedSteps& steps) { instrumented_ = steps.exchange; };
    RETURN_IF_ERROR(RunTraining(run, dataset_, model_, trained_));
    TakeOver(trained_);
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<EpochTrainer>> MakeStarTrainer(const TrainerInput& input) {
    std::vector<c10::Device> devices;
    for (uint32_t i = 0; i < point_.ranks(); ++i) {
      ASSIGN_OR_RETURN(const c10::Device device,
                       ResolveDevice(device_.is_cuda() ? "cuda" : "cpu", static_cast<int>(i)));
      devices.push_back(device);
    }
    ASSIGN_OR_RETURN(std::unique_ptr<DataParallelTrainer> trainer, MakeDataParallelTrainer(input, devices));
    star_ = trainer.get();
    return std::unique_ptr<EpochTrainer>(std::move(trainer));
  }

  void AddStar(uint32_t epoch) {
    star_traffic_.Add(star_->times());
    if (epoch >= training_.warmup_epochs()) {
      AddStarTimes(star_->times(), *point_.mutable_star());
    }
  }

  // Returns this rank's measurements besides the epochs, for a resumed run.
  std::string Measured() const {
    proto::RankProgress progress = group_->Progress();
    if (star_ != nullptr) {
      *progress.mutable_star() = point_.star();
      progress.clear_traffic();
      for (const proto::Traffic& traffic : star_traffic_.ToRecords()) {
        *progress.add_traffic() = traffic;
      }
    }
    return progress.SerializeAsString();
  }

  absl::Status Resume(const std::string& measured) {
    proto::RankProgress progress;
    if (!progress.ParseFromString(measured)) {
      return absl::DataLossError("the measurements of a rank do not parse");
    }
    if (star_ == nullptr) {
      group_->Resume(progress);
      return absl::OkStatus();
    }
    *point_.mutable_star() = progress.star();
    for (const proto::Traffic& traffic : progress.traffic()) {
      star_traffic_.Add(traffic);
    }
    return absl::OkStatus();
  }

  // Writes rank 0's weights, because running statistics differ between ranks and rank 0's were evaluated.
  absl::Status KeepWeights() {
    if (order_.checkpoint_path().empty() || context_.rank != 0) {
      return absl::OkStatus();
    }
    TrainedWeights weights;
    weights.path = order_.checkpoint_path();
    weights.model_name = training_.model();
    weights.batch_size = point_.global_batch();
    weights.force = order_.afresh();
    weights.normalization = training_.normalization();
    ASSIGN_OR_RETURN(*point_.mutable_checkpoint(), WriteTrainedWeights(weights, *model_, point_.epoch()));
    return absl::OkStatus();
  }

  void TakeOver(const proto::SweepPoint& trained) {
    point_.set_steps_per_epoch(trained.steps_per_epoch());
    point_.set_images_per_epoch(trained.images_per_epoch());
    *point_.mutable_epoch_seconds() = trained.epoch_seconds();
    *point_.mutable_step_seconds() = trained.step_seconds();
    *point_.mutable_data_wait_seconds() = trained.data_wait_seconds();
    *point_.mutable_epoch() = trained.epoch();
    *point_.mutable_resumed_epoch() = trained.resumed_epoch();
    point_.set_timing_method(trained.timing_method());
    *point_.mutable_full_steps() = trained.full_steps();
    if (trained.has_step_parts()) {
      *point_.mutable_step_parts() = trained.step_parts();
    }
    if (trained.has_target()) {
      *point_.mutable_target() = trained.target();
    }
    const uint32_t parts = point_.reduction() == proto::STAR ? point_.ranks() : 1;
    const uint32_t together =
        point_.buffers() == "sync_bn" && point_.reduction() == proto::ALL_REDUCE ? point_.ranks() : 1;
    point_.set_batch_norm_images((trained.batch_norm_images() + parts - 1) / parts * together);
    facts_.set_peak_memory_bytes(trained.peak_memory_bytes());
    *facts_.mutable_device_state() = trained.device_state();
    *facts_.mutable_device_watch() = trained.device_watch();
    if (trained.has_epoch_joules()) {
      *facts_.mutable_epoch_joules() = EnergyOfAllDevices(trained.epoch_joules());
    }
    if (trained.has_neighbours()) {
      *facts_.mutable_neighbours() = trained.neighbours();
    }
    double sum = 0;
    for (const double seconds : trained.epoch_seconds().value()) {
      sum += seconds;
    }
    facts_.set_epoch_seconds(sum / std::max(1, trained.epoch_seconds().value_size()));
  }

  // Returns the energy, or an absent reason for DataParallel: its process reads the counter of the first GPU only.
  proto::Quantity EnergyOfAllDevices(const proto::Quantity& joules) const {
    const bool is_all =
        point_.reduction() != proto::STAR || point_.ranks() == 1 || spec_.training().device() != proto::CUDA;
    return is_all ? joules : Absent("DataParallel: only the energy counter of the first GPU was read");
  }

  // Checks that all ranks have the same weights, bit for bit.
  absl::Status CompareWeights() {
    if (point_.reduction() == proto::ABLATED) {
      return absl::OkStatus();
    }
    const std::string own = WeightsDigest(*model_);
    ASSIGN_OR_RETURN(const std::vector<std::string> digests, group_->AllGather(own));
    for (size_t rank = 0; rank < digests.size(); ++rank) {
      if (digests[rank] != digests[0]) {
        return absl::AbortedError(absl::StrCat("after training, the weights of rank ", rank,
                                               " differ from those of rank 0; this is a fault of the communication "
                                               "library or of Lockstep"));
      }
    }
    point_.set_weights_sha256(own);
    return absl::OkStatus();
  }

  // Times an all-reduce of the gradient's size with nothing else running.
  absl::Status Probe() {
    proto::AllReduceProbe& probe = *point_.mutable_probe();
    probe.set_size_bytes(spec_.model().gradient_bytes());
    if (!group_->sends()) {
      probe.mutable_seconds()->set_absent_reason(NothingSent(*group_, point_));
      return absl::OkStatus();
    }
    ProbeOptions options;
    options.size_bytes = probe.size_bytes();
    ASSIGN_OR_RETURN(const std::vector<double> seconds, ProbeAllReduce(*group_->communicator(), device_, options));
    probe.mutable_seconds()->mutable_value()->Add(seconds.begin(), seconds.end());
    return absl::OkStatus();
  }

  void AddSent() {
    AddCommunication(*group_, trained_, instrumented_, point_, facts_);
    const PointHook* const hook = group_->hook();
    if (hook != nullptr && hook->sum_check().ByteSizeLong() > 0) {
      *point_.mutable_sum_check() = hook->sum_check();
    } else if (group_->sends() && group_->exchange() != nullptr) {
      *point_.mutable_sum_check() = CheckOfExchange();
    }
    for (const proto::Traffic& traffic :
         star_ != nullptr ? star_traffic_.ToRecords()
                          : group_->TrafficRecords(uint64_t{point_.steps_per_epoch()} * point_.epoch_size())) {
      *point_.add_traffic() = traffic;
    }
  }

  // Returns the check of an exchange: MakePeerExchange and MakeCommunicatorExchange check its sums with numbers that
  // differ on every rank, and fail if a sum is not exact on some rank.
  static proto::SumCheck CheckOfExchange() {
    proto::SumCheck check;
    check.set_source("exact test numbers, before training");
    check.set_ranks_differ_before(true);
    check.set_ranks_equal_after(true);
    check.set_passed(true);
    return check;
  }

  void AddFacts() {
    const EpochOrders orders(static_cast<uint32_t>(dataset_.train.size()), training_, context_.size, context_.rank);
    const bool dealt_out = point_.mode() == proto::DP;  // one rank has the whole batch
    orders.Describe(point_.epoch_size(), dealt_out ? point_.global_batch() : point_.batch_per_device(), facts_);
    point_.set_padded_images(orders.padded());
    facts_.set_rank(context_.rank);
    facts_.set_device_index(device_.has_index() ? device_.index() : 0);
    facts_.set_host(HostName());
    *point_.add_rank() = facts_;
  }

  RankContext& context_;
  const proto::RankOrder& order_;
  const proto::ScaleSpec spec_;
  const proto::TrainingSpec& training_;
  proto::ScalePoint point_;
  proto::RankFacts facts_;
  proto::SweepPoint trained_;
  std::vector<ExchangeStep> instrumented_;  // steps of one more epoch; empty unless the fused step exchanged gradients
  c10::Device device_ = c10::Device(c10::kCPU);
  Dataset dataset_;
  std::unique_ptr<PointGroup> group_;
  const DataParallelTrainer* star_ = nullptr;  // trainer of the training run; null unless mode DP
  StarTraffic star_traffic_;
  std::shared_ptr<Model> model_;
};

}  // namespace

absl::StatusOr<proto::ScalePoint> RunRankPoint(RankContext& context, const proto::RankOrder& order) {
  DieIfAsked(context.rank, 0);
  RankPoint point(context, order);
  absl::StatusOr<proto::ScalePoint> result = point.Run();
  if (!result.ok()) {
    // Members of `point` may wait in their destructors: a communicator for a stopped rank, for which NCCL takes 10 s,
    // or memory for a kernel that waits for that rank's gradients.
    EndRank(result.status());
  }
  return result;
}

}  // namespace lockstep
