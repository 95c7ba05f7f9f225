#include "lib/fused/resnet18_step.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/fused/multiprocessor_shares.h"
#include "lib/fused/resnet18_buffers.h"
#include "lib/fused/step_marks.h"
#include "lib/fused/stream_fork.h"
#include "lib/kernels/augment_batch.h"
#include "lib/kernels/batch_norm.h"
#include "lib/kernels/classifier.h"
#include "lib/kernels/convolution_norm.h"
#include "lib/kernels/convolution_norm_tuning.h"
#include "lib/kernels/cuda_status.h"
#include "lib/kernels/multiprocessors.h"
#include "lib/kernels/sgd.h"
#include "lib/kernels/stem_gradient.h"
#include "lib/kernels/step_state.h"
#include "lib/kernels/wait_limit.h"
#include "lib/kernels/weight_gradient.h"
#include "lib/kernels/weight_gradient_tuning.h"

namespace lockstep {
namespace {

#define RETURN_IF_CUDA_ERROR(call, doing) RETURN_IF_ERROR(CudaStatus((call), (doing)))

// The three passes of a unit's convolution, and its batch norm's launch, for one batch size.
struct UnitPlan {
  std::shared_ptr<const Convolution> forward;
  std::shared_ptr<const Convolution> data_gradient;  // null: the stem's input wants none
  std::shared_ptr<const Convolution> weight_gradient;
  // Together with the sums of a batch norm, forward its own, backward that before it; null: in two kernels.
  std::shared_ptr<const ConvolutionNorm> forward_norm;
  std::shared_ptr<const ConvolutionNorm> backward_norm;
  // With that batch norm applied as well; null: in a kernel of its own.
  std::shared_ptr<const ConvolutionNorm> forward_apply;
  std::shared_ptr<const ConvolutionNorm> backward_apply;
  std::shared_ptr<const WeightGradient> own_weight_gradient;  // null: weight_gradient is faster
  BatchNormShape norm;
  BatchNormLaunch launch;
};

// What one of ours is measured against: cuDNN's take as many multiprocessors as they like, so that with divided ones it
// is ours in any case.
double Apart(const MultiprocessorShares& shares, const Convolution& cudnn) {
  return shares.divided ? std::numeric_limits<double>::infinity() : cudnn.microseconds();
}

struct BatchPlan {
  bool divided = false;
  std::vector<UnitPlan> units;
  ClassifierShape classifier;
};

// The gradient of a batch norm's output, rectified or not.
template <typename T>
struct Upstream {
  BatchNormUpstream<T> gradient;
  bool reduced = false;  // one addend, masked already, and the norm's sums are taken
  bool applied = false;  // and that of the norm's input is there, too
};

// The first blocks of layers 3 and 4, which have 94 % of the weights: they are updated as soon as their gradients are
// there, beside the rest of the backward pass, which no longer reads them.
constexpr size_t kLayer3 = 4, kLayer4 = 6;

// A stream of the step with what its launches need for themselves.
struct Lane {
  cudaStream_t stream = nullptr;
  std::unique_ptr<ConvolutionContext> context;
  void* convolution_workspace = nullptr;
  size_t workspace_bytes = 0;  // of the convolutions'
  void* norm_workspace = nullptr;
};

// Images that are computed at a time.
uint32_t MicroBatch(const ResNet18StepOptions& options) {
  return options.micro_batch == 0 ? options.max_batch : std::min(options.micro_batch, options.max_batch);
}

template <typename T>
class Step final : public ResNet18Step {
 public:
  explicit Step(const ResNet18StepOptions& options) : options_(options), buffers_(MicroBatch(options)) {}
  ~Step() override;

  absl::Status Init(const ResidentImages& images);
  absl::Status Prepare(uint32_t batch) override;
  absl::Status SetValues(const ResNet18Values& values) override;
  absl::StatusOr<ResNet18Values> GetValues() override;
  absl::Status SetMomentum(const ResNet18Values& momentum) override;
  absl::StatusOr<ResNet18Values> GetMomentum() override;
  absl::StatusOr<ResNet18Values> GetGradients() override;
  absl::Status BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch, const std::vector<float>& rates) override;
  absl::Status Enqueue(uint32_t batch) override;
  void SetMarks(const ClockMarks& marks) override { marks_ = marks; }
  absl::StatusOr<ResNet18Counts> EndEpoch() override;
  cudaStream_t stream() const override { return main_.stream; }
  size_t bytes() const override {
    return buffers_.bytes() + main_.workspace_bytes + side_.workspace_bytes + branch_.workspace_bytes +
           shortcut_weights_.workspace_bytes;
  }

 private:
  absl::Status MakeStream(int priority, cudaStream_t& stream);
  absl::Status MakeLane(int priority, Lane& lane);
  absl::Status PrepareMicroBatch(uint32_t batch);
  absl::Status EnqueueMicroBatch(uint32_t images);
  absl::Status Mark(StepMark mark);
  absl::Status Follow(Lane& from, Lane& to) { return fork_.Follow(from.stream, to.stream); }
  absl::Status PlanUnit(const ConvolutionUnit& unit, uint32_t batch, bool divided, UnitPlan& plan);
  absl::Status PlanNorm(const ConvolutionShape& shape, ConvolutionPass pass, double apart_microseconds,
                        uint32_t multiprocessors, bool can_wait, UnitPlan& plan);
  absl::Status PlanWeightGradient(const ConvolutionShape& shape, const MultiprocessorShares& shares, UnitPlan& plan);
  absl::Status GrowWorkspace(size_t bytes, Lane& lane);

