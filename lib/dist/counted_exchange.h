// What the exchanges of this package have in common: what a step hands over is counted, and sums are checked beforehand.
#ifndef LOCKSTEP_LIB_DIST_COUNTED_EXCHANGE_H_
#define LOCKSTEP_LIB_DIST_COUNTED_EXCHANGE_H_

#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "lib/dist/communicator_exchange.h"
#include "lib/fused/gradient_exchange.h"

namespace lockstep {

class CountedExchange : public GradientExchange {
 public:
  // What each step sends, as all send the same; nothing before the first.
  ExchangeCount CountOfStep() const;

  // By all ranks: numbers that differ on each are summed in many sizes, in fp32 and bf16, and compared with what the sum
  // must be, bit for bit. Nothing of it is counted. Aborted: a sum was wrong.
  absl::Status CheckSums(int rank, c10::Device device);

 protected:
  void CountRange(const RangeToSum& range, bool sent);
  void CountStep() { ++steps_; }

 private:
  absl::Status CheckSum(int rank, c10::Device device, Wire type, int64_t count);

  ExchangeCount count_;  // of the steps that were queued, captured ones too; range_bytes of the first of them
  uint64_t steps_ = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_COUNTED_EXCHANGE_H_
