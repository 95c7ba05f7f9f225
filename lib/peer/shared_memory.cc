#include "lib/peer/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/base/host_identity.h"
#include "lib/base/status_macros.h"
#include "lib/peer/descriptor_socket.h"

namespace lockstep {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kNonceBytes = 16;  // 128 random bits, like the socket's name
constexpr size_t kProofBytes = 64;  // slot of a rank's proof: one cache line
constexpr size_t kProofDigits = 2 * kNonceBytes;

// Announcement of a rank: one line per field, in this order.
struct Announcement {
  HostIdentity host;
  std::string bytes;  // size of the memory that the rank requests
  std::string nonce;
  std::string socket;   // name of the socket on which rank 0 hands out the memory; empty on other ranks
  std::string problem;  // reason why the rank cannot take part; empty: it can

  std::string Format() const { return absl::StrJoin({HostKey(host), bytes, nonce, socket, problem}, "\n"); }
};

absl::StatusOr<Announcement> ParseAnnouncement(const std::string& text) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const std::optional<HostIdentity> host = ParseHostKey(lines[0]);
  if (lines.size() != 5 || !host.has_value() || lines[2].size() != kProofDigits) {
    return absl::FailedPreconditionError(
        "its announcement has another format; expected the same version of Lockstep on all ranks");
  }
  return Announcement{*host, lines[1], lines[2], lines[3], lines[4]};
}

std::string RankOf(int rank, int size) { return absl::StrCat("rank ", rank, " of ", size); }

absl::Status CannotShare(absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat("the ranks cannot share memory: ", why));
}

size_t HeadBytes(int size) { return (size * kProofBytes + kPageBytes - 1) / kPageBytes * kPageBytes; }
size_t MappedBytes(const SharedMemoryOptions& options) { return HeadBytes(options.size) + options.bytes; }

