// One point in a world of several processes: each of the first N starts one rank, and the leader hears how it ended.
#ifndef LOCKSTEP_LIB_LAUNCH_WORLD_POINT_H_
#define LOCKSTEP_LIB_LAUNCH_WORLD_POINT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/subprocess.h"
#include "lib/launch/end_rule.h"
#include "lib/launch/member.h"
#include "lib/launch/rank_environment.h"

namespace lockstep {

class WorldPoint {
 public:
  // `members` must outlive it; the first is this process. `point` counts the points of the world, from 1.
  WorldPoint(std::vector<Member>& members, uint64_t point, absl::Duration timeout)
      : members_(members), point_(point), timeout_(timeout), rule_(timeout) {}

  // Runs a rank in each of the first place.size processes. `place` is the same for all; each fills in its own rank. Its
  // port is the store's, its host is not used. Returns how each ended, when all have.
  //
  // Unavailable names the first process that was lost: it ended, or was silent for the timeout. Cancelled: a stop signal,
  // to this process or to an agent; whichever came first counts.
  absl::StatusOr<std::vector<ChildExit>> Run(const RankEnvironment& place);

  // The signal that an agent was sent, if that ended the point; 0: none.
  int stop_signal() const { return stop_signal_; }

 private:
  void SendOrders(const RankEnvironment& place);
  void Hear();
  int TakeMessages(size_t rank);  // the signal that the agent says it was sent; 0: none
  void NoteExit(size_t rank, const ChildExit& exit);
  void Lose(size_t rank, absl::string_view why);
  void Stop(int signal_number);
  bool MustEnd();
  bool AllEnded() const;

  std::vector<Member>& members_;
  const uint64_t point_;
  const absl::Duration timeout_;
  EndRule rule_;
  std::vector<ChildExit> exits_;
  std::vector<bool> ended_;
  bool told_to_end_ = false;
  int stop_signal_ = 0;
  absl::Status trouble_;  // the first that is not a rank's own
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_WORLD_POINT_H_
