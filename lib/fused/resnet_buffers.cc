#include "lib/fused/resnet_buffers.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/cuda_status.h"
#include "lib/dataset/augment.h"
#include "lib/dataset/dataset.h"
#include "lib/fused/fold_batch_norms.h"
#include "lib/kernels/classifier.h"
#include "lib/kernels/convolution_batch_norm.h"
#include "lib/kernels/stem_gradient.h"

namespace lockstep {
namespace {

static_assert(kStemChannels == kPatchElements, "what AugmentBatch writes is what the first convolution reads");
static_assert(kFusedImageSizeStep == kAugmentSizeStep && kMaxFusedImageSize == kMaxAugmentSize, "sizes of images");
static_assert(kMaxFusedClasses == kMaxClassifierClasses, "numbers of classes");

// Returns the bytes of an image of the data set.
size_t ImageBytes(const ResNetUnits& net) { return size_t{kImageChannels} * net.image_size * net.image_size; }

// Copies and waits for the copy, so that the host's memory may be freed at once.
template <typename U>
absl::Status CopyIn(const U* host, size_t count, U* device, cudaStream_t stream) {
  RETURN_IF_ERROR(CudaStatus(cudaMemcpyAsync(device, host, count * sizeof(U), cudaMemcpyHostToDevice, stream),
                             "copying to the GPU"));
  return CudaStatus(cudaStreamSynchronize(stream), "copying to the GPU");
}

template <typename U>
absl::StatusOr<std::vector<U>> CopyOut(const U* device, size_t count, cudaStream_t stream) {
  std::vector<U> host(count);
  RETURN_IF_ERROR(CudaStatus(cudaMemcpyAsync(host.data(), device, count * sizeof(U), cudaMemcpyDeviceToHost, stream),
                             "copying from the GPU"));
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "copying from the GPU"));
  return host;
}

absl::Status CheckLength(const char* what, size_t found, size_t expected) {
  return found == expected
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat("expected ", expected, " ", what, ", found ", found));
}

}  // namespace

template <typename T>
ResNetBuffers<T>::ResNetBuffers(ResNetUnits net, uint32_t max_batch, uint32_t input_batches)
    : net(std::move(net)), input(input_batches), max_batch_(max_batch) {
  raw.resize(this->net.units.size());
  mask.resize(this->net.units.size());
  inner.resize(this->net.blocks.size());
  block_output.resize(this->net.blocks.size());
}

template <typename T>
void ResNetBuffers<T>::TakeParameters() {
  arena_.Take(net.weight_count, weights);
  arena_.Take(net.weight_count, weight_velocity);
  arena_.Take(net.weight_count, weight_gradients);
  if (std::is_same_v<T, __nv_bfloat16> && network_weights == nullptr) {
    arena_.Take(net.weight_count, network_weights);
  }
  arena_.Take(net.batch_norm_count(), batch_norms);
  arena_.Take(net.batch_norm_count(), batch_norm_velocity);
  arena_.Take(net.batch_norm_count(), batch_norm_gradients);
  arena_.Take(2 * net.channel_count, running);
  arena_.Take(4 * net.channel_count, batch_norm_state_);
  arena_.Take(3 * net.channel_count, batch_norm_backward_);
  arena_.Take(2 * (net.channel_count + net.features), folded_);
  arena_.Take(2 * net.channel_count, spare_running_);
}

template <typename T>
void ResNetBuffers<T>::TakeActivations() {
  const size_t n = max_batch_;
  for (InputBatch<T>& batch : input) {
    arena_.Take(n * ImageElements(ImageLayout::kPatches, {net.image_size, net.image_size}), batch.images);
    arena_.Take(n, batch.labels);
  }
  const auto take_masked = [&](size_t u, T*& output) {
    arena_.Take(n * net.units[u].out_elements() / 8, mask[u]);
    arena_.Take(n * net.units[u].out_elements(), output);
  };
  size_t largest = net.units[0].out_elements();
  for (size_t u = 0; u < net.units.size(); ++u) {
    arena_.Take(n * net.units[u].out_elements(), raw[u]);
    largest = std::max(largest, net.units[u].out_elements());
  }
  take_masked(0, stem_output);
  for (size_t b = 0; b < net.blocks.size(); ++b) {
    take_masked(net.blocks[b].conv1, inner[b]);
    take_masked(net.blocks[b].conv2, block_output[b]);
  }
  for (T*& g : gradient) {
    arena_.Take(n * largest, g);
  }
  arena_.Take(n * largest, inner_gradient);
}

