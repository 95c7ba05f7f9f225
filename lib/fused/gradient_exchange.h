// GradientExchange: sums over all ranks, range by range, as the fused step needs them. Implemented in lib/reducer.
//
// An exchange through peer memory has two more roles, each an interface of its own: AddendExchange (addend_exchange.h)
// leaves the addition to the caller, and SharedUpdate (shared_update.h) lets each rank update a share of the weights.
#ifndef LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
#define LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "lib/collectives/communication_dtype.h"

namespace lockstep {

class AddendExchange;
class SharedUpdate;

struct RangeToSum {
  void* data = nullptr;                                 // device pointer
  size_t count = 0;                                     // elements
  CommunicationDtype type = CommunicationDtype::kFp32;  // type of the elements
  cudaStream_t ready = nullptr;                         // stream whose work queued so far computes the range
  cudaStream_t then = nullptr;                          // stream whose work queued after the call finds the sum
  uint32_t max_multiprocessors = 0;  // SMs that a launch may take while the rest of the step runs; 0: all
  bool sharable = false;             // true: each rank may get only its share of the sum; the range must be the same in
                                     // every step
};

// Role that every exchange has. Every rank must make the same calls in the same order.
class GradientExchange {
 public:
  virtual ~GradientExchange() = default;

  virtual uint32_t ranks() const = 0;

  // Returns the communication dtype of the convolutions' and the classifier's gradients. Those of batch norm are always
  // sent in fp32.
  virtual CommunicationDtype communication_dtype() const = 0;

  // Returns the largest number of SMs that the exchange takes from concurrent kernels; 0: none.
  virtual uint32_t max_multiprocessors() const = 0;

  // Queues the sum of a range over the ranks, in place. Does not wait for the GPU and may be captured. Returns
  // UnavailableError if a rank is lost.
  virtual absl::Status Sum(const RangeToSum& range) = 0;

  // Makes `stream` wait for the step's sums, all of which must be queued, and for the weights that other ranks write.
  // May queue work on `stream`.
  virtual absl::Status EndStep(cudaStream_t stream) = 0;

  // Returns UnavailableError if a rank is known to be lost; sums since then are invalid. Does not wait.
  virtual absl::Status Health() const { return absl::OkStatus(); }

  // Return the optional roles, which live as long as the exchange; null: the exchange does not have the role.
  virtual AddendExchange* addend_exchange() { return nullptr; }
  virtual SharedUpdate* shared_update() { return nullptr; }
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_FUSED_GRADIENT_EXCHANGE_H_
