// The update of a step that several GPUs make together: each range of the gradients goes through the exchange as soon as
// it is final, and the next sink, which is SGD or what SGD waits for (normed_update.h), takes the sum from there.
//
//   backward  --range ready-->  wire (share, micro-batches, rounding)  -->  exchange  -->  next sink, scale 1 / ranks
//   main and side streams       the stream that was named                   its own        the update stream below,
//                                                                                          at the end of a step `tail`
//
// Where the exchange takes several ranges at once, those that are final at the end of backward go together: all weights
// below the early ranges as one, and the norms.
//
// A step of several micro-batches sends once: before the last one, their gradients are only added up. One GPU by itself
// goes this way, too, where its update waits for norms: its micro-batches are added up alike, and nothing is sent.
#ifndef LOCKSTEP_LIB_FUSED_EXCHANGED_UPDATE_H_
#define LOCKSTEP_LIB_FUSED_EXCHANGED_UPDATE_H_

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fused/device_arena.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/fused/gradient_sink.h"
#include "lib/fused/micro_batch.h"
#include "lib/fused/resnet18_step_options.h"
#include "lib/fused/resnet18_units.h"
#include "lib/fused/step_gradients.h"

namespace lockstep {

// What an exchange needs beside the step's own memory and streams. T: float or __nv_bfloat16, the gradients' type.
template <typename T>
class ExchangeRoom {
 public:
  ExchangeRoom() = default;
  ~ExchangeRoom();
  ExchangeRoom(const ExchangeRoom&) = delete;
  ExchangeRoom& operator=(const ExchangeRoom&) = delete;

  // Bytes that Init would take; 0 with neither an exchange nor norms.
  static size_t PredictBytes(const ResNet18StepOptions& options, const ResNet18Units& net);

  // Nothing with neither an exchange nor norms. ResourceExhausted: it does not fit.
  absl::Status Init(const ResNet18StepOptions& options, const ResNet18Units& net);
  size_t bytes() const { return arena_.bytes(); }

  // Where SGD runs: behind the exchange, beside the backward pass. Null without an exchange.
  cudaStream_t update = nullptr;
  // Where the clock is noted behind each sum, and nothing else is done. Null without an exchange.
  cudaStream_t marks = nullptr;
  // Each fp32 or bf16 (net.weight_count), null where it is not needed.
  float* weight_sum = nullptr;           // over the micro-batches; on an fp32 wire from bf16 gradients, the wire too
  __nv_bfloat16* weight_wire = nullptr;  // of a bf16 wire from fp32 gradients
  float* norm_sum = nullptr;             // fp32 (net.norm_count()): over the micro-batches

 private:
  void TakeAll(const ResNet18StepOptions& options, const ResNet18Units& net);

  DeviceArena arena_;
};

// The sink of one micro-batch, which hands whole steps on to `then`.
template <typename T>
class ExchangedUpdate final : public GradientSink {
 public:
  ExchangedUpdate(const MicroBatch<T>& batch, const ExchangeRoom<T>& room, StepSink& then)
      : batch_(batch), room_(room), then_(then) {}

  absl::Status Ready(const ReadyGradients& ready) override;

 private:
  absl::Status ReadyWeights(const ReadyGradients& ready);
  absl::Status ReadyNorms(const ReadyGradients& ready);
  template <typename W>
  absl::StatusOr<RangeSum> SumOverRanks(const ReadyGradients& ready, W* wire);
  bool GoesWithTheLast(const ReadyGradients& ready) const;
  template <typename W>
  absl::Status HandOnTogether(W* first_weight);
  absl::Status HandOn(StepGradients step);
  template <typename G, typename W>
  absl::Status SumAndHandOn(const ReadyGradients& ready, const G* gradient, float* sum, W* wire);

  const MicroBatch<T>& batch_;
  const ExchangeRoom<T>& room_;
  StepSink& then_;
  uint32_t range_ = 0;  // of those that are exchanged
  // What waits for the stem's: the range of weights behind it, and the norms.
  GradientRange rest_, norms_;
  uint32_t norms_range_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_EXCHANGED_UPDATE_H_