template <typename T>
void ResNetBuffers<T>::TakeWorkspaces(uint32_t multiprocessors) {
  size_t batch_norm_bytes = ConvolutionBatchNormWorkspaceBytes(multiprocessors);
  for (const ConvolutionUnit& unit : net.units) {
    const BatchNormShape shape = {max_batch_ * unit.out_size() * unit.out_size(), unit.out_channels};
    batch_norm_bytes = std::max(batch_norm_bytes, BatchNormWorkspaceBytes(PlanBatchNorm(shape, multiprocessors)));
  }
  for (char*& workspace : batch_norm_workspace) {
    arena_.Take(batch_norm_bytes, workspace);
  }
  arena_.Take(ConvolutionBatchNormLamportBytes(), lamport_buffer);
  arena_.Take(StemGradientWorkspaceBytes(), stem_workspace);
  arena_.Take(ClassifierWorkspaceBytes({max_batch_, net.positions, net.features, net.classes}), classifier_workspace);
  arena_.Take(kEvaluationViews, loss_sum);
  arena_.Take(kEvaluationViews, correct);
}

template <typename T>
void ResNetBuffers<T>::TakeAll(uint32_t image_count, uint32_t multiprocessors) {
  image_count_ = image_count;
  arena_.Take(image_count * ImageBytes(net), pixels);
  arena_.Take(image_count, labels);
  arena_.Take(image_count, order);
  arena_.Take(1, epoch);
  arena_.Take(3 * 256, table);
  arena_.Take(image_count, rates);
  arena_.Take(1, state);
  TakeParameters();
  TakeActivations();
  TakeWorkspaces(multiprocessors);
}

template <typename T>
size_t ResNetBuffers<T>::PredictBytes(uint32_t images) {
  TakeAll(images, kMaxMultiprocessors);
  return arena_.bytes();
}

template <typename T>
absl::Status ResNetBuffers<T>::Allocate(const ResidentImages& images, uint32_t multiprocessors, T* shared_weights) {
  network_weights = shared_weights;
  TakeAll(images.count, multiprocessors);
  RETURN_IF_ERROR(arena_.Allocate());
  if (!std::is_same_v<T, __nv_bfloat16>) {
    network_weights = reinterpret_cast<T*>(weights);
  }
  RETURN_IF_ERROR(CopyIn(images.pixels, images.count * ImageBytes(net), pixels, nullptr));
  RETURN_IF_ERROR(CopyIn(images.labels, images.count, labels, nullptr));
  const NormalizationTable normalization = MakeNormalizationTable(images.mean, images.std);
  return CopyIn(normalization[0].data(), 3 * 256, table, nullptr);
}

