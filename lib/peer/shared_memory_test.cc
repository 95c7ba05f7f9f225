#include "lib/peer/shared_memory.h"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/host_identity.h"
#include "lib/peer/forked_ranks_testing.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::ForkedRank;
using ::lockstep::testing::RunForkedRanks;
using ::testing::Each;
using ::testing::HasSubstr;

SharedMemoryOptions Options(const ForkedRank& rank, size_t bytes) {
  SharedMemoryOptions options;
  options.rank = rank.rank;
  options.size = rank.size;
  options.bytes = bytes;
  options.timeout = absl::Seconds(30);
  options.gather = rank.gather;
  return options;
}

// Writes this rank's number into its byte, synchronizes by `gather`, and reads the bytes of all ranks.
std::string WriteAndRead(const ForkedRank& rank, size_t bytes) {
  const auto memory = SharedMemory::Open(Options(rank, bytes));
  if (!memory.ok()) {
    return memory.status().ToString();
  }
  volatile uint8_t* data = (*memory)->data();
  std::string read = data[bytes - 1] == 0 ? "" : "dirty ";
  data[rank.rank] = static_cast<uint8_t>(rank.rank + 1);
  (void)rank.gather("");
  for (int other = 0; other < rank.size; ++other) {
    absl::StrAppend(&read, data[other], " ");
  }
  return read;
}

TEST(SharedMemoryTest, RanksSeeWhatTheOthersWrite) {
  EXPECT_THAT(RunForkedRanks(1, [](const ForkedRank& rank) { return WriteAndRead(rank, 5000); }), Each("1 "));
  EXPECT_THAT(RunForkedRanks(2, [](const ForkedRank& rank) { return WriteAndRead(rank, 3); }), Each("1 2 "));
  EXPECT_THAT(RunForkedRanks(5, [](const ForkedRank& rank) { return WriteAndRead(rank, 1 << 20); }),
              Each("1 2 3 4 5 "));
}

TEST(SharedMemoryTest, WhatARankPreparesIsThereForAll) {
  EXPECT_THAT(RunForkedRanks(3,
                             [](const ForkedRank& rank) {
                               SharedMemoryOptions options = Options(rank, 3);
                               options.prepare = [&](uint8_t* memory) { memory[rank.rank] = 7; };
                               const auto memory = SharedMemory::Open(options);
                               return memory.ok() && std::memcmp((*memory)->data(), "\7\7\7", 3) == 0 ? "all" : "some";
                             }),
              Each("all"));
}

// All ranks return the same error if their announcements differ.
TEST(SharedMemoryTest, DifferentSizesAreRefusedByAll) {
  EXPECT_THAT(RunForkedRanks(3, [](const ForkedRank& rank) { return WriteAndRead(rank, rank.rank == 2 ? 10 : 20); }),
              Each("FAILED_PRECONDITION: the ranks cannot share memory: rank 2 of 3 needs 10 bytes, but rank 0 20"));
}

// Opens the memory while rank 1's announcement has line `line` replaced by `replacement`.
std::string OpenWithAnnouncement(const ForkedRank& rank, int line, const std::string& replacement) {
  SharedMemoryOptions options = Options(rank, 10);
  options.gather = [&, first = true](absl::string_view bytes) mutable {
    std::vector<std::string> lines = absl::StrSplit(bytes, '\n');
    if (first && rank.rank == 1) {
      lines[line] = replacement;
    }
    first = false;
    return rank.gather(absl::StrJoin(lines, "\n"));
  };
  return std::string(SharedMemory::Open(options).status().message());
}

TEST(SharedMemoryTest, OtherHostsAreRefusedByAll) {
  const std::string another = HostKey({"another", ThisHost().network, ""});
  EXPECT_THAT(RunForkedRanks(2, [&](const ForkedRank& rank) { return OpenWithAnnouncement(rank, 0, another); }),
              Each("the ranks cannot share memory: ranks 0 and 1 of 2 are on different hosts"));
}

// The boot id of a rank without free descriptors is unknown. The ranks share memory, which proves that they can.
TEST(SharedMemoryTest, ARankWithoutABootIdTakesPart) {
  const std::string unknown = HostKey({"", ThisHost().network, ""});
  EXPECT_THAT(RunForkedRanks(2, [&](const ForkedRank& rank) { return OpenWithAnnouncement(rank, 0, unknown); }),
              Each(""));
}

TEST(SharedMemoryTest, OtherVirtualHostsAreRefusedByAll) {
  EXPECT_THAT(RunForkedRanks(3,
                             [](const ForkedRank& rank) {
                               SetVirtualHost(rank.rank / 2);
                               return WriteAndRead(rank, 10);
                             }),
              Each("FAILED_PRECONDITION: the ranks cannot share memory: ranks 0 and 2 of 3 are on different virtual "
                   "hosts (LOCKSTEP_HOST_OF_RANK)"));
  EXPECT_THAT(RunForkedRanks(2,
                             [](const ForkedRank& rank) {
                               SetVirtualHost(1);
                               return WriteAndRead(rank, 10);
                             }),
              Each("1 2 "));
}