  // Forward, and what of it the two directions share.
  absl::Status ConvolveAndTakeStatistics(size_t u, const T* input, Lane& lane);
  absl::Status NormaliseAndRectify(size_t u, const BatchNormResidual<T>& residual, T* output);  // on main_
  absl::Status ForwardUnit(size_t u, const T* input, const BatchNormResidual<T>& residual, cudaEvent_t residual_done,
                           T* output);  // on main_
  absl::Status ForwardBlock(size_t b, const T* input, T* output);
  absl::Status Forward();
  ClassifierOutput<T> OfClassifier() const;

  // Backward. `upstream` is the gradient of the unit's normalised output.
  absl::Status BackwardNorm(size_t u, const Upstream<T>& upstream, T* dresidual, Lane& lane);
  absl::Status BackwardData(size_t u, T* dx, Lane& lane);
  absl::StatusOr<Upstream<T>> BackwardDataToNorm(size_t u, size_t below, int shortcut, const T* addend, T* dx,
                                                 bool dx_is_read);  // on main_
  absl::Status BackwardWeight(size_t u, const T* input, Lane& lane);
  absl::StatusOr<cudaEvent_t> BackwardStem(const Upstream<T>& upstream);  // on main_; the norm's gradients are there
  absl::StatusOr<Upstream<T>> BackwardBlock(size_t b, const Upstream<T>& upstream, T* dx, T* dx2);
  absl::Status Backward();
  absl::Status UpdateWeightsEarly(size_t b);
  absl::Status UpdateWeights(size_t first, size_t end, cudaStream_t stream, uint32_t most_blocks);
  absl::Status UpdateNorms(cudaStream_t stream);
  template <typename G>
  void AddShare(SgdInput<G>& input) const;

  // The unit whose output is the block's input.
  size_t UnitBelow(size_t b) const { return b == 0 ? 0 : net_.blocks[b - 1].conv2; }
  const T* BlockInput(size_t b) const { return b == 0 ? buffers_.stem_output : buffers_.block_output[b - 1]; }
  size_t FirstUnitsEnd() const { return net_.units[1].weight; }  // of the weights
  size_t WeightsBegin(size_t b) const { return net_.units[net_.blocks[b].conv1].weight; }
  cudaStream_t update() const { return options_.two_streams ? update_ : main_.stream; }  // SGD beside the rest
  Lane& side() { return options_.two_streams ? side_ : main_; }                          // weight gradients
  Lane& branch() { return options_.two_streams ? branch_ : main_; }                      // shortcuts
  bool Divides(uint32_t batch) const {
    return options_.divide_multiprocessors && options_.two_streams && std::is_same_v<T, __nv_bfloat16> &&
           HopperMultiprocessors() != 0 && batch <= kMostDividedBatch;
  }