template <typename T>
absl::Status ResNetBuffers<T>::Upload(const ResNetValues& values, cudaStream_t stream) {
  RETURN_IF_ERROR(CheckLength("weights", values.weights.size(), net.weight_count));
  RETURN_IF_ERROR(CheckLength("batch norm parameters", values.batch_norms.size(), net.batch_norm_count()));
  RETURN_IF_ERROR(CheckLength("running statistics", values.running.size(), 2 * net.channel_count));
  RETURN_IF_ERROR(CopyIn(values.weights.data(), net.weight_count, weights, stream));
  RETURN_IF_ERROR(CopyIn(values.batch_norms.data(), net.batch_norm_count(), batch_norms, stream));
  RETURN_IF_ERROR(CopyIn(values.running.data(), 2 * net.channel_count, running, stream));
  RETURN_IF_ERROR(
      CudaStatus(cudaMemsetAsync(weight_velocity, 0, net.weight_count * sizeof(float), stream), "clearing"));
  RETURN_IF_ERROR(
      CudaStatus(cudaMemsetAsync(batch_norm_velocity, 0, net.batch_norm_count() * sizeof(float), stream), "clearing"));
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    const std::vector<T> copy(values.weights.begin(), values.weights.end());  // rounded to nearest even
    return CopyIn(copy.data(), copy.size(), network_weights, stream);
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<ResNetValues> ResNetBuffers<T>::DownloadValues(cudaStream_t stream) {
  ResNetValues values;
  ASSIGN_OR_RETURN(values.weights, CopyOut(weights, net.weight_count, stream));
  ASSIGN_OR_RETURN(values.batch_norms, CopyOut(batch_norms, net.batch_norm_count(), stream));
  ASSIGN_OR_RETURN(values.running, CopyOut(running, 2 * net.channel_count, stream));
  return values;
}

template <typename T>
absl::Status ResNetBuffers<T>::UploadMomentum(const ResNetValues& momentum, cudaStream_t stream) {
  RETURN_IF_ERROR(CheckLength("weights' momentum", momentum.weights.size(), net.weight_count));
  RETURN_IF_ERROR(CheckLength("batch norm parameters' momentum", momentum.batch_norms.size(), net.batch_norm_count()));
  RETURN_IF_ERROR(CopyIn(momentum.weights.data(), net.weight_count, weight_velocity, stream));
  return CopyIn(momentum.batch_norms.data(), net.batch_norm_count(), batch_norm_velocity, stream);
}

template <typename T>
absl::StatusOr<ResNetValues> ResNetBuffers<T>::DownloadMomentum(cudaStream_t stream) {
  ResNetValues values;
  ASSIGN_OR_RETURN(values.weights, CopyOut(weight_velocity, net.weight_count, stream));
  ASSIGN_OR_RETURN(values.batch_norms, CopyOut(batch_norm_velocity, net.batch_norm_count(), stream));
  return values;
}

template <typename T>
absl::StatusOr<ResNetValues> ResNetBuffers<T>::DownloadGradients(cudaStream_t stream) {
  ResNetValues values;
  ASSIGN_OR_RETURN(const std::vector<T> of_weights, CopyOut(weight_gradients, net.weight_count, stream));
  values.weights.assign(of_weights.begin(), of_weights.end());
  ASSIGN_OR_RETURN(values.batch_norms, CopyOut(batch_norm_gradients, net.batch_norm_count(), stream));
  return values;
}

template <typename T>
absl::Status ResNetBuffers<T>::BeginEpoch(const std::vector<uint32_t>& images_in_order, uint32_t number,
                                          const std::vector<float>& step_rates, cudaStream_t stream) {
  if (images_in_order.size() > image_count_ || step_rates.size() > image_count_ || step_rates.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("expected up to ", image_count_,
                                                   " images in up to as many steps, found ", images_in_order.size(),
                                                   " in ", step_rates.size()));
  }
  for (const uint32_t image : images_in_order) {
    if (image >= image_count_) {
      return absl::InvalidArgumentError(absl::StrCat("expected images below ", image_count_, ", found ", image));
    }
  }
  const StepState begin = {0, 0, 0, step_rates[0]};
  RETURN_IF_ERROR(CopyIn(images_in_order.data(), images_in_order.size(), order, stream));
  RETURN_IF_ERROR(CopyIn(step_rates.data(), step_rates.size(), rates, stream));
  RETURN_IF_ERROR(CopyIn(&number, 1, epoch, stream));
  RETURN_IF_ERROR(CopyIn(&begin, 1, state, stream));
  RETURN_IF_ERROR(CudaStatus(cudaMemsetAsync(loss_sum, 0, sizeof(*loss_sum), stream), "clearing"));
  return CudaStatus(cudaMemsetAsync(correct, 0, sizeof(*correct), stream), "clearing");
}

