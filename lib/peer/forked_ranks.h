// Ranks for the tests of this package: forked processes, and a gathering of bytes between them. Test-only.
#ifndef LOCKSTEP_LIB_PEER_FORKED_RANKS_H_
#define LOCKSTEP_LIB_PEER_FORKED_RANKS_H_

#include <functional>
#include <string>
#include <vector>

#include "lib/peer/shared_memory.h"

namespace lockstep::testing {

struct ForkedRank {
  int rank;
  int size;
  GatherBytes gather;  // waits up to 60 s; bytes up to 1,000 a rank, up to 64 times
};

// Runs `body` in `size` processes, which are forked from this one: it has a single thread. Returns what each returned, in
// rank order, or "signal N" of one that was killed. One that is stopped is killed once the others have ended.
std::vector<std::string> RunForkedRanks(int size, const std::function<std::string(const ForkedRank&)>& body);

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_PEER_FORKED_RANKS_H_
