// ExchangedUpdate: the update of a step on several GPUs. Each range of gradients goes through the exchange as soon as
// it is final. The next sink takes the sum: SGD, or the gradient norms that SGD waits for (gradient_norm_update.h).
//
//            range ready  -->  ComputeSentGradients:  -->  exchange  -->  next sink, scale 1 / ranks
//                              share, micro-batches,
//                              rounding
//   streams  main and side     the range's stream          its own        ExchangeWorkspace::update; `tail` at the end
//                                                                         of a step
//
// If the exchange has an AddendExchange and the next sink adds up addends, ranges are not summed in place. If the
// exchange also gathers ranges together (AddendExchange::GathersTogether), those that become final at the end of the
// backward pass go together: all weights below the early ranges as one range, and `batch_norms`.
//
// A step of several micro-batches sends once, with the last one; the gradients of the others are only added up. A
// single GPU whose update waits for gradient norms also uses this sink: it adds up its micro-batches in the same way,
// and sends nothing.
#ifndef LOCKSTEP_LIB_FUSED_EXCHANGED_UPDATE_H_
#define LOCKSTEP_LIB_FUSED_EXCHANGED_UPDATE_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/addend_exchange.h"
#include "lib/fused/device_arena.h"
#include "lib/fused/gradient_sink.h"
#include "lib/fused/micro_batch.h"
#include "lib/fused/resnet_step_options.h"
#include "lib/fused/resnet_units.h"
#include "lib/fused/step_gradients.h"

namespace lockstep {

// Device memory and streams that an exchange needs in addition to the step's own. T: float or __nv_bfloat16, the
// gradients' type.
template <typename T>
class ExchangeWorkspace {
 public:
  ExchangeWorkspace() = default;
  ~ExchangeWorkspace();
  ExchangeWorkspace(const ExchangeWorkspace&) = delete;
  ExchangeWorkspace& operator=(const ExchangeWorkspace&) = delete;

  // Returns the bytes that Init would allocate; 0 if there are neither an exchange nor gradient norms.
  static size_t PredictBytes(const ResNetStepOptions& options, const ResNetUnits& net);

  // Allocates the memory and, with an exchange, creates the streams. Does nothing if there are neither an exchange nor
  // gradient norms. Returns ResourceExhaustedError if the memory does not fit.
  absl::Status Init(const ResNetStepOptions& options, const ResNetUnits& net);
  size_t bytes() const { return arena_.bytes(); }

  // Stream of SGD: after the exchange, concurrent with the backward pass. Null without an exchange.
  cudaStream_t update = nullptr;
  // Stream that only records a timestamp after each sum. Null without an exchange.
  cudaStream_t timestamps = nullptr;
  // Arrays in fp32 or bf16 of net.weight_count elements, null if not needed.
  float* weight_sum = nullptr;  // sum over the micro-batches; also the send buffer if bf16 gradients are sent as fp32
  __nv_bfloat16* weight_send_buffer = nullptr;  // send buffer if fp32 gradients are sent as bf16
  float* batch_norm_sum = nullptr;              // fp32 (net.batch_norm_count()): sum over the micro-batches

 private:
  void TakeAll(const ResNetStepOptions& options, const ResNetUnits& net);

  DeviceArena arena_;
};

// Sink of one micro-batch. Passes the gradients of whole steps on to `then`.
template <typename T>
class ExchangedUpdate final : public GradientSink {
 public:
  ExchangedUpdate(const MicroBatch<T>& batch, const ExchangeWorkspace<T>& workspace, StepSink& then)
      : batch_(batch), workspace_(workspace), then_(then) {}

  absl::Status Ready(const ReadyGradients& ready) override;

 private:
  absl::Status ReadyWeights(const ReadyGradients& ready);
  absl::Status ReadyBatchNorms(const ReadyGradients& ready);
  template <typename W>
  absl::StatusOr<RangeSum> SumOrGather(const ReadyGradients& ready, W* send_buffer);
  AddendExchange* addend_exchange() const;
  bool GoesWithTheLast(const ReadyGradients& ready) const;
  template <typename W>
  absl::Status HandOnTogether(W* first_weight);
  absl::Status HandOn(StepGradients step);
  template <typename G, typename W>
  absl::Status SumAndHandOn(const ReadyGradients& ready, const G* gradient, float* sum, W* send_buffer);

  const MicroBatch<T>& batch_;
  const ExchangeWorkspace<T>& workspace_;
  StepSink& then_;
  uint32_t range_ = 0;  // index of the next exchanged range
  // Ranges that wait for the stem's weights: the weights after the stem, and `batch_norms`.
  GradientRange rest_, batch_norms_;
  uint32_t batch_norms_range_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_EXCHANGED_UPDATE_H_
