#include "lib/cuda/graph_timer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <type_traits>

#include "lib/base/stall_watch.h"
#include "lib/base/status_macros.h"
#include "lib/cuda/captured_graph.h"
#include "lib/cuda/cuda_status.h"

namespace lockstep {
namespace {

constexpr int kLaunches = 5;
constexpr int kReplays = 3;

// Time at which a single launch is measured to within half a percent.
constexpr double kLongMicroseconds = 2000;

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
using OwnedEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

absl::StatusOr<OwnedEvent> MakeEvent() {
  cudaEvent_t event = nullptr;
  RETURN_IF_ERROR(CudaStatus(cudaEventCreate(&event), "make an event"));
  return OwnedEvent(event);
}

// Returns the time of one launch alone.
absl::StatusOr<double> MicrosecondsAlone(cudaStream_t stream, const std::function<absl::Status()>& launch) {
  ASSIGN_OR_RETURN(const OwnedEvent begin, MakeEvent());
  ASSIGN_OR_RETURN(const OwnedEvent end, MakeEvent());
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(begin.get(), stream), "record an event"));
  RETURN_IF_ERROR(launch());
  RETURN_IF_ERROR(CudaStatus(cudaEventRecord(end.get(), stream), "record an event"));
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "wait for a launch"));
  float milliseconds = 0;
  RETURN_IF_ERROR(CudaStatus(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "read the time of a launch"));
  return milliseconds * 1e3;
}

// Times the replays. All of them are queued before the first has ended, so that no replay waits for the host.
absl::StatusOr<double> Replay(cudaStream_t stream, cudaGraphExec_t graph) {
  std::array<OwnedEvent, kReplays + 1> events;
  for (OwnedEvent& event : events) {
    ASSIGN_OR_RETURN(event, MakeEvent());
    RETURN_IF_ERROR(CudaStatus(cudaGraphLaunch(graph, stream), "launch a graph"));
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(event.get(), stream), "record an event"));
  }
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "wait for a graph"));
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kReplays; ++i) {
    float milliseconds = 0;
    RETURN_IF_ERROR(CudaStatus(cudaEventElapsedTime(&milliseconds, events[i].get(), events[i + 1].get()),
                               "read the time of a graph"));
    fastest = std::min(fastest, milliseconds * 1e3 / kLaunches);
  }
  return fastest;
}

}  // namespace

absl::StatusOr<double> MicrosecondsInGraph(cudaStream_t stream, const std::function<absl::Status()>& launch,
                                           double hopeless_microseconds) {
  // Loads and allocations of the first call must happen before the capture, in which they are forbidden.
  RETURN_IF_ERROR(launch());
  RETURN_IF_ERROR(CudaStatus(cudaStreamSynchronize(stream), "wait for the first launch"));
  NoteProgress();
  ASSIGN_OR_RETURN(const double alone, MicrosecondsAlone(stream, launch));
  if (alone > std::min(hopeless_microseconds, kLongMicroseconds)) {
    return alone;
  }
  ASSIGN_OR_RETURN(const CapturedGraph graph, CaptureGraph(stream, [&launch] {
                     absl::Status launched;
                     for (int i = 0; i < kLaunches && launched.ok(); ++i) {
                       launched = launch();
                     }
                     return launched;
                   }));
  return Replay(stream, graph.get());
}

}  // namespace lockstep
