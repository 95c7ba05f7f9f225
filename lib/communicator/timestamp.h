// A timestamp on the device that does the work: the steady clock for a CPU, an event in a stream for a GPU.
#ifndef LOCKSTEP_LIB_COMMUNICATOR_TIMESTAMP_H_
#define LOCKSTEP_LIB_COMMUNICATOR_TIMESTAMP_H_

#include <c10/core/Stream.h>

#include <chrono>
#include <memory>

namespace c10 {
struct Event;
}

namespace lockstep {

// A value type; copies denote the same time. Two timestamps can be compared only if they are of the same kind of
// device.
class Timestamp {
 public:
  Timestamp() = default;  // empty

  // Returns the current time of the steady clock (resolution 1 ns).
  static Timestamp Now();

  // Returns the time at which the work queued on `stream` so far is done: an event, recorded without waiting
  // (resolution about 0.5 us, CUDA runtime API, cudaEventElapsedTime). Events come from a pool and return to it when
  // the last copy is destroyed.
  static Timestamp OnStream(const c10::Stream& stream);

  // Returns Now() for a CPU, and OnStream of the current stream for any other device.
  static Timestamp Here(c10::Device device);

  bool has_value() const { return event_ != nullptr || time_ != std::chrono::steady_clock::time_point(); }

  // Makes `stream` wait for this time. Does nothing for a time of the steady clock.
  void Block(const c10::Stream& stream) const;

  // Returns true if the time has passed. Does not wait.
  bool Passed() const;

  // Returns the seconds from `earlier` to this time; negative if `earlier` is later. Waits until both times have
  // passed.
  double SecondsSince(const Timestamp& earlier) const;

 private:
  std::chrono::steady_clock::time_point time_;
  std::shared_ptr<c10::Event> event_;
};

// Returns this thread's current stream for `device`.
c10::Stream CurrentStream(c10::Device device);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COMMUNICATOR_TIMESTAMP_H_