template <typename T>
absl::Status ResNetBuffers<T>::BeginEvaluation(std::vector<float> statistics, cudaStream_t stream) {
  if (statistics.empty()) {
    ASSIGN_OR_RETURN(statistics, CopyOut(running, 2 * net.channel_count, stream));
  }
  RETURN_IF_ERROR(CheckLength("running statistics", statistics.size(), 2 * net.channel_count));
  ASSIGN_OR_RETURN(const std::vector<float> parameters, CopyOut(batch_norms, net.batch_norm_count(), stream));
  std::vector<float> folded = FoldBatchNorms(net, parameters, statistics, BatchNormParameters().epsilon);
  folded.insert(folded.end(), net.features, 0.5f);
  folded.insert(folded.end(), net.features, 0.0f);
  const StepState begin;
  const double no_loss[kEvaluationViews] = {};
  const uint32_t none_correct[kEvaluationViews] = {};
  RETURN_IF_ERROR(CopyIn(folded.data(), folded.size(), folded_, stream));
  RETURN_IF_ERROR(CopyIn(&begin, 1, state, stream));
  RETURN_IF_ERROR(CopyIn(no_loss, kEvaluationViews, loss_sum, stream));
  return CopyIn(none_correct, kEvaluationViews, correct, stream);
}

template <typename T>
absl::StatusOr<EvaluationCounts> ResNetBuffers<T>::DownloadEvaluationCounts(cudaStream_t stream) {
  ASSIGN_OR_RETURN(const std::vector<double> losses, CopyOut(loss_sum, kEvaluationViews, stream));
  ASSIGN_OR_RETURN(const std::vector<uint32_t> counts, CopyOut(correct, kEvaluationViews, stream));
  return EvaluationCounts{{losses[0], counts[0]}, {losses[1], counts[1]}};
}

template <typename T>
AugmentBatchInput ResNetBuffers<T>::BatchInput() const {
  AugmentBatchInput input;
  input.pixels = pixels;
  input.labels = labels;
  input.order = order;
  input.first = &state->first;
  input.epoch = epoch;
  input.table = table;
  input.extent = {net.image_size, net.image_size};
  return input;
}

template <typename T>
BatchNormParameters ResNetBuffers<T>::BatchNormParametersOf(const ConvolutionUnit& unit) const {
  BatchNormParameters parameters;
  parameters.gamma = batch_norms + unit.channel;
  parameters.beta = batch_norms + net.channel_count + unit.channel;
  parameters.running_mean = running + unit.channel;
  parameters.running_var = running + net.channel_count + unit.channel;
  return parameters;
}

template <typename T>
BatchNormParameters ResNetBuffers<T>::SpareParametersOf(const ConvolutionUnit& unit) const {
  BatchNormParameters parameters = BatchNormParametersOf(unit);
  parameters.running_mean = spare_running_ + unit.channel;
  parameters.running_var = spare_running_ + net.channel_count + unit.channel;
  return parameters;
}

template <typename T>
FoldedBatchNorm ResNetBuffers<T>::FoldedBatchNormOf(const ConvolutionUnit& unit) const {
  return {folded_ + unit.channel, folded_ + net.channel_count + unit.channel};
}

template <typename T>
FoldedBatchNorm ResNetBuffers<T>::Halving() const {
  const float* const halves = folded_ + 2 * net.channel_count;
  return {halves, halves + net.features};
}

template <typename T>
BatchNormState ResNetBuffers<T>::BatchNormStateOf(const ConvolutionUnit& unit) const {
  float* const first = batch_norm_state_ + unit.channel;
  const size_t channels = net.channel_count;
  return {first, first + channels, first + 2 * channels, first + 3 * channels};
}

template <typename T>
BatchNormGradients ResNetBuffers<T>::BatchNormGradientsOf(const ConvolutionUnit& unit) const {
  float* const of_gamma = batch_norm_gradients + unit.channel;
  float* const first = batch_norm_backward_ + unit.channel;
  const size_t channels = net.channel_count;
  return {of_gamma, of_gamma + channels, first, first + channels, first + 2 * channels};
}

template <typename T>
ClassifierOutput<T> ResNetBuffers<T>::ClassifierGradients() const {
  ClassifierOutput<T> output;
  output.dx = gradient[0];
  output.dweight = weight_gradients + net.linear_weight;
  output.dbias = batch_norm_gradients + net.bias();
  output.counts = {loss_sum, correct};
  return output;
}

template <typename T>
ClassifierCounts ResNetBuffers<T>::EvaluationCountsOf(EvaluationView view) const {
  const auto index = static_cast<size_t>(view);
  return {loss_sum + index, correct + index};
}

template class ResNetBuffers<float>;
template class ResNetBuffers<__nv_bfloat16>;

}  // namespace lockstep
