#include "lib/communicator/timestamp.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

// Pool of events. Making an event takes microseconds, as long as a small kernel, and an epoch needs tens of thousands
// of events.
class EventPool {
 public:
  std::shared_ptr<c10::Event> Take(c10::Device device) {
    std::unique_ptr<c10::Event> event;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::vector<std::unique_ptr<c10::Event>>& free = free_[device.index()];
      if (!free.empty()) {
        event = std::move(free.back());
        free.pop_back();
      }
    }
    if (event == nullptr) {
      // BACKEND_DEFAULT records times, unlike LibTorch's own default.
      event = std::make_unique<c10::Event>(device.type(), c10::EventFlag::BACKEND_DEFAULT);
    }
    return std::shared_ptr<c10::Event>(event.release(), [this, device](c10::Event* used) {
      const std::lock_guard<std::mutex> lock(mutex_);
      free_[device.index()].emplace_back(used);
    });
  }

 private:
  std::mutex mutex_;
  std::map<c10::DeviceIndex, std::vector<std::unique_ptr<c10::Event>>> free_;
};

// Returns the pool, which is never destroyed: at exit the driver may end before static objects are destroyed.
EventPool& Pool() {
  static auto* pool = new EventPool();
  return *pool;
}

}  // namespace

Timestamp Timestamp::Now() {
  Timestamp timestamp;
  timestamp.time_ = std::chrono::steady_clock::now();
  return timestamp;
}

Timestamp Timestamp::OnStream(const c10::Stream& stream) {
  Timestamp timestamp;
  timestamp.event_ = Pool().Take(stream.device());
  timestamp.event_->record(stream);
  return timestamp;
}

Timestamp Timestamp::Here(c10::Device device) { return device.is_cpu() ? Now() : OnStream(CurrentStream(device)); }

void Timestamp::Block(const c10::Stream& stream) const {
  if (event_ != nullptr) {
    event_->block(stream);
  }
}

bool Timestamp::Passed() const { return event_ == nullptr || event_->query(); }

double Timestamp::SecondsSince(const Timestamp& earlier) const {
  if (event_ == nullptr || earlier.event_ == nullptr) {
    return std::chrono::duration<double>(time_ - earlier.time_).count();
  }
  event_->synchronize();
  earlier.event_->synchronize();
  return earlier.event_->elapsedTime(*event_) / 1e3;  // cudaEventElapsedTime returns milliseconds
}

c10::Stream CurrentStream(c10::Device device) { return c10::impl::VirtualGuardImpl(device.type()).getStream(device); }

}  // namespace lockstep
