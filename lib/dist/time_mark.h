// A point in time on the device that does the work: the steady clock for a CPU, an event in a stream for a GPU.
#ifndef LOCKSTEP_LIB_DIST_TIME_MARK_H_
#define LOCKSTEP_LIB_DIST_TIME_MARK_H_

#include <c10/core/Stream.h>

#include <chrono>
#include <memory>

namespace c10 {
struct Event;
}

namespace lockstep {

// A value; copies mean the same point. Two marks can be compared only when they are of the same kind of device.
class TimeMark {
 public:
  TimeMark() = default;  // no point yet

  // Now, of this thread: the steady clock (resolution 1 ns).
  static TimeMark Now();

  // When the work that is in the stream so far is done: an event, recorded without waiting (resolution about 0.5 us, CUDA
  // runtime API, cudaEventElapsedTime). Events are taken from a pool and go back when the last copy is gone.
  static TimeMark OnStream(const c10::Stream& stream);

  // Now() for a CPU, OnStream of the current stream for any other device.
  static TimeMark Here(c10::Device device);

  bool has_value() const { return event_ != nullptr || time_ != std::chrono::steady_clock::time_point(); }

  // Makes `stream` wait for this point before it goes on. Nothing for a point of the steady clock.
  void Block(const c10::Stream& stream) const;

  // Whether the point has passed, without waiting for it.
  bool Passed() const;

  // Seconds from `earlier` to this point; negative when it was later. Waits until both have passed.
  double SecondsSince(const TimeMark& earlier) const;

 private:
  std::chrono::steady_clock::time_point time_;
  std::shared_ptr<c10::Event> event_;
};

// The stream that work on `device` goes to by default, in this thread.
c10::Stream CurrentStream(c10::Device device);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_DIST_TIME_MARK_H_