  const ResNet18StepOptions options_;
  ResNet18Buffers<T> buffers_;
  const ResNet18Units& net_ = buffers_.net;
  uint32_t multiprocessors_ = 0;
  uint32_t epoch_steps_ = 0;
  std::map<uint32_t, BatchPlan> plans_;
  // Of the micro-batch that is being queued.
  const BatchPlan* plan_ = nullptr;
  uint32_t batch_ = 0;  // its images
  float share_ = 1;     // of the step's images
  bool first_ = true;   // in its step
  bool last_ = true;
  Lane main_;
  Lane side_;
  Lane branch_;
  Lane shortcut_weights_;          // with divided multiprocessors, the shortcuts' weight gradients
  cudaStream_t update_ = nullptr;  // SGD of batch norms; with divided multiprocessors, of layers 3 and 4 as well
  StreamFork fork_;
  ClockMarks marks_;
};

template <typename T>
Step<T>::~Step() {
  cudaDeviceSynchronize();
  for (Lane* lane : {&main_, &side_, &branch_, &shortcut_weights_}) {
    cudaFree(lane->convolution_workspace);
    lane->context.reset();
  }
  for (const cudaStream_t stream : {main_.stream, side_.stream, branch_.stream, shortcut_weights_.stream, update_}) {
    if (stream != nullptr) {
      cudaStreamDestroy(stream);
    }
  }
}

template <typename T>
absl::Status Step<T>::MakeStream(int priority, cudaStream_t& stream) {
  return CudaStatus(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "making a CUDA stream");
}

template <typename T>
absl::Status Step<T>::MakeLane(int priority, Lane& lane) {
  RETURN_IF_ERROR(MakeStream(priority, lane.stream));
  ASSIGN_OR_RETURN(lane.context, ConvolutionContext::Make(lane.stream));
  return absl::OkStatus();
}

template <typename T>
absl::Status Step<T>::Init(const ResidentImages& images) {
  int device = 0, multiprocessors = 0, least = 0, greatest = 0;
  RETURN_IF_CUDA_ERROR(cudaGetDevice(&device), "finding the GPU");
  RETURN_IF_CUDA_ERROR(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                       "asking the GPU");
  RETURN_IF_CUDA_ERROR(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking the GPU");
  multiprocessors_ = static_cast<uint32_t>(multiprocessors);
  RETURN_IF_ERROR(ReportWaits("a step").status());  // takes its memory before a capture could forbid it
  // The side's work is wanted last: where both have blocks waiting, the chain of data gradients goes first, with the
  // shortcuts it waits for.
  RETURN_IF_ERROR(MakeLane(greatest, main_));
  RETURN_IF_ERROR(MakeLane(least, side_));
  RETURN_IF_ERROR(MakeLane(greatest, branch_));
  RETURN_IF_ERROR(MakeLane(least, shortcut_weights_));
  RETURN_IF_ERROR(MakeStream(least, update_));
  RETURN_IF_ERROR(buffers_.Allocate(images, multiprocessors_));
  main_.norm_workspace = buffers_.norm_workspace[0];
  side_.norm_workspace = buffers_.norm_workspace[1];
  branch_.norm_workspace = buffers_.norm_workspace[2];
  return fork_.Init();
}

template <typename T>
absl::Status Step<T>::PlanUnit(const ConvolutionUnit& unit, uint32_t batch, bool divided, UnitPlan& plan) {
  const uint32_t multiprocessors = HopperMultiprocessors();
  const ConvolutionShape shape = {batch,      unit.matrix_channels, unit.in_size, unit.out_channels, unit.matrix_filter,
                                  unit.stride};
  const MultiprocessorShares shares = divided ? DivideMultiprocessors(unit, batch, multiprocessors)
                                              : MultiprocessorShares{false, multiprocessors, multiprocessors};
  ConvolutionOptions options;
  options.autotune = options_.autotune;
  options.deterministic = options_.deterministic;
  options.own_kernels = options_.own_convolutions;
  const auto make = [&](ConvolutionPass pass, std::shared_ptr<const Convolution>& convolution) -> absl::Status {
    ASSIGN_OR_RETURN(convolution, Convolution::Plan(*main_.context, shape, pass, options_.type, options));
    for (Lane* lane : {&main_, &side_}) {
      RETURN_IF_ERROR(GrowWorkspace(convolution->workspace_bytes(), *lane));
    }
    if (unit.filter != 1) {
      return absl::OkStatus();
    }
    const bool apart = divided && pass == ConvolutionPass::kWeightGradient;
    return GrowWorkspace(convolution->workspace_bytes(), apart ? shortcut_weights_ : branch_);  // a shortcut's
  };
  RETURN_IF_ERROR(make(ConvolutionPass::kForward, plan.forward));
  if (unit.weight != 0) {
    RETURN_IF_ERROR(make(ConvolutionPass::kDataGradient, plan.data_gradient));
  }
  RETURN_IF_ERROR(make(ConvolutionPass::kWeightGradient, plan.weight_gradient));
  RETURN_IF_ERROR(PlanWeightGradient(shape, shares, plan));
  plan.norm = {batch * unit.out_size() * unit.out_size(), unit.out_channels};
  plan.launch = PlanBatchNorm(plan.norm, multiprocessors_);
  RETURN_IF_ERROR(
      PlanNorm(shape, ConvolutionPass::kForward, plan.forward->microseconds(), multiprocessors, true, plan));
  return plan.data_gradient == nullptr
             ? absl::OkStatus()
             : PlanNorm(shape, ConvolutionPass::kDataGradient, Apart(shares, *plan.data_gradient), shares.data_gradient,
                        divided, plan);
}

// can_wait: other launches leave room for all blocks of one that applies the batch norm, which wait for each other.
template <typename T>
absl::Status Step<T>::PlanNorm(const ConvolutionShape& shape, ConvolutionPass pass, double apart_microseconds,
                               uint32_t multiprocessors, bool can_wait, UnitPlan& plan) {
  if (!options_.fused_sums || !std::is_same_v<T, __nv_bfloat16>) {
    return absl::OkStatus();
  }
  const bool applies = options_.fused_norms && can_wait;
  std::optional<ConvolutionNormConfig> config, applying;
  if (options_.autotune) {
    ASSIGN_OR_RETURN(const ConvolutionNormTimes times,
                     TuneConvolutionNorm(*main_.context, shape, pass, apart_microseconds, multiprocessors, applies));
    config = times.best;
    applying = times.best_applying;
  } else {
    // The same whether batch norms are applied or not: so are the bits.
    const std::vector<ConvolutionNormConfig> configs = ConvolutionNormConfigs(shape, pass, multiprocessors);
    const auto can = std::find_if(configs.begin(), configs.end(), [&](const ConvolutionNormConfig& possible) {
      return ConvolutionNormCanApply(shape, pass, possible, multiprocessors);
    });
    if (can != configs.end()) {
      config = *can;
      ASSIGN_OR_RETURN(const bool may_wait, ConvolutionNormMayWait(shape, pass, *can, multiprocessors));
      applying = may_wait ? config : std::nullopt;
    } else if (!configs.empty()) {
      config = configs.front();
    }
  }
  const bool forward = pass == ConvolutionPass::kForward;
  const auto make = [&](const ConvolutionNormConfig& of) {
    return std::make_shared<ConvolutionNorm>(shape, of, multiprocessors);
  };
  if (config.has_value()) {
    (forward ? plan.forward_norm : plan.backward_norm) = make(*config);
  }
  if (applies && applying.has_value()) {
    (forward ? plan.forward_apply : plan.backward_apply) = make(*applying);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Step<T>::PlanWeightGradient(const ConvolutionShape& shape, const MultiprocessorShares& shares,
                                         UnitPlan& plan) {
  if (!options_.own_weight_gradients || !std::is_same_v<T, __nv_bfloat16>) {
    return absl::OkStatus();
  }
  std::optional<WeightGradientConfig> config;
  if (options_.autotune) {
    ASSIGN_OR_RETURN(
        const WeightGradientTimes times,
        TuneWeightGradient(*main_.context, shape, Apart(shares, *plan.weight_gradient), shares.weight_gradient));
    config = times.best;
  } else {
    const std::vector<WeightGradientConfig> configs = WeightGradientConfigs(shape, shares.weight_gradient);
    config = configs.empty() ? config : configs.front();
  }
  if (!config.has_value()) {
    return absl::OkStatus();
  }
  plan.own_weight_gradient = std::make_shared<WeightGradient>(shape, *config);
  return GrowWorkspace(plan.own_weight_gradient->workspace_bytes(), side());
}

template <typename T>
absl::Status Step<T>::GrowWorkspace(size_t bytes, Lane& lane) {
  if (bytes <= lane.workspace_bytes) {
    return absl::OkStatus();
  }
  RETURN_IF_CUDA_ERROR(cudaDeviceSynchronize(), "waiting for the GPU");
  cudaFree(std::exchange(lane.convolution_workspace, nullptr));
  lane.workspace_bytes = 0;
  RETURN_IF_CUDA_ERROR(cudaMalloc(&lane.convolution_workspace, bytes),
                       absl::StrCat("allocating ", bytes, " bytes for convolutions on the GPU"));
  lane.workspace_bytes = bytes;
  return absl::OkStatus();
}

template <typename T>
absl::Status Step<T>::Prepare(uint32_t batch) {
  if (batch == 0 || batch > options_.max_batch) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a batch of 1 to ", options_.max_batch, " images, found ", batch));
  }
  const uint32_t micro_batch = std::min(batch, MicroBatch(options_));
  RETURN_IF_ERROR(PrepareMicroBatch(micro_batch));
  return batch % micro_batch == 0 ? absl::OkStatus() : PrepareMicroBatch(batch % micro_batch);
}

template <typename T>
absl::Status Step<T>::PrepareMicroBatch(uint32_t batch) {
  if (plans_.count(batch) != 0) {
    return absl::OkStatus();
  }
  BatchPlan plan;
  plan.divided = Divides(batch);
  for (const ConvolutionUnit& unit : net_.units) {
    // Units of one shape share the tuning of the first.
    const auto same = std::find_if(net_.units.begin(), net_.units.begin() + plan.units.size(), [&](const auto& other) {
      return other.matrix_channels == unit.matrix_channels && other.in_size == unit.in_size &&
             other.out_channels == unit.out_channels && other.filter == unit.filter && other.stride == unit.stride;
    });
    plan.units.push_back(same - net_.units.begin() < static_cast<ptrdiff_t>(plan.units.size())
                             ? plan.units[same - net_.units.begin()]
                             : UnitPlan());
    if (plan.units.back().forward == nullptr) {
      RETURN_IF_ERROR(PlanUnit(unit, batch, plan.divided, plan.units.back()));
    }
  }
  plan.classifier = {batch, net_.positions, net_.features, net_.classes};
  plans_.emplace(batch, std::move(plan));
  return absl::OkStatus();
}

template <typename T>
absl::Status Step<T>::SetValues(const ResNet18Values& values) {
  return buffers_.Upload(values, main_.stream);
}

template <typename T>
absl::StatusOr<ResNet18Values> Step<T>::GetValues() {
  return buffers_.DownloadValues(main_.stream);
}

template <typename T>
absl::Status Step<T>::SetMomentum(const ResNet18Values& momentum) {
  return buffers_.UploadMomentum(momentum, main_.stream);
}

template <typename T>
absl::StatusOr<ResNet18Values> Step<T>::GetMomentum() {
  return buffers_.DownloadMomentum(main_.stream);
}

template <typename T>
absl::StatusOr<ResNet18Values> Step<T>::GetGradients() {
  return buffers_.DownloadGradients(main_.stream);
}

template <typename T>
absl::Status Step<T>::BeginEpoch(const std::vector<uint32_t>& order, uint32_t epoch, const std::vector<float>& rates) {
  epoch_steps_ = static_cast<uint32_t>(rates.size());
  return buffers_.BeginEpoch(order, epoch, rates, main_.stream);
}

template <typename T>
absl::StatusOr<ResNet18Counts> Step<T>::EndEpoch() {
  ResNet18Counts counts;
  RETURN_IF_CUDA_ERROR(cudaMemcpyAsync(&counts.loss_sum, buffers_.loss_sum, sizeof(counts.loss_sum),
                                       cudaMemcpyDeviceToHost, main_.stream),
                       "reading the loss");
  RETURN_IF_CUDA_ERROR(
      cudaMemcpyAsync(&counts.correct, buffers_.correct, sizeof(counts.correct), cudaMemcpyDeviceToHost, main_.stream),
      "reading what was right");
  RETURN_IF_CUDA_ERROR(cudaStreamSynchronize(main_.stream), "training on the GPU");
  RETURN_IF_ERROR(CheckWaits());
  return counts;
}

// --- Forward ---

template <typename T>
absl::Status Step<T>::ConvolveAndTakeStatistics(size_t u, const T* input, Lane& lane) {
  const ConvolutionUnit& unit = net_.units[u];
  const UnitPlan& plan = plan_->units[u];
  const T* weights = buffers_.network_weights + unit.weight;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if (plan.forward_norm != nullptr) {
      return plan.forward_norm->Forward(input, weights, buffers_.raw[u], buffers_.NormParameters(unit),
                                        buffers_.NormState(unit), lane.norm_workspace, lane.stream);
    }
  }
  RETURN_IF_ERROR(plan.forward->Run(*lane.context, input, weights, buffers_.raw[u], lane.convolution_workspace));
  return CudaStatus(BatchNormStatistics<T>(plan.norm, plan.launch, buffers_.raw[u], buffers_.NormParameters(unit),
                                           buffers_.NormState(unit), lane.norm_workspace, lane.stream),
                    unit.norm_name);
}

template <typename T>
absl::Status Step<T>::NormaliseAndRectify(size_t u, const BatchNormResidual<T>& residual, T* output) {
  const ConvolutionUnit& unit = net_.units[u];
  const BatchNormState state = buffers_.NormState(unit);
  return CudaStatus(BatchNormApply<T>(plan_->units[u].norm, buffers_.raw[u], state.scale, state.shift, residual, output,
                                      buffers_.mask[u], main_.stream),
                    unit.norm_name);
}

template <typename T>
absl::Status Step<T>::ForwardUnit(size_t u, const T* input, const BatchNormResidual<T>& residual,
                                  cudaEvent_t residual_done, T* output) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if (plan_->units[u].forward_apply != nullptr) {
      const ConvolutionUnit& unit = net_.units[u];
      RETURN_IF_ERROR(fork_.Wait(main_.stream, residual_done));
      return plan_->units[u].forward_apply->ForwardAndApply(
          input, buffers_.network_weights + unit.weight, buffers_.raw[u], buffers_.NormParameters(unit),
          buffers_.NormState(unit), residual, output, buffers_.mask[u], buffers_.norm_meeting, main_.stream);
    }
  }
  RETURN_IF_ERROR(ConvolveAndTakeStatistics(u, input, main_));
  RETURN_IF_ERROR(fork_.Wait(main_.stream, residual_done));
  return NormaliseAndRectify(u, residual, output);
}

