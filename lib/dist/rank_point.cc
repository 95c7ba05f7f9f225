#include "lib/dist/rank_point.h"

#include <c10/core/DeviceGuard.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/progress.h"
#include "lib/base/status_macros.h"
#include "lib/dataset/batch_loader.h"
#include "lib/dataset/dataset.h"
#include "lib/dataset/sampler.h"
#include "lib/device/device.h"
#include "lib/dist/all_reduce_probe.h"
#include "lib/dist/broadcast_tensors.h"
#include "lib/dist/bucketed_reducer.h"
#include "lib/dist/communicator.h"
#include "lib/dist/point_hook.h"
#include "lib/dist/scale_plan.h"
#include "lib/nn/model.h"
#include "lib/record/digest.h"
#include "lib/train/epoch_runner.h"
#include "lib/train/schedule.h"
#include "lib/train/train_step.h"

namespace lockstep {
namespace {

// One rank, from its order to its measurements. The members are made in this order and destroyed in the opposite one.
class RankPoint {
 public:
  RankPoint(RankContext& context, const proto::RankOrder& order)
      : context_(context), spec_(order.spec()), training_(spec_.training()), point_(order.point()) {}

  absl::StatusOr<proto::ScalePoint> Run(const std::string& dataset_path) {
    RETURN_IF_ERROR(SetUp(dataset_path));
    const c10::DeviceGuard guard(device_);
    RETURN_IF_ERROR(Join());
    RETURN_IF_ERROR(TrainEpochs());
    RETURN_IF_ERROR(Probe());
    AddCommunication();
    AddFacts();
    point_.set_outcome(proto::COMPLETED);
    // None leaves, and closes its connections, while another still works.
    RETURN_IF_ERROR(context_.store->Barrier(context_.rank, context_.size));
    return point_;
  }

 private:
  bool Reduces() const { return point_.reduction() != proto::PLAIN; }
  bool Sends() const { return point_.reduction() == proto::ALL_REDUCE && context_.size > 1; }

  // Everything that needs no other rank.
  absl::Status SetUp(const std::string& dataset_path) {
    ASSIGN_OR_RETURN(device_, ResolveDevice(training_.device() == proto::CUDA ? "cuda" : "cpu", context_.local_rank));
    RETURN_IF_ERROR(CheckEpochs(training_));
    RETURN_IF_ERROR(SetNumerics({training_.precision(), training_.deterministic(), training_.threads()}));
    ASSIGN_OR_RETURN(dataset_, ReadDataset(dataset_path));
    LoaderOptions options;
    options.batch_size = point_.batch_per_device();
    options.workers = training_.loader_workers();
    options.augment = training_.augment();
    options.drop_last = training_.drop_last();
    options.seed = training_.seed();
    RETURN_IF_ERROR(NormalizeAsTrained(dataset_.train.info, options));
    loader_ = std::make_unique<BatchLoader>(dataset_.train, options);
    ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, MakeModel(training_.model(), training_.seed()));
    ResetPeakMemory(device_);
    step_ = std::make_unique<TrainStep>(model, training_, device_);
    point_.set_timing_method(step_->TimingMethod());
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<Communicator>> Connect() {
    if (spec_.backend() == proto::NCCL) {
      return MakeNcclCommunicator(*context_.store, context_.rank, context_.size, device_.index(), context_.timeout);
    }
    return MakeGlooCommunicator(*context_.store, context_.rank, context_.size, context_.timeout);
  }

  // The communicator, the same weights everywhere, and the reducer. A PLAIN point has none of it.
  absl::Status Join() {
    if (!Reduces()) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(communicator_, Connect());
    Model& model = step_->model();
    RETURN_IF_ERROR(BroadcastTensors(*communicator_, model.parameters(), 0));
    RETURN_IF_ERROR(BroadcastTensors(*communicator_, model.buffers(), 0));
    std::vector<NamedParameter> parameters;
    for (const auto& parameter : model.named_parameters()) {
      parameters.push_back({parameter.key(), parameter.value()});
    }
    const bool check_sum = Sends() && training_.warmup_epochs() > 0;
    ReducerOptions options;
    options.caps = {spec_.first_bucket_bytes(), spec_.bucket_bytes()};
    options.overlap = spec_.overlap();
    options.all_reduce = point_.reduction() == proto::ALL_REDUCE;
    options.keep_local = check_sum;
    ASSIGN_OR_RETURN(std::unique_ptr<BucketedReducer> reducer,
                     BucketedReducer::Create(std::move(parameters), *communicator_, options));
    PointHookOptions hook_options;
    hook_options.check_sum = check_sum;
    if (spec_.buffers() == "broadcast") {
      hook_options.buffers = model.buffers();
    }
    hook_ = std::make_unique<PointHook>(*communicator_, std::move(reducer), std::move(hook_options));
    return absl::OkStatus();
  }

  absl::Status TrainEpochs() {
    const auto images = static_cast<uint32_t>(dataset_.train.size());
    const uint32_t epochs = training_.warmup_epochs() + training_.repeats();
    std::unique_ptr<Progress> progress;
    if (context_.rank == 0) {
      progress = std::make_unique<Progress>(absl::StrCat(PointName(point_), context_.size > 1 ? " (rank 0)" : ""),
                                            epochs * point_.images_per_epoch() / point_.ranks(), "images");
    }
    uint64_t images_before = 0;
    for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
      const Shard shard =
          ShardOrder(EpochOrder(images, training_.seed(), epoch), context_.size, context_.rank, training_.drop_last());
      if (epoch == training_.warmup_epochs()) {
        AddOrder(shard);
      }
      RETURN_IF_ERROR(context_.store->Barrier(context_.rank, context_.size));
      ASSIGN_OR_RETURN(const EpochTimes times,
                       RunEpoch(*step_, *loader_, epoch, shard.order, hook_.get(), progress.get(), images_before));
      RETURN_IF_ERROR(communicator_ != nullptr ? communicator_->Health() : absl::OkStatus());
      AddEpoch(epoch, times, shard.padded);
      images_before += times.images;
    }
    return absl::OkStatus();
  }

