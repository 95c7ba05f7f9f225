// One point in a world of several processes: each of the first N processes starts one rank and reports its end to the
// leader.
#ifndef LOCKSTEP_LIB_LAUNCH_WORLD_POINT_H_
#define LOCKSTEP_LIB_LAUNCH_WORLD_POINT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/subprocess.h"
#include "lib/launch/member.h"
#include "lib/launch/rank_environment.h"
#include "lib/launch/shutdown_deadline.h"

namespace lockstep {

class WorldPoint {
 public:
  // `members` must outlive this object; the first member must be this process. `point` is the number of the point in
  // the world, from 1.
  WorldPoint(std::vector<Member>& members, uint64_t point, absl::Duration timeout)
      : members_(members), point_(point), timeout_(timeout), shutdown_deadline_(timeout) {}

  // Runs a rank in each of the first place.size processes, and returns the outcomes of all ranks. `place` must hold the
  // values common to all ranks, and the store's port; each process fills in its own rank. place.host is not used.
  //
  // Returns UnavailableError, with the first lost process, if a process ended or was silent for the timeout. Returns
  // CancelledError after a stop signal to this process or to an agent. The event that came first counts.
  absl::StatusOr<std::vector<ChildExit>> Run(const RankEnvironment& place);

  // Returns the stop signal, to this process or to an agent, that ended the point; 0: no signal.
  int stop_signal() const { return stop_signal_; }

 private:
  void SendOrders(const RankEnvironment& place);
  void ReceiveMessages();
  int TakeMessages(size_t rank);  // returns the stop signal that the agent reports; 0: no signal
  void RecordExit(size_t rank, const ChildExit& exit);
  void MarkLost(size_t rank, absl::string_view why);
  void Stop(int signal_number);
  bool MustEnd();
  bool AllEnded() const;

  std::vector<Member>& members_;
  const uint64_t point_;
  const absl::Duration timeout_;
  ShutdownDeadline shutdown_deadline_;
  std::vector<ChildExit> exits_;
  std::vector<bool> ended_;
  bool end_requested_ = false;
  int stop_signal_ = 0;
  absl::Status first_error_;  // first error that is not a rank's own
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_WORLD_POINT_H_