template <typename T>
absl::Status Step<T>::ForwardBlock(size_t b, const T* input, T* output) {
  const ResidualBlock& block = net_.blocks[b];
  BatchNormResidual<T> residual = {input, nullptr, nullptr};
  cudaEvent_t shortcut_done = nullptr;
  ASSIGN_OR_RETURN(const cudaEvent_t input_done, fork_.Mark(main_.stream));
  RETURN_IF_ERROR(ForwardUnit(block.conv1, input, {}, nullptr, buffers_.inner[b]));
  // Queued behind what runs beside it: a graph keeps what was queued first in one line.
  if (block.shortcut >= 0) {
    const size_t s = static_cast<size_t>(block.shortcut);
    RETURN_IF_ERROR(fork_.Wait(branch().stream, input_done));
    RETURN_IF_ERROR(ConvolveAndTakeStatistics(s, input, branch()));
    ASSIGN_OR_RETURN(shortcut_done, fork_.Mark(branch().stream));
    const BatchNormState state = buffers_.NormState(net_.units[s]);
    residual = {buffers_.raw[s], state.scale, state.shift};
  }
  return ForwardUnit(block.conv2, buffers_.inner[b], residual, shortcut_done, output);
}

template <typename T>
absl::Status Step<T>::Forward() {
  AugmentBatchInput input = buffers_.BatchInput();
  input.seed = options_.seed;
  input.batch = batch_;
  input.augment = options_.augment;
  RETURN_IF_CUDA_ERROR(
      AugmentBatch<T>(input, ImageLayout::kPatches, buffers_.images, buffers_.batch_labels, main_.stream),
      "making a batch");
  RETURN_IF_ERROR(Mark(StepMark::kBatchMade));
  RETURN_IF_ERROR(ForwardUnit(0, buffers_.images, {}, nullptr, buffers_.stem_output));
  for (size_t b = 0; b < net_.blocks.size(); ++b) {
    RETURN_IF_ERROR(ForwardBlock(b, BlockInput(b), buffers_.block_output[b]));
  }
  const ClassifierInput<T> classifier = {buffers_.block_output.back(), buffers_.network_weights + net_.linear_weight,
                                         buffers_.norms + net_.bias(), buffers_.batch_labels};
  return CudaStatus(
      ClassifierTrain<T>(plan_->classifier, classifier, OfClassifier(), buffers_.classifier_workspace, main_.stream),
      "the classifier");
}

