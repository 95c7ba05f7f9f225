// Streams of all ranks in a simulation of a protocol: operations run in any order that their waits allow.
#ifndef LOCKSTEP_LIB_PEER_SIMULATED_STREAMS_TESTING_H_
#define LOCKSTEP_LIB_PEER_SIMULATED_STREAMS_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::testing {

class SimulatedStreams {
 public:
  // Makes `streams` empty streams for each of `ranks` ranks.
  SimulatedStreams(uint32_t ranks, int streams) : ranks_(ranks, std::vector<Stream>(static_cast<size_t>(streams))) {}

  // Queues an operation that may run when the earlier ones of its stream are done and `may_run` returns true.
  void Queue(uint32_t rank, int stream, std::function<bool()> may_run, std::function<void()> run) {
    Stream& queue = Of(rank, stream);
    queue.operations.push_back({std::move(may_run), std::move(run)});
    ++queue.queued;
  }

  // Makes `stream` wait until all operations queued so far on `other` are done.
  void Follow(uint32_t rank, int stream, int other) {
    const uint32_t until = Of(rank, other).queued;
    Queue(
        rank, stream, [this, rank, other, until] { return Of(rank, other).done >= until; }, [] {});
  }

  // Reports a failure of the running operation, which ends Run.
  void Fail(std::string failure) { failure_ = std::move(failure); }
  bool failed() const { return !failure_.empty(); }

  // Runs all operations in random order. Returns the first failure, or an empty text.
  std::string Run(std::mt19937& random) {
    for (;;) {
      std::vector<Stream*> able;
      bool left = false;
      for (std::vector<Stream>& rank : ranks_) {
        for (Stream& stream : rank) {
          left |= !stream.operations.empty();
          if (!stream.operations.empty() && stream.operations.front().may_run()) {
            able.push_back(&stream);
          }
        }
      }
      if (able.empty() || failed()) {
        return failed() ? failure_ : left ? "all wait for each other" : "";
      }
      Stream& stream = *able[std::uniform_int_distribution<size_t>(0, able.size() - 1)(random)];
      const Operation operation = std::move(stream.operations.front());
      stream.operations.pop_front();
      operation.run();
      ++stream.done;
    }
  }

 private:
  struct Operation {
    std::function<bool()> may_run;
    std::function<void()> run;
  };
  struct Stream {
    std::deque<Operation> operations;
    uint32_t done = 0;    // number of finished operations
    uint32_t queued = 0;  // number of queued operations, including finished ones
  };

  Stream& Of(uint32_t rank, int stream) { return ranks_[rank][static_cast<size_t>(stream)]; }

  std::vector<std::vector<Stream>> ranks_;
  std::string failure_;
};

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_PEER_SIMULATED_STREAMS_TESTING_H_
