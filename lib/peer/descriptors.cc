// Sockets of Linux's abstract namespace (unix(7)), which vanish with their last descriptor. A name is 128 random bits, so
// that nobody finds a socket who was not told. A connection is made, written and left without waiting: the kernel keeps
// what was sent until the other rank accepts.
#include "lib/peer/descriptors.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr size_t kNameBytes = 16;

absl::Status ErrnoStatus(absl::string_view what, int error) {
  return absl::UnavailableError(absl::StrCat(what, ": ", strerror(error)));
}

socklen_t SetAddress(absl::string_view name, sockaddr_un& address) {
  address.sun_family = AF_UNIX;  // sun_path[0] stays 0: the abstract namespace
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

absl::StatusOr<Descriptor> NewSocket() {
  Descriptor made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  return made.fd() >= 0 ? absl::StatusOr<Descriptor>(std::move(made)) : ErrnoStatus("making a socket", errno);
}

absl::StatusOr<Descriptor> ListenAt(absl::string_view name, int backlog) {
  ASSIGN_OR_RETURN(Descriptor listener, NewSocket());
  sockaddr_un address = {};
  const socklen_t bytes = SetAddress(name, address);
  if (bind(listener.fd(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0 ||
      listen(listener.fd(), backlog) != 0) {
    return ErrnoStatus("listening at a socket", errno);
  }
  return listener;
}

// One message: the sender's rank, and with it the descriptor.
absl::Status Send(absl::string_view name, uint32_t rank, int mine) {
  ASSIGN_OR_RETURN(const Descriptor connection, NewSocket());
  sockaddr_un address = {};
  const socklen_t bytes = SetAddress(name, address);
  if (connect(connection.fd(), reinterpret_cast<const sockaddr*>(&address), bytes) != 0) {
    return ErrnoStatus("its socket cannot be reached", errno);
  }
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec data = {&rank, sizeof(rank)};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(header), &mine, sizeof(mine));
  return sendmsg(connection.fd(), &message, MSG_NOSIGNAL) == sizeof(rank) ? absl::OkStatus()
                                                                          : ErrnoStatus("sending a descriptor", errno);
}

absl::Status SendToAll(const std::vector<std::string>& names, int rank, int mine) {
  for (size_t other = 0; other < names.size(); ++other) {
    if (names[other].size() != kNameBytes) {
      return absl::UnavailableError(absl::StrCat("rank ", other, " has no socket"));
    }
    const absl::Status sent =
        static_cast<int>(other) == rank ? absl::OkStatus() : Send(names[other], static_cast<uint32_t>(rank), mine);
    if (!sent.ok()) {
      return absl::UnavailableError(absl::StrCat("handing memory to rank ", other, ": ", sent.message()));
    }
  }
  return absl::OkStatus();
}

bool IsOwnUsers(int connection) {
  ucred peer = {};
  socklen_t bytes = sizeof(peer);
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

bool WaitForInput(int fd, absl::Time deadline) {
  const int64_t left = std::max<int64_t>(0, absl::ToInt64Milliseconds(deadline - absl::Now()));
  pollfd wanted = {fd, POLLIN, 0};
  return poll(&wanted, 1, static_cast<int>(std::min<int64_t>(left, 1000))) > 0;
}

struct Received {
  uint32_t rank = 0;
  Descriptor descriptor;
};

// What the next connection sent; no descriptor when it sent none, or nothing that is ours.
Received Receive(int connection, absl::Time deadline) {
  Received received;
  while (!WaitForInput(connection, deadline) && absl::Now() < deadline) {
  }
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec data = {&received.rank, sizeof(received.rank)};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t bytes = recvmsg(connection, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  const cmsghdr* const header = bytes < 0 ? nullptr : CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof(int))) {
    return received;
  }
  int fd = -1;
  memcpy(&fd, CMSG_DATA(header), sizeof(fd));
  if (bytes == sizeof(received.rank)) {
    received.descriptor = Descriptor(fd);
  } else {
    close(fd);
  }
  return received;
}

std::string Missing(const std::vector<Descriptor>& all, int rank) {
  std::string missing;
  for (size_t other = 0; other < all.size(); ++other) {
    if (all[other].fd() < 0 && static_cast<int>(other) != rank) {
      absl::StrAppend(&missing, missing.empty() ? "rank " : ", ", other);
    }
  }
  return missing;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

absl::StatusOr<std::vector<Descriptor>> ExchangeDescriptors(const AllGatherBytes& all_gather, int rank, int size,
                                                            int mine, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  char name[kNameBytes];
  if (getrandom(name, sizeof(name), 0) != sizeof(name)) {
    return ErrnoStatus("random bytes", errno);
  }
  absl::StatusOr<Descriptor> listener = ListenAt(absl::string_view(name, sizeof(name)), size);
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   all_gather(listener.ok() ? absl::string_view(name, sizeof(name)) : ""));
  RETURN_IF_ERROR(listener.status());
  ASSIGN_OR_RETURN(const std::vector<std::string> failures, all_gather(SendToAll(names, rank, mine).message()));
  for (int other = 0; other < size; ++other) {
    if (!failures[other].empty()) {
      return absl::UnavailableError(absl::StrCat("rank ", other, ": ", failures[other]));
    }
  }
  std::vector<Descriptor> all(size);
  while (!Missing(all, rank).empty()) {
    if (absl::Now() >= deadline) {
      return absl::UnavailableError(
          absl::StrCat(Missing(all, rank), " sent no descriptor within ", absl::FormatDuration(timeout)));
    }
    if (!WaitForInput(listener->fd(), deadline)) {
      continue;
    }
    const Descriptor connection(accept4(listener->fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.fd() < 0 || !IsOwnUsers(connection.fd())) {
      continue;
    }
    Received received = Receive(connection.fd(), deadline);
    if (received.rank < all.size()) {
      all[received.rank] = std::move(received.descriptor);
    }
  }
  return all;
}

}  // namespace lockstep
