// Suppression of output that all processes of a world would print alike.
#ifndef LOCKSTEP_LIB_LAUNCH_QUIET_UNLESS_LEADER_H_
#define LOCKSTEP_LIB_LAUNCH_QUIET_UNLESS_LEADER_H_

#include <string>

namespace lockstep {

// Lets only rank 0 print output that is the same in every process of a world (a wrong flag, --help). While this object
// exists, standard output and standard error of any other process are /dev/null. Its standard output stays redirected
// afterwards, because only the leader writes records.
class QuietUnlessLeader {
 public:
  explicit QuietUnlessLeader(const std::string& launcher);
  ~QuietUnlessLeader();
  QuietUnlessLeader(const QuietUnlessLeader&) = delete;
  QuietUnlessLeader& operator=(const QuietUnlessLeader&) = delete;

 private:
  int stderr_ = -1;  // duplicate of the original standard error; -1: nothing was redirected
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_QUIET_UNLESS_LEADER_H_
