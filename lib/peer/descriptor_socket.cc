#include "lib/peer/descriptor_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/random_bytes.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr int kFlags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

// Control message with one descriptor.
union DescriptorMessage {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

absl::Status SystemError(absl::string_view call) {
  return absl::FailedPreconditionError(absl::StrCat(call, ": ", std::strerror(errno)));
}

// Fills `address` and returns its size. An abstract name begins with a zero byte, and the size of the address ends it.
socklen_t FillAddress(absl::string_view name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const size_t length = std::min(name.size(), sizeof(address.sun_path) - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

// Returns true if the process at the other end has the same user as this process.
bool IsSameUser(int connection) {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

// Returns a message with one byte, which distinguishes it from the end of the connection.
msghdr OneByteMessage(iovec& part, DescriptorMessage& control) {
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof(control.bytes);
  return message;
}

absl::Status SendDescriptor(int connection, int fd) {
  char byte = 0;
  iovec part = {&byte, 1};
  DescriptorMessage control = {};
  const msghdr message = OneByteMessage(part, control);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof(int));
  return sendmsg(connection, &message, MSG_NOSIGNAL) == 1 ? absl::OkStatus() : SystemError("sendmsg");
}

// Waits until `deadline`. Returns true if there is something to read, or the connection has ended.
bool WaitReadable(int fd, MonotonicTime deadline) {
  pollfd readable = {fd, POLLIN, 0};
  for (;;) {
    const int64_t left = std::max<int64_t>(0, absl::ToInt64Milliseconds(deadline - MonotonicTime::Now()));
    const int count = poll(&readable, 1, static_cast<int>(std::min<int64_t>(left, std::numeric_limits<int>::max())));
    if (count >= 0 || errno != EINTR) {
      return count > 0;
    }
  }
}

}  // namespace

absl::StatusOr<std::string> RandomHex(size_t bytes) {
  ASSIGN_OR_RETURN(const std::string random, RandomBytes(bytes));
  return absl::BytesToHexString(random);
}

absl::StatusOr<OwnedDescriptor> ListenForDescriptors(absl::string_view name) {
  OwnedDescriptor listener(socket(AF_UNIX, kFlags, 0));
  sockaddr_un address;
  const socklen_t size = FillAddress(name, address);
  if (listener.get() < 0 || bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener.get(), SOMAXCONN) != 0) {
    return SystemError("an abstract unix socket");
  }
  return listener;
}

absl::Status HandOutDescriptor(int listener, int fd) {
  for (;;) {
    const OwnedDescriptor connection(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (connection.get() < 0 && (errno == EINTR || errno == ECONNABORTED)) {
      continue;
    }
    if (connection.get() < 0) {
      return errno == EAGAIN ? absl::OkStatus() : SystemError("accept");
    }
    if (IsSameUser(connection.get())) {
      // A failure is ignored: a process that is gone reports it itself, or the other processes miss it.
      (void)SendDescriptor(connection.get(), fd);
    }
  }
}

absl::StatusOr<OwnedDescriptor> ConnectForDescriptor(absl::string_view name) {
  OwnedDescriptor connection(socket(AF_UNIX, kFlags, 0));
  sockaddr_un address;
  const socklen_t size = FillAddress(name, address);
  if (connection.get() < 0 || connect(connection.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) {
    return SystemError("connecting to its unix socket");
  }
  if (!IsSameUser(connection.get())) {
    return absl::FailedPreconditionError("it runs for another user");
  }
  return connection;
}

absl::StatusOr<OwnedDescriptor> ReceiveDescriptor(int connection, absl::Duration timeout) {
  if (!WaitReadable(connection, MonotonicTime::Now() + timeout)) {
    return absl::FailedPreconditionError(absl::StrCat("it shared no memory within ", absl::FormatDuration(timeout)));
  }
  char byte = 0;
  iovec part = {&byte, 1};
  DescriptorMessage control = {};
  msghdr message = OneByteMessage(part, control);
  const ssize_t count = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  if (count < 0) {
    return SystemError("recvmsg");
  }
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (count == 0 || header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) {
    return absl::FailedPreconditionError("it refused this process, which may run for another user");
  }
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof(int));
  return OwnedDescriptor(fd);
}

}  // namespace lockstep
