#include "lib/peer/forked_ranks_testing.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/monotonic_time.h"

namespace lockstep::testing {
namespace {

constexpr int kMaxRounds = 64;
constexpr int kMaxRanks = 8;
constexpr size_t kMaxBytes = 1000;
constexpr absl::Duration kTestTimeout = absl::Seconds(60);

struct Note {
  size_t size;
  char bytes[kMaxBytes];
};

// Memory of all ranks, mapped before the fork so that it is shared; zero at first.
struct Board {
  std::atomic<int> arrived[kMaxRounds];
  Note notes[kMaxRounds][kMaxRanks];
  Note results[kMaxRanks];
};

void Write(absl::string_view bytes, Note& note) {
  note.size = std::min(bytes.size(), kMaxBytes);
  std::memcpy(note.bytes, bytes.data(), note.size);
}

GatherBytes GatherOver(Board& board, int rank, int size) {
  // Shared, so that copies of the function count the same rounds.
  const auto rounds = std::make_shared<int>(0);
  return [&board, rank, size, rounds](absl::string_view bytes) -> absl::StatusOr<std::vector<std::string>> {
    const int round = (*rounds)++;
    if (round >= kMaxRounds || bytes.size() > kMaxBytes) {
      return absl::InternalError("the board is full");
    }
    Write(bytes, board.notes[round][rank]);
    ++board.arrived[round];
    const MonotonicTime deadline = MonotonicTime::Now() + kTestTimeout;
    while (board.arrived[round] < size) {
      if (MonotonicTime::Now() > deadline) {
        return absl::UnavailableError("a rank did not arrive");
      }
      absl::SleepFor(absl::Microseconds(100));
    }
    std::vector<std::string> all;
    for (int other = 0; other < size; ++other) {
      const Note& note = board.notes[round][other];
      all.emplace_back(note.bytes, note.size);
    }
    return all;
  };
}

// Waits for all ranks. A stopped rank is killed only after all others have ended, because it was stopped to test them.
void WaitForAll(const std::vector<pid_t>& ranks, std::vector<std::string>& results) {
  size_t ended = 0;
  std::vector<pid_t> stopped;
  while (ended < ranks.size()) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WUNTRACED);
    const auto found = std::find(ranks.begin(), ranks.end(), pid);
    if (found == ranks.end()) {
      continue;
    }
    if (WIFSTOPPED(status)) {
      stopped.push_back(pid);
    } else {
      ++ended;
    }
    if (WIFSIGNALED(status)) {
      results[found - ranks.begin()] = absl::StrCat("signal ", WTERMSIG(status));
    }
    if (ended + stopped.size() == ranks.size()) {
      for (const pid_t rank : stopped) {
        kill(rank, SIGKILL);
      }
      stopped.clear();
    }
  }
}

}  // namespace

std::vector<std::string> RunForkedRanks(int size, const std::function<std::string(const ForkedRank&)>& body) {
  void* mapped = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Board& board = *static_cast<Board*>(mapped);
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t pid = fork();
    if (pid == 0) {
      Write(body(ForkedRank{rank, size, GatherOver(board, rank, size)}), board.results[rank]);
      _exit(0);
    }
    ranks.push_back(pid);
  }
  std::vector<std::string> results(size);
  WaitForAll(ranks, results);
  for (int rank = 0; rank < size; ++rank) {
    results[rank].append(board.results[rank].bytes, board.results[rank].size);
  }
  munmap(mapped, sizeof(Board));
  return results;
}

}  // namespace lockstep::testing