template <typename T>
ClassifierOutput<T> Step<T>::OfClassifier() const {
  ClassifierOutput<T> output;
  output.dx = buffers_.gradient[0];
  output.dweight = buffers_.weight_gradients + net_.linear_weight;
  output.dbias = buffers_.norm_gradients + net_.bias();
  output.counts = {buffers_.loss_sum, buffers_.correct};
  return output;
}

// --- Backward ---

// In place: the gradient of the raw output takes the raw output's memory, which nothing reads afterwards.
template <typename T>
absl::Status Step<T>::BackwardNorm(size_t u, const Upstream<T>& upstream, T* dresidual, Lane& lane) {
  const ConvolutionUnit& unit = net_.units[u];
  const UnitPlan& plan = plan_->units[u];
  const BatchNormGradients gradients = buffers_.NormGradients(unit);
  if (upstream.applied) {
    return dresidual == nullptr ? absl::OkStatus() : absl::InternalError("a gradient that was not kept is wanted");
  }
  if (!upstream.reduced) {
    RETURN_IF_CUDA_ERROR(
        BatchNormBackwardReduce<T>(plan.norm, plan.launch, buffers_.raw[u], upstream.gradient, buffers_.NormState(unit),
                                   gradients, lane.norm_workspace, lane.stream),
        unit.norm_name);
  }
  return CudaStatus(BatchNormBackwardApply<T>(plan.norm, buffers_.raw[u], upstream.gradient, gradients, buffers_.raw[u],
                                              dresidual, lane.stream),
                    unit.norm_name);
}

template <typename T>
absl::Status Step<T>::BackwardData(size_t u, T* dx, Lane& lane) {
  return plan_->units[u].data_gradient->Run(
      *lane.context, buffers_.raw[u], buffers_.network_weights + net_.units[u].weight, dx, lane.convolution_workspace);
}