// The same boot id and namespace prove nothing: the written bytes must arrive.
TEST(SharedMemoryTest, AProofThatDoesNotArriveIsRefusedByAll) {
  const std::string other(32, 'f');
  EXPECT_THAT(RunForkedRanks(2, [&](const ForkedRank& rank) { return OpenWithAnnouncement(rank, 2, other); }),
              Each("the ranks cannot share memory: rank 0 of 2 and rank 0: this rank does not see what rank 1 writes"));
}

TEST(SharedMemoryTest, GarbledAnnouncementsAreRefusedByAll) {
  EXPECT_THAT(
      RunForkedRanks(2, [](const ForkedRank& rank) { return OpenWithAnnouncement(rank, 2, "short"); }),
      Each(HasSubstr(
          "rank 1 of 2: its announcement has another format; expected the same version of Lockstep on all ranks")));
}

// Returns true if a process on this machine can run `body` successfully.
bool CanBeDone(const std::function<bool()>& body) {
  return RunForkedRanks(1, [&](const ForkedRank&) { return std::string(body() ? "yes" : "no"); })[0] == "yes";
}

bool LeaveNetwork() { return unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0; }

TEST(SharedMemoryTest, AnotherNetworkNamespaceIsRefusedByAll) {
  if (!CanBeDone(LeaveNetwork)) {
    GTEST_SKIP() << "no second network namespace can be made here";
  }
  const auto results = RunForkedRanks(
      3, [](const ForkedRank& rank) { return rank.rank == 1 && !LeaveNetwork() ? "stays" : WriteAndRead(rank, 10); });
  EXPECT_THAT(results, Each("FAILED_PRECONDITION: the ranks cannot share memory: ranks 0 and 1 of 3 are in different "
                            "network namespaces"));
}

// The ranks do not announce that they are in different namespaces, so that the socket is not found.
TEST(SharedMemoryTest, AMissingSocketIsReportedByAll) {
  EXPECT_THAT(RunForkedRanks(2,
                             [](const ForkedRank& rank) {
                               SharedMemoryOptions options = Options(rank, 10);
                               options.gather = [&, first = true](absl::string_view bytes) mutable {
                                 std::vector<std::string> lines = absl::StrSplit(bytes, '\n');
                                 if (first && rank.rank == 0) {
                                   lines[3] = "nobody";
                                 }
                                 first = false;
                                 return rank.gather(absl::StrJoin(lines, "\n"));
                               };
                               return std::string(SharedMemory::Open(options).status().message());
                             }),
              Each("the ranks cannot share memory: rank 1 of 2 and rank 0: connecting to its unix socket: Connection "
                   "refused"));
}

bool BecomeAnotherUser() { return geteuid() == 0 && setuid(65534) == 0; }

TEST(SharedMemoryTest, AnotherUserIsRefusedByAll) {
  if (!CanBeDone(BecomeAnotherUser)) {
    GTEST_SKIP() << "this process cannot be another user here";
  }
  const auto results = RunForkedRanks(3, [](const ForkedRank& rank) {
    return rank.rank == 2 && !BecomeAnotherUser() ? "stays" : WriteAndRead(rank, 10);
  });
  EXPECT_THAT(results, Each("FAILED_PRECONDITION: the ranks cannot share memory: rank 2 of 3 and rank 0: it runs for "
                            "another user"));
}

std::set<std::string> NamesIn(const char* folder) {
  std::set<std::string> names;
  DIR* open = opendir(folder);
  while (const dirent* entry = open == nullptr ? nullptr : readdir(open)) {
    names.insert(entry->d_name);
  }
  if (open != nullptr) {
    closedir(open);
  }
  return names;
}

std::string ReadFile(const char* path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(SharedMemoryTest, KilledRanksLeaveNothing) {
  const std::set<std::string> before = NamesIn("/dev/shm");
  for (int i = 0; i < 50; ++i) {
    const auto results = RunForkedRanks(2, [&](const ForkedRank& rank) {
      const auto memory = SharedMemory::Open(Options(rank, 1 << 20));
      if (rank.rank == i % 2) {
        raise(SIGKILL);
      }
      return std::string(memory.ok() && absl::StrContains(ReadFile("/proc/self/maps"), "memfd:lockstep") ? "mapped"
                                                                                                         : "");
    });
    EXPECT_EQ(results[i % 2], "signal 9");
    EXPECT_EQ(results[1 - i % 2], "mapped");
  }
  EXPECT_EQ(NamesIn("/dev/shm"), before);
  EXPECT_THAT(ReadFile("/proc/self/maps"), ::testing::Not(HasSubstr("memfd:lockstep")));
  EXPECT_THAT(ReadFile("/proc/net/unix"), ::testing::Not(HasSubstr("@lockstep-")));
}

// After Open, no descriptor remains; the mapping disappears with its owner.
TEST(SharedMemoryTest, ItGoesWithItsOwner) {
  EXPECT_THAT(RunForkedRanks(2,
                             [](const ForkedRank& rank) {
                               const std::set<std::string> before = NamesIn("/proc/self/fd");
                               auto memory = SharedMemory::Open(Options(rank, 1 << 20));
                               const bool same = NamesIn("/proc/self/fd") == before;
                               memory->reset();
                               const bool mapped = absl::StrContains(ReadFile("/proc/self/maps"), "memfd:lockstep");
                               return absl::StrCat(same ? "no descriptor" : "descriptors", mapped ? ", mapped" : "");
                             }),
              Each("no descriptor"));
}

}  // namespace
}  // namespace lockstep
