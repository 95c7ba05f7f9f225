// File descriptors handed from each rank to every other rank of a host, over sockets that have no name in a file system:
// what one process holds, such as memory, others then hold too, for as long as they want.
#ifndef LOCKSTEP_LIB_PEER_DESCRIPTORS_H_
#define LOCKSTEP_LIB_PEER_DESCRIPTORS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace lockstep {

// A descriptor that is closed at the end; -1: none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  int fd() const { return fd_; }

 private:
  int fd_;
};

// Few bytes of every rank, in rank order; all ranks call it, each with its own.
using AllGatherBytes = std::function<absl::StatusOr<std::vector<std::string>>(absl::string_view bytes)>;

// Every rank hands `mine` to all others, and has those of all afterwards, in rank order; its own place is empty. All ranks
// call it, at once; processes of another user are not listened to. Unavailable, on every rank: one cannot reach another, as
// in another network namespace or on another host; or nothing came within `timeout`. Others are all_gather's.
absl::StatusOr<std::vector<Descriptor>> ExchangeDescriptors(const AllGatherBytes& all_gather, int rank, int size,
                                                            int mine, absl::Duration timeout);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PEER_DESCRIPTORS_H_