// To the normalised and rectified output of unit `below`, which unit u read, and unit `shortcut` if it is not -1: then
// that one's gradient is taken as well, or is the addend. `addend`, if any, is what reaches that output on another way.
template <typename T>
absl::StatusOr<Upstream<T>> Step<T>::BackwardDataToNorm(size_t u, size_t below, int shortcut, const T* addend, T* dx,
                                                        bool dx_is_read) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if (plan_->units[u].backward_norm != nullptr) {
      const ConvolutionUnit& unit = net_.units[below];
      ConvolutionNorm::Shortcut taken;
      if (shortcut >= 0) {
        const auto s = static_cast<size_t>(shortcut);
        taken = {buffers_.raw[s], buffers_.network_weights + net_.units[s].weight};
      }
      const ConvolutionNorm::Norm norm = {buffers_.raw[below], shortcut >= 0 ? nullptr : addend, buffers_.mask[below],
                                          buffers_.NormState(unit), buffers_.NormGradients(unit)};
      const T* const weights = buffers_.network_weights + net_.units[u].weight;
      if (plan_->units[u].backward_apply != nullptr) {
        RETURN_IF_ERROR(plan_->units[u].backward_apply->BackwardAndApply(buffers_.raw[u], weights, taken, norm,
                                                                         dx_is_read ? dx : nullptr, buffers_.raw[below],
                                                                         buffers_.norm_meeting, main_.stream));
        return Upstream<T>{{dx, nullptr, nullptr}, true, true};
      }
      RETURN_IF_ERROR(plan_->units[u].backward_norm->Backward(buffers_.raw[u], weights, taken, norm, dx,
                                                              main_.norm_workspace, main_.stream));
      return Upstream<T>{{dx, nullptr, nullptr}, true, false};
    }
  }
  RETURN_IF_ERROR(BackwardData(u, dx, main_));
  return Upstream<T>{{dx, addend, buffers_.mask[below]}, false, false};
}

template <typename T>
absl::Status Step<T>::BackwardWeight(size_t u, const T* input, Lane& lane) {
  const UnitPlan& plan = plan_->units[u];
  T* const gradient = buffers_.weight_gradients + net_.units[u].weight;
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if (plan.own_weight_gradient != nullptr) {
      return plan.own_weight_gradient->Run(buffers_.raw[u], input, gradient, lane.convolution_workspace, lane.stream);
    }
  }
  return plan.weight_gradient->Run(*lane.context, buffers_.raw[u], input, gradient, lane.convolution_workspace);
}

// From the gradient of the block's output to that of its input, in dx and, if it stays in two parts, dx2.
template <typename T>
absl::StatusOr<Upstream<T>> Step<T>::BackwardBlock(size_t b, const Upstream<T>& upstream, T* dx, T* dx2) {
  const ResidualBlock& block = net_.blocks[b];
  const T* around = dx2;  // what reaches the input on the shortcut
  T* dresidual = nullptr;
  cudaEvent_t shortcut_done = nullptr;
  const bool joined =
      block.shortcut >= 0 && plan_->units[block.conv1].backward_norm != nullptr;  // both convolutions in one launch
  ASSIGN_OR_RETURN(const cudaEvent_t output_done, fork_.Mark(main_.stream));
  if (block.shortcut < 0 && upstream.reduced && plan_->units[block.conv1].backward_norm != nullptr) {
    around = upstream.gradient.dy;  // as it is; read before this block is over, so that the next may write over it
  } else if (block.shortcut < 0) {
    dresidual = dx2;
  }
  RETURN_IF_ERROR(BackwardNorm(block.conv2, upstream, dresidual, main_));
  RETURN_IF_ERROR(Follow(main_, side()));
  RETURN_IF_ERROR(BackwardWeight(block.conv2, buffers_.inner[b], side()));
  ASSIGN_OR_RETURN(const Upstream<T> inner,
                   BackwardDataToNorm(block.conv2, block.conv1, -1, nullptr, buffers_.inner_gradient, false));
  if (block.shortcut >= 0) {
    const size_t s = static_cast<size_t>(block.shortcut);
    RETURN_IF_ERROR(fork_.Wait(branch().stream, output_done));
    RETURN_IF_ERROR(BackwardNorm(s, {upstream.gradient, false, false}, nullptr, branch()));
    if (!plan_->divided) {
      RETURN_IF_ERROR(Follow(branch(), side()));
      RETURN_IF_ERROR(BackwardWeight(s, BlockInput(b), side()));
    }
    if (!joined) {
      RETURN_IF_ERROR(BackwardData(s, dx2, branch()));
    }
    ASSIGN_OR_RETURN(shortcut_done, fork_.Mark(branch().stream));
  }
  RETURN_IF_ERROR(BackwardNorm(block.conv1, inner, nullptr, main_));
  RETURN_IF_ERROR(Follow(main_, side()));
  RETURN_IF_ERROR(BackwardWeight(block.conv1, BlockInput(b), side()));
  if (joined) {
    RETURN_IF_ERROR(fork_.Wait(main_.stream, shortcut_done));
  }
  ASSIGN_OR_RETURN(const Upstream<T> input,
                   BackwardDataToNorm(block.conv1, UnitBelow(b), block.shortcut, around, dx, true));
  if (!joined) {
    RETURN_IF_ERROR(fork_.Wait(main_.stream, shortcut_done));
  }
  if (block.shortcut >= 0 && plan_->divided) {
    // On a stream of its own, last in rank: cuDNN takes as many places as it likes, which the chain wants first.
    RETURN_IF_ERROR(fork_.Wait(shortcut_weights_.stream, shortcut_done));
    RETURN_IF_ERROR(BackwardWeight(static_cast<size_t>(block.shortcut), BlockInput(b), shortcut_weights_));
  }
  return input;
}

