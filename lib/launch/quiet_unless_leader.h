// One voice for the processes that a launcher started.
#ifndef LOCKSTEP_LIB_LAUNCH_QUIET_UNLESS_LEADER_H_
#define LOCKSTEP_LIB_LAUNCH_QUIET_UNLESS_LEADER_H_

#include <string>

namespace lockstep {

// What every process of a world would say alike (a wrong flag, --help) only rank 0's says: while this object lives, the
// standard output and error of any other are /dev/null. Its standard output stays so: records are the leader's.
class QuietUnlessLeader {
 public:
  explicit QuietUnlessLeader(const std::string& launcher);
  ~QuietUnlessLeader();
  QuietUnlessLeader(const QuietUnlessLeader&) = delete;
  QuietUnlessLeader& operator=(const QuietUnlessLeader&) = delete;

 private:
  int stderr_ = -1;  // the real one, kept; -1: nothing was changed
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_QUIET_UNLESS_LEADER_H_
