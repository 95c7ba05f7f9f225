// ExchangeCounter: the role of an exchange in measurements. Known to builds without CUDA, unlike its other roles
// (lib/fused/gradient_exchange.h).
#ifndef LOCKSTEP_LIB_REDUCER_EXCHANGE_COUNTER_H_
#define LOCKSTEP_LIB_REDUCER_EXCHANGE_COUNTER_H_

#include <cstdint>
#include <vector>

namespace lockstep {

// Amount that one step sends.
struct ExchangeCount {
  uint64_t calls = 0;
  uint64_t bytes = 0;
  std::vector<uint64_t> range_bytes;  // bytes of each range in order, whether or not it is sent
};

class ExchangeCounter {
 public:
  virtual ~ExchangeCounter() = default;

  // Returns the amount that each step sends, which is the same for all steps; zero before the first step.
  virtual ExchangeCount CountOfStep() const = 0;
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_REDUCER_EXCHANGE_COUNTER_H_
