// Base class of the exchanges of this package: counts what a step sends, and checks sums before training.
#ifndef LOCKSTEP_LIB_REDUCER_COUNTED_EXCHANGE_H_
#define LOCKSTEP_LIB_REDUCER_COUNTED_EXCHANGE_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "lib/fused/gradient_exchange.h"
#include "lib/reducer/communicator_exchange.h"
#include "lib/reducer/exchange_counter.h"

namespace lockstep {

class CountedExchange : public GradientExchange, public ExchangeCounter {
 public:
  ExchangeCount CountOfStep() const override;

  // Sums numbers that differ between the ranks, in many sizes, in fp32 and bf16, and compares the results with the
  // expected sums bit for bit. All ranks must call it. These sums are not counted. Aborted: a sum was wrong.
  absl::Status CheckSums(int rank, c10::Device device);

 protected:
  void CountSent(const RangeToSum& range);
  void CountUnsent(const RangeToSum& range);
  void CountStep() { ++steps_; }

 private:
  absl::Status CheckSum(int rank, c10::Device device, CommunicationDtype type, int64_t count);

  ExchangeCount count_;  // total of the queued steps, captured ones included; range_bytes is of the first step
  uint64_t steps_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_COUNTED_EXCHANGE_H_