  void AddOrder(const Shard& shard) {
    facts_.set_order_sha256(Sha256Hex(absl::string_view(reinterpret_cast<const char*>(shard.order.data()),
                                                        shard.order.size() * sizeof(shard.order[0]))));
    facts_.set_distinct_images(std::set<uint32_t>(shard.order.begin(), shard.order.end()).size());
  }

  void AddEpoch(uint32_t epoch, const EpochTimes& times, uint64_t padded) {
    const bool warmup = epoch < training_.warmup_epochs();
    proto::EpochResult& result = *point_.add_epoch();
    result.set_epoch(epoch);
    result.set_warmup(warmup);
    result.set_mean_loss(times.mean_loss);
    result.set_train_accuracy(times.accuracy);
    result.set_learning_rate(training_.learning_rate());
    const ReducerTimes communication = hook_ != nullptr ? hook_->reducer().TakeTimes() : ReducerTimes();
    if (warmup) {
      return;
    }
    point_.set_steps_per_epoch(times.steps);
    point_.set_images_per_epoch(times.images);
    point_.set_padded_images(padded);
    point_.mutable_epoch_seconds()->add_value(times.epoch_seconds);
    point_.mutable_step_seconds()->add_value(times.step_seconds);
    point_.mutable_data_wait_seconds()->add_value(times.data_wait_seconds);
    facts_.set_epoch_seconds(facts_.epoch_seconds() + times.epoch_seconds / training_.repeats());
    if (point_.reduction() == proto::ALL_REDUCE) {
      point_.mutable_exposed_seconds()->add_value(communication.exposed_seconds);
      point_.mutable_collective_busy_seconds()->add_value(communication.busy_seconds);
    }
    if (Reduces()) {
      epoch_buckets_.push_back({0, communication.mean_bucket});
    }
  }

  // The gradient's size, alone. Before the facts: it is part of what a rank's memory must hold.
  absl::Status Probe() {
    proto::AllReduceProbe& probe = *point_.mutable_probe();
    probe.set_size_bytes(spec_.model().gradient_bytes());
    if (!Sends()) {
      probe.mutable_seconds()->set_absent_reason(NothingSent());
      return absl::OkStatus();
    }
    ProbeOptions options;
    options.size_bytes = probe.size_bytes();
    ASSIGN_OR_RETURN(const std::vector<double> seconds, ProbeAllReduce(*communicator_, device_, options));
    probe.mutable_seconds()->mutable_value()->Add(seconds.begin(), seconds.end());
    return absl::OkStatus();
  }

  const char* NothingSent() const {
    return !Reduces()                             ? "there is no reducer"
           : point_.reduction() == proto::ABLATED ? "the all-reduces are left out"
                                                  : "one rank alone sends nothing";
  }

  void AddCommunication() {
    if (point_.reduction() != proto::ALL_REDUCE) {
      for (proto::Samples* samples : {point_.mutable_exposed_seconds(), point_.mutable_collective_busy_seconds()}) {
        samples->set_absent_reason(NothingSent());
      }
    }
    if (hook_ != nullptr && hook_->sum_check().ByteSizeLong() > 0) {
      *point_.mutable_sum_check() = hook_->sum_check();
    } else {
      point_.mutable_sum_check()->set_absent_reason(Sends() ? "no warm-up epoch to make it in" : NothingSent());
    }
    if (hook_ == nullptr) {
      return;
    }
    const std::vector<uint64_t> size_bytes = hook_->reducer().BucketBytes();
    const std::vector<BucketTimes> mean = MeanBucketTimes(epoch_buckets_);
    for (size_t i = 0; i < mean.size(); ++i) {
      proto::Bucket& bucket = *point_.add_bucket();
      bucket.set_size_bytes(size_bytes[i]);
      bucket.set_parameter_count(static_cast<uint32_t>(hook_->reducer().buckets()[i].size()));
      bucket.set_mean_ready_seconds(mean[i].ready_seconds);
      if (point_.reduction() == proto::ALL_REDUCE) {
        bucket.set_mean_done_seconds(mean[i].end_seconds);
      }
    }
  }

  void AddFacts() {
    facts_.set_rank(context_.rank);
    facts_.set_device_index(device_.has_index() ? device_.index() : 0);
    facts_.set_peak_memory_bytes(PeakMemoryBytes(device_));
    *facts_.mutable_device_state() = ReadDeviceState(device_);
    *point_.add_rank() = facts_;
  }

  RankContext& context_;
  const proto::ScaleSpec spec_;
  const proto::TrainingSpec& training_;
  proto::ScalePoint point_;
  proto::RankFacts facts_;
  std::vector<StepTimes> epoch_buckets_;  // of each timed epoch: the means over its steps
  c10::Device device_ = c10::Device(c10::kCPU);
  Dataset dataset_;
  std::unique_ptr<BatchLoader> loader_;
  std::unique_ptr<TrainStep> step_;
  std::unique_ptr<Communicator> communicator_;
  std::unique_ptr<PointHook> hook_;
};

}  // namespace

absl::StatusOr<proto::ScalePoint> RunRankPoint(RankContext& context, const proto::RankOrder& order) {
  DieIfAsked(context.rank, 0);
  return RankPoint(context, order).Run(order.dataset_path());
}

}  // namespace lockstep