template <typename T>
absl::StatusOr<cudaEvent_t> Step<T>::BackwardStem(const Upstream<T>& upstream) {
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    if (options_.own_weight_gradients && upstream.reduced && !upstream.applied) {
      const ConvolutionUnit& stem = net_.units[0];
      ASSIGN_OR_RETURN(const cudaEvent_t norms_done, fork_.Mark(main_.stream));
      RETURN_IF_CUDA_ERROR(
          StemGradient(plan_->units[0].norm.rows, buffers_.raw[0], upstream.gradient.dy, buffers_.NormGradients(stem),
                       buffers_.images, buffers_.weight_gradients + stem.weight, buffers_.stem_workspace, main_.stream),
          "the first convolution's gradient");
      return norms_done;
    }
  }
  RETURN_IF_ERROR(BackwardNorm(0, upstream, nullptr, main_));
  ASSIGN_OR_RETURN(const cudaEvent_t norms_done, fork_.Mark(main_.stream));
  RETURN_IF_ERROR(BackwardWeight(0, buffers_.images, main_));
  return norms_done;
}

template <typename T>
absl::Status Step<T>::Backward() {
  Lane& of_parameters = plan_->divided ? branch_ : main_;
  RETURN_IF_ERROR(Follow(main_, of_parameters));
  RETURN_IF_ERROR(CudaStatus(
      ClassifierParameters<T>(plan_->classifier, OfClassifier(), buffers_.classifier_workspace, of_parameters.stream),
      "the classifier's gradients"));
  ASSIGN_OR_RETURN(const cudaEvent_t classifier_done, fork_.Mark(of_parameters.stream));
  Upstream<T> upstream = {{buffers_.gradient[0], nullptr, buffers_.mask[net_.blocks.back().conv2]}, false, false};
  for (size_t i = 0; i < net_.blocks.size(); ++i) {
    const size_t b = net_.blocks.size() - 1 - i;
    // Two pairs in turn: a block reads one and writes the other.
    T* dx = buffers_.gradient[i % 2 == 0 ? 2 : 0];
    T* dx2 = buffers_.gradient[i % 2 == 0 ? 3 : 1];
    ASSIGN_OR_RETURN(upstream, BackwardBlock(b, upstream, dx, dx2));
    RETURN_IF_ERROR(UpdateWeightsEarly(b));
  }
  ASSIGN_OR_RETURN(const cudaEvent_t weights_read, fork_.Mark(main_.stream));
  ASSIGN_OR_RETURN(const cudaEvent_t norms_done, BackwardStem(upstream));
  RETURN_IF_ERROR(Mark(StepMark::kOwnBackwardDone));
  // SGD of all but the first convolution's weights, beside their gradient.
  RETURN_IF_ERROR(fork_.Wait(side().stream, weights_read));
  if (plan_->divided) {
    RETURN_IF_ERROR(Follow(shortcut_weights_, side()));
  }
  RETURN_IF_ERROR(UpdateWeights(FirstUnitsEnd(), WeightsBegin(kLayer3), side().stream, 0));
  RETURN_IF_ERROR(fork_.Wait(update(), norms_done));
  RETURN_IF_ERROR(fork_.Wait(update(), classifier_done));
  RETURN_IF_ERROR(UpdateNorms(update()));
  RETURN_IF_ERROR(fork_.Follow(update(), main_.stream));
  return Follow(side(), main_);
}

// After block b, of the layer that begins with it: layer 4 and the classifier beside layer 3, layer 3 beside layer 2.
// Where nothing is divided, SGD is as large as the GPU, and one launch for both.
template <typename T>
absl::Status Step<T>::UpdateWeightsEarly(size_t b) {
  const bool by_layer = plan_->divided;
  if (b != kLayer3 && !(by_layer && b == kLayer4)) {
    return absl::OkStatus();
  }
  const size_t end = by_layer && b == kLayer3 ? WeightsBegin(kLayer4) : net_.weight_count;
  if (!by_layer) {
    RETURN_IF_ERROR(Follow(main_, side()));
    return UpdateWeights(WeightsBegin(b), end, side().stream, 0);
  }
  for (const Lane* lane : {&main_, &side_, &branch_, &shortcut_weights_}) {
    RETURN_IF_ERROR(fork_.Follow(lane->stream, update_));
  }
  const ConvolutionUnit& beside = net_.units[net_.blocks[b - 1].conv2];
  return UpdateWeights(WeightsBegin(b), end, update_,
                       DivideMultiprocessors(beside, batch_, HopperMultiprocessors()).update);
}

// SGD over the weights first ... end - 1; most_blocks as SgdStep's.
template <typename T>
absl::Status Step<T>::UpdateWeights(size_t first, size_t end, cudaStream_t stream, uint32_t most_blocks) {
  SgdInput<T> input;
  input.count = end - first;
  input.gradient = buffers_.weight_gradients + first;
  input.learning_rate = &buffers_.state->learning_rate;
  input.momentum = options_.momentum;
  input.weight_decay = options_.weight_decay;
  input.parameter = buffers_.weights + first;
  input.velocity = buffers_.weight_velocity + first;
  AddShare(input);
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    input.bf16_copy = buffers_.network_weights + first;
  }
  return CudaStatus(SgdStep<T>(input, stream, most_blocks), "SGD");
}

