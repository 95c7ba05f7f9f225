#include "lib/peer/descriptors.h"

#include <sys/mman.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::HasSubstr;

// Implementation of GatherBytes for ranks that are threads.
class ThreadGather {
 public:
  explicit ThreadGather(int size) : bytes_(size) {}

  std::vector<std::string> AllGather(int rank, absl::string_view mine) {
    std::unique_lock<std::mutex> lock(mutex_);
    bytes_[rank] = std::string(mine);
    const int round = round_;
    if (++here_ == static_cast<int>(bytes_.size())) {
      all_ = bytes_;
      here_ = 0;
      ++round_;
      everybody_.notify_all();
    }
    everybody_.wait(lock, [&] { return round_ != round; });
    return all_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable everybody_;
  std::vector<std::string> bytes_, all_;
  int here_ = 0, round_ = 0;
};

OwnedDescriptor MemoryWith(const std::string& text) {
  OwnedDescriptor memory(memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(write(memory.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return memory;
}

std::string TextOf(const OwnedDescriptor& memory) {
  char text[64] = "";
  const ssize_t bytes = pread(memory.get(), text, sizeof(text), 0);
  return std::string(text, bytes > 0 ? bytes : 0);
}

// Returns the texts that each rank receives, or its error. `spoil` changes the bytes that a rank gathers; rank
// `empty_handed` has no descriptor to send.
using Spoil = std::function<void(int rank, std::vector<std::string>& gathered)>;
std::vector<std::string> ExchangeAmong(int size, const Spoil& spoil = nullptr, int empty_handed = -1) {
  ThreadGather gather(size);
  std::vector<std::string> found(size);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      const OwnedDescriptor mine = rank == empty_handed ? OwnedDescriptor() : MemoryWith(absl::StrCat("of ", rank));
      const auto all_gather = [&](absl::string_view bytes) -> absl::StatusOr<std::vector<std::string>> {
        std::vector<std::string> gathered = gather.AllGather(rank, bytes);
        if (spoil) {
          spoil(rank, gathered);
        }
        return gathered;
      };
      const auto all = ExchangeDescriptors(all_gather, rank, size, mine.get(), absl::Seconds(30));
      if (!all.ok()) {
        found[rank] = std::string(all.status().message());
        return;
      }
      for (const OwnedDescriptor& descriptor : *all) {
        absl::StrAppend(&found[rank], descriptor.get() < 0 ? "-" : TextOf(descriptor), ";");
      }
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  return found;
}

TEST(ExchangeDescriptorsTest, EachRankHasThoseOfAllOthers) {
  EXPECT_EQ(ExchangeAmong(1), std::vector<std::string>{"-;"});
  EXPECT_EQ(ExchangeAmong(3), (std::vector<std::string>{"-;of 1;of 2;", "of 0;-;of 2;", "of 0;of 1;-;"}));
  EXPECT_EQ(ExchangeAmong(16)[7].substr(0, 10), "of 0;of 1;");
}

// A rank sees a rank of another network namespace as a name at which nobody listens. All ranks must return the error.
TEST(ExchangeDescriptorsTest, ARankThatCannotReachAnotherEndsAll) {
  const auto found = ExchangeAmong(3, [](int rank, std::vector<std::string>& gathered) {
    if (rank == 1 && gathered[2].size() == 32) {
      gathered[2] = std::string(32, 'x');
    }
  });
  for (const std::string& error : found) {
    EXPECT_THAT(error, HasSubstr("rank 1: rank 2 cannot share its memory: "));
  }
}

// The rank that received all other descriptors must return the error, too.
TEST(ExchangeDescriptorsTest, ARankThatHandsNothingOverEndsAll) {
  for (const std::string& error : ExchangeAmong(3, nullptr, /*empty_handed=*/1)) {
    EXPECT_THAT(error, HasSubstr("rank 0: it refused this process"));
  }
}

TEST(ExchangeDescriptorsTest, AnErrorOfTheGatherIsPassedOn) {
  const auto all = ExchangeDescriptors(
      [](absl::string_view) -> absl::StatusOr<std::vector<std::string>> { return absl::CancelledError("stopped"); }, 0,
      2, 0, absl::Seconds(1));
  EXPECT_THAT(all, StatusIs(absl::StatusCode::kCancelled, HasSubstr("stopped")));
}

}  // namespace
}  // namespace lockstep
