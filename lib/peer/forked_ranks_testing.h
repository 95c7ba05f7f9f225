// Ranks for the tests of this package: forked processes, and GatherBytes between them. Test-only.
#ifndef LOCKSTEP_LIB_PEER_FORKED_RANKS_TESTING_H_
#define LOCKSTEP_LIB_PEER_FORKED_RANKS_TESTING_H_

#include <functional>
#include <string>
#include <vector>

#include "lib/peer/shared_memory.h"

namespace lockstep::testing {

struct ForkedRank {
  int rank;
  int size;
  GatherBytes gather;  // may be called up to 64 times, with up to 1,000 bytes per rank; waits up to 60 s
};

// Runs `body` in `size` processes, which are forked from this process. This process must have a single thread. Returns
// the result of each rank in rank order, or "signal N" for a rank that was killed. A stopped rank is killed once all
// others have ended.
std::vector<std::string> RunForkedRanks(int size, const std::function<std::string(const ForkedRank&)>& body);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_PEER_FORKED_RANKS_TESTING_H_
