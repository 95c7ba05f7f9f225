#include "lib/record/digested_input.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>

#include "lib/base/start_thread.h"
#include "lib/base/status_macros.h"
#include "lib/record/digest.h"
#include "lib/record/run_files.h"

namespace lockstep {
namespace {

// Bytes per block. A block stays in a second-level cache (1.25 MiB on the Xeon of the header) between the system's copy
// and ours, and is large enough to make handovers to the digest thread rare.
constexpr size_t kBlockBytes = 256 << 10;
constexpr size_t kMinBlockBytes = 4 << 10;  // one page; also used for files without a size, such as those of /proc
constexpr size_t kBlocksAhead = 16;  // blocks that may wait for the digest: 4 MiB, more than the largest chunk of
                                     // images

struct Block {
  std::vector<char> bytes;
  size_t size = 0;
};

// Returns a block size for the file. Small files get a small block, because most records have a few KiB.
size_t BlockBytes(const InputFile& file) {
  return std::clamp<uint64_t>(file.RegularSize().value_or(kBlockBytes), kMinBlockBytes, kBlockBytes);
}

}  // namespace

// Thread that digests blocks in order and returns their memory.
class DigestedInput::DigestThread {
 public:
  explicit DigestThread(size_t block_bytes) : block_bytes_(block_bytes) {}
  ~DigestThread() { Join(); }

  // Takes the first `size` bytes of `bytes`, and replaces `bytes` by the memory of another block. The thread starts
  // with the second block, so that a small file needs no thread.
  void Digest(std::vector<char>& bytes, size_t size) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < kBlocksAhead || thread_.empty(); });
    waiting_.push_back({std::move(bytes), size});
    bytes = TakeSpare();
    if (!thread_.empty()) {
      if (waiting_.size() == 1) {  // the thread may be waiting
        changed_.notify_one();
      }
    } else if (waiting_.size() > 1) {
      Start(lock);
    }
  }

  // Returns the digest. Must be called once, after the last block.
  std::string HexDigest() {
    Join();
    DigestWaiting();
    return sha256_.HexDigest();
  }

 private:
  std::vector<char> TakeSpare() {
    if (spare_.empty()) {
      return std::vector<char>(block_bytes_);
    }
    std::vector<char> bytes = std::move(spare_.back());
    spare_.pop_back();
    return bytes;
  }

  void Start(std::unique_lock<std::mutex>& lock) {
    if (!thread_.Start([this] { Run(); }).ok()) {  // no thread, e.g. because of a limit on processes
      lock.unlock();
      DigestWaiting();
    }
  }

  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !waiting_.empty() || ended_; });
      if (waiting_.empty()) {
        return;
      }
      Block& block = waiting_.front();  // stays the first element, because other code only appends
      lock.unlock();
      sha256_.Update(block.bytes.data(), block.size);
      lock.lock();
      spare_.push_back(std::move(block.bytes));
      waiting_.pop_front();
      if (waiting_.size() + 1 == kBlocksAhead) {  // the reader may be waiting
        changed_.notify_one();
      }
    }
  }

  void Join() {
    if (thread_.empty()) {
      return;
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
      changed_.notify_one();
    }
    thread_.Join();
  }

  // Digests the waiting blocks on the calling thread. Must be called only if the digest thread does not run.
  void DigestWaiting() {
    for (Block& block : waiting_) {
      sha256_.Update(block.bytes.data(), block.size);
      spare_.push_back(std::move(block.bytes));
    }
    waiting_.clear();
  }

  const size_t block_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;  // signals a change of waiting_ or ended_
  std::deque<Block> waiting_;        // a deque, because appending must not move elements
  std::vector<std::vector<char>> spare_;
  bool ended_ = false;
  Sha256 sha256_;
  ThreadGroup thread_;
};

absl::StatusOr<std::unique_ptr<DigestedInput>> DigestedInput::Open(const std::string& path) {
  RETURN_IF_ERROR(CheckDeclaredInput(path));
  ASSIGN_OR_RETURN(InputFile file, InputFile::Open(path));
  const size_t block_bytes = BlockBytes(file);
  return std::unique_ptr<DigestedInput>(new DigestedInput(std::move(file), block_bytes));
}

DigestedInput::DigestedInput(InputFile file, size_t block_bytes)
    : file_(std::move(file)), block_(block_bytes), digest_(std::make_unique<DigestThread>(block_bytes)) {}

DigestedInput::~DigestedInput() = default;

// Reads the next block; returns false at the end. Reads once, so that data from a pipe is available before the block is
// full.
absl::StatusOr<bool> DigestedInput::NextBlock() {
  if (end_ > 0) {
    whole_.size_bytes += end_;
    digest_->Digest(block_, end_);
  }
  begin_ = end_ = 0;
  ASSIGN_OR_RETURN(end_, file_.Read(block_.data(), block_.size()));
  return end_ > 0;
}

absl::StatusOr<size_t> DigestedInput::Read(void* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    if (begin_ == end_) {
      ASSIGN_OR_RETURN(const bool more, NextBlock());
      if (!more) {
        break;
      }
    }
    const size_t n = std::min(size - done, end_ - begin_);
    std::memcpy(static_cast<char*>(bytes) + done, block_.data() + begin_, n);
    begin_ += n;
    done += n;
  }
  offset_ += done;
  return done;
}

absl::StatusOr<DigestedInput::Whole> DigestedInput::ReadToEnd() {
  while (whole_.sha256.empty()) {
    ASSIGN_OR_RETURN(const bool more, NextBlock());
    if (!more) {
      whole_.sha256 = digest_->HexDigest();
    }
  }
  return whole_;
}

}  // namespace lockstep