template <typename T>
absl::Status Step<T>::UpdateNorms(cudaStream_t stream) {
  SgdInput<float> input;
  input.count = net_.norm_count();
  input.gradient = buffers_.norm_gradients;
  input.learning_rate = &buffers_.state->learning_rate;
  input.momentum = options_.momentum;
  input.weight_decay = options_.weight_decay;
  input.parameter = buffers_.norms;
  input.velocity = buffers_.norm_velocity;
  AddShare(input);
  return CudaStatus(SgdStep<float>(input, stream), "SGD");
}

template <typename T>
absl::Status Step<T>::Mark(StepMark mark) {
  return marks_.steps == 0 ? absl::OkStatus()
                           : CudaStatus(MarkClock(buffers_.state, static_cast<uint32_t>(mark), marks_, main_.stream),
                                        "noting the clock");
}

// What SGD is told of the micro-batch.
template <typename T>
template <typename G>
void Step<T>::AddShare(SgdInput<G>& input) const {
  input.gradient_scale = share_;
  input.first = first_;
  input.last = last_;
}

template <typename T>
absl::Status Step<T>::Enqueue(uint32_t batch) {
  const uint32_t micro_batch = MicroBatch(options_);
  for (uint32_t begin = 0; begin < batch; begin += micro_batch) {
    const uint32_t images = std::min(micro_batch, batch - begin);
    share_ = static_cast<float>(images) / static_cast<float>(batch);
    first_ = begin == 0;
    last_ = begin + images == batch;
    RETURN_IF_ERROR(EnqueueMicroBatch(images));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Step<T>::EnqueueMicroBatch(uint32_t images) {
  const auto plan = plans_.find(images);
  if (plan == plans_.end()) {
    return absl::FailedPreconditionError(absl::StrCat("a step of ", images, " images was not prepared"));
  }
  plan_ = &plan->second;
  batch_ = images;
  fork_.Reset();
  RETURN_IF_ERROR(Mark(StepMark::kBegin));
  RETURN_IF_ERROR(Forward());
  RETURN_IF_ERROR(Mark(StepMark::kForwardDone));
  RETURN_IF_ERROR(Backward());
  RETURN_IF_ERROR(Mark(StepMark::kAllGradientsDone));
  RETURN_IF_ERROR(UpdateWeights(0, FirstUnitsEnd(), main_.stream, 0));
  RETURN_IF_ERROR(Mark(StepMark::kUpdated));
  return CudaStatus(last_ ? AdvanceStep(buffers_.rates, epoch_steps_, images, buffers_.state, main_.stream)
                          : AdvanceMicroBatch(images, buffers_.state, main_.stream),
                    "going to the next step");
}

// In fp32, over the bytes of a 3x3 convolution's two activations: what the largest of the chosen engines takes. Most
// copy them (ConvolutionOptions); the fastest for weight gradients takes more. On an H200, cuDNN 9.19, it was 3.27
// times at batch 32 and 128 (benchmarks/results/2026-11-22-h200-side-by-side), and 1.6 at 512, where the bound is 2.
constexpr double kFp32WorkspaceOverActivations = 3.3;

// Of one lane's convolutions. In fp32 the first layers' are the largest. Otherwise the most is taken by weight
// gradients that are split over the images, with sums in fp32; on an H200 in bf16 it was 1.9, 7.7 and 7.5 MB at batch
// 32, 128 and 512, and the largest gradient has 9.4 MB in fp32.
size_t EstimateWorkspaceBytes(ConvolutionType type, uint32_t batch, bool of_shortcuts) {
  const ResNet18Units net = MakeResNet18Units();
  size_t activations = 0, weights = 0;
  for (const ConvolutionUnit& unit : net.units) {
    if (of_shortcuts && unit.filter != 1) {
      continue;
    }
    const size_t input = size_t{unit.in_size} * unit.in_size * unit.matrix_channels;
    activations = std::max(activations, batch * (input + unit.out_elements()));
    weights = std::max(weights, unit.weight_count());
  }
  if (type != ConvolutionType::kFp32) {
    return weights * sizeof(float);
  }
  const double over_activations = of_shortcuts ? 1 : kFp32WorkspaceOverActivations;
  return std::min(ConvolutionOptions().max_workspace_bytes,
                  static_cast<size_t>(over_activations * static_cast<double>(activations * sizeof(float))));
}

template <typename T>
absl::StatusOr<std::unique_ptr<ResNet18Step>> MakeStep(const ResNet18StepOptions& options,
                                                       const ResidentImages& images) {
  auto step = std::make_unique<Step<T>>(options);
  RETURN_IF_ERROR(step->Init(images));
  return std::unique_ptr<ResNet18Step>(std::move(step));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ResNet18Step>> ResNet18Step::Make(const ResNet18StepOptions& options,
                                                                 const ResidentImages& images) {
  return options.type == ConvolutionType::kBf16 ? MakeStep<__nv_bfloat16>(options, images)
                                                : MakeStep<float>(options, images);
}

size_t ResNet18Step::PredictBytes(const ResNet18StepOptions& options, uint32_t images) {
  const uint32_t batch = MicroBatch(options);
  const size_t buffers = options.type == ConvolutionType::kBf16
                             ? ResNet18Buffers<__nv_bfloat16>(batch).PredictBytes(images)
                             : ResNet18Buffers<float>(batch).PredictBytes(images);
  const size_t main = EstimateWorkspaceBytes(options.type, batch, false);
  const bool own = options.type == ConvolutionType::kBf16 && options.own_weight_gradients;
  const size_t side = own ? std::max(main, WeightGradientMostWorkspaceBytes(kMostMultiprocessors)) : main;
  return buffers + main + side + EstimateWorkspaceBytes(options.type, batch, true);
}

}  // namespace lockstep