// Returns a memfd of `bytes` zeros. It is sealed, so that no process can shrink it while others have it mapped. Its
// pages are allocated here, because a process that touches a page for which there is no memory is killed.
absl::StatusOr<OwnedDescriptor> MakeMemory(size_t bytes) {
  OwnedDescriptor memory(memfd_create("lockstep", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (memory.get() < 0) {
    return absl::FailedPreconditionError(absl::StrCat("memfd_create: ", std::strerror(errno)));
  }
  const int error = posix_fallocate(memory.get(), 0, static_cast<off_t>(bytes));
  if (error != 0) {
    return absl::FailedPreconditionError(absl::StrCat("cannot allocate ", bytes, " bytes: ", std::strerror(error)));
  }
  if (fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return absl::FailedPreconditionError(absl::StrCat("sealing a memfd: ", std::strerror(errno)));
  }
  return memory;
}

// Checks that `fd` is memory of that size that cannot shrink.
absl::Status CheckMemory(int fd, size_t bytes) {
  struct stat status = {};
  const int seals = fcntl(fd, F_GET_SEALS);
  if (fstat(fd, &status) != 0 || seals < 0 || (seals & F_SEAL_SHRINK) == 0 ||
      status.st_size != static_cast<off_t>(bytes)) {
    return absl::FailedPreconditionError(absl::StrCat("it shared something other than ", bytes, " sealed bytes"));
  }
  return absl::OkStatus();
}

// Checks the announcements. All ranks get the same result, because they see the same announcements.
absl::Status CheckAnnouncements(const std::vector<Announcement>& announced) {
  const int size = static_cast<int>(announced.size());
  for (int rank = 0; rank < size; ++rank) {
    const Announcement& first = announced[0];
    const Announcement& other = announced[rank];
    if (!other.problem.empty()) {
      return CannotShare(absl::StrCat(RankOf(rank, size), ": ", other.problem));
    }
    if (const std::string difference = HostDifference(first.host, other.host); !difference.empty()) {
      return CannotShare(absl::StrCat("ranks 0 and ", rank, " of ", size, " are ", difference));
    }
    if (other.bytes != first.bytes) {
      return CannotShare(absl::StrCat(RankOf(rank, size), " needs ", other.bytes, " bytes, but rank 0 ", first.bytes));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Gather(const SharedMemoryOptions& options, absl::string_view own) {
  ASSIGN_OR_RETURN(std::vector<std::string> all, options.gather(own));
  if (all.size() != static_cast<size_t>(options.size)) {
    return absl::InternalError(absl::StrCat("expected the bytes of ", options.size, " ranks, found ", all.size()));
  }
  return all;
}

// Sends this rank's status to all ranks. Returns the first failure in rank order on every rank.
absl::Status Agree(const SharedMemoryOptions& options, const absl::Status& own) {
  const std::string problem = absl::StrReplaceAll(own.message(), {{"\n", " "}});
  ASSIGN_OR_RETURN(const std::vector<std::string> problems, Gather(options, own.ok() ? "" : problem));
  for (int rank = 0; rank < options.size; ++rank) {
    if (!problems[rank].empty()) {
      return CannotShare(absl::StrCat(RankOf(rank, options.size), " and rank 0: ", problems[rank]));
    }
  }
  return absl::OkStatus();
}

// State of one rank while the memory is opened.
struct OpenState {
  OwnedDescriptor memory;      // memory: on rank 0 from the start, on other ranks once it is received
  OwnedDescriptor listener;    // listening socket, on rank 0 only
  OwnedDescriptor connection;  // connection to rank 0, on other ranks
  std::string nonce;           // proof of this rank
  std::vector<Announcement> announced;
};

absl::Status Announce(const SharedMemoryOptions& options, OpenState& state) {
  const absl::StatusOr<std::string> nonce = RandomHex(kNonceBytes);
  const absl::StatusOr<std::string> name = RandomHex(kNonceBytes);
  state.nonce = nonce.value_or(std::string(kProofDigits, '0'));
  Announcement own = {ThisHost(), absl::StrCat(options.bytes), state.nonce, "",
                      std::string((nonce.ok() ? name : nonce).status().message())};
  if (options.rank == 0 && own.problem.empty()) {
    own.socket = absl::StrCat("lockstep-", *name);
    absl::StatusOr<OwnedDescriptor> memory = MakeMemory(MappedBytes(options));
    absl::StatusOr<OwnedDescriptor> listener = ListenForDescriptors(own.socket);
    own.problem = std::string(memory.ok() ? listener.status().message() : memory.status().message());
    state.memory = memory.ok() ? *std::move(memory) : OwnedDescriptor();
    state.listener = listener.ok() ? *std::move(listener) : OwnedDescriptor();
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> texts, Gather(options, own.Format()));
  for (int rank = 0; rank < options.size; ++rank) {
    const absl::StatusOr<Announcement> announcement = ParseAnnouncement(texts[rank]);
    if (!announcement.ok()) {
      return CannotShare(absl::StrCat(RankOf(rank, options.size), ": ", announcement.status().message()));
    }
    state.announced.push_back(*announcement);
  }
  return CheckAnnouncements(state.announced);
}

absl::Status Connect(const SharedMemoryOptions& options, OpenState& state) {
  if (options.rank != 0) {
    ASSIGN_OR_RETURN(state.connection, ConnectForDescriptor(state.announced[0].socket));
  }
  return absl::OkStatus();
}

// Sends the memory from rank 0 to the other ranks. These must have connected before, so that rank 0 does not wait.
absl::Status PassMemory(const SharedMemoryOptions& options, OpenState& state) {
  if (options.rank == 0) {
    return HandOutDescriptor(state.listener.get(), state.memory.get());
  }
  ASSIGN_OR_RETURN(state.memory, ReceiveDescriptor(state.connection.get(), options.timeout));
  return CheckMemory(state.memory.get(), MappedBytes(options));
}

absl::Status CheckProofs(const uint8_t* head, const std::vector<Announcement>& announced) {
  for (size_t rank = 0; rank < announced.size(); ++rank) {
    if (std::memcmp(head + rank * kProofBytes, announced[rank].nonce.data(), kProofDigits) != 0) {
      return absl::FailedPreconditionError(absl::StrCat("this rank does not see what rank ", rank, " writes"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

SharedMemory::SharedMemory(uint8_t* mapped, size_t mapped_bytes, size_t head_bytes)
    : mapped_(mapped), mapped_bytes_(mapped_bytes), head_bytes_(head_bytes) {}

SharedMemory::~SharedMemory() { munmap(mapped_, mapped_bytes_); }

uint8_t* SharedMemory::data() const { return mapped_ + head_bytes_; }

absl::StatusOr<std::unique_ptr<SharedMemory>> SharedMemory::Map(const SharedMemoryOptions& options, int fd) {
  const size_t bytes = MappedBytes(options);
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    return absl::FailedPreconditionError(absl::StrCat("mapping ", bytes, " bytes: ", std::strerror(errno)));
  }
  return std::unique_ptr<SharedMemory>(new SharedMemory(static_cast<uint8_t*>(mapped), bytes, HeadBytes(options.size)));
}

// Each call of Agree is also a barrier: after it, every rank can rely on the work of all ranks before it.
absl::StatusOr<std::unique_ptr<SharedMemory>> SharedMemory::Open(const SharedMemoryOptions& options) {
  OpenState state;
  RETURN_IF_ERROR(Announce(options, state));
  RETURN_IF_ERROR(Agree(options, Connect(options, state)));

  absl::Status own = PassMemory(options, state);
  std::unique_ptr<SharedMemory> memory;
  if (own.ok()) {
    absl::StatusOr<std::unique_ptr<SharedMemory>> mapped = Map(options, state.memory.get());
    own = mapped.status();
    memory = mapped.ok() ? *std::move(mapped) : nullptr;
  }
  if (own.ok()) {
    std::memcpy(memory->mapped_ + options.rank * kProofBytes, state.nonce.data(), kProofDigits);
    if (options.prepare != nullptr) {
      options.prepare(memory->data());
    }
  }
  RETURN_IF_ERROR(Agree(options, own));
  RETURN_IF_ERROR(Agree(options, CheckProofs(memory->mapped_, state.announced)));
  return memory;
}

}  // namespace lockstep
