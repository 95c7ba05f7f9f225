#include "lib/peer/descriptors.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr size_t kNameBytes = 16;

// Returns a connection to each other rank. Returns an error if a rank does not listen.
absl::StatusOr<std::vector<OwnedDescriptor>> ConnectToAll(const std::vector<std::string>& names, int rank) {
  std::vector<OwnedDescriptor> connections(names.size());
  for (size_t other = 0; other < names.size(); ++other) {
    if (static_cast<int>(other) == rank) {
      continue;
    }
    absl::StatusOr<OwnedDescriptor> connection =
        names[other].empty() ? absl::FailedPreconditionError("it does not listen") : ConnectForDescriptor(names[other]);
    if (!connection.ok()) {
      return absl::Status(connection.status().code(),
                          absl::StrCat("rank ", other, " cannot share its memory: ", connection.status().message()));
    }
    connections[other] = *std::move(connection);
  }
  return connections;
}

// Returns the first failure of all ranks on every rank, as FailedPreconditionError whatever its code.
absl::Status AgreeToShare(const GatherBytes& gather, const absl::Status& mine) {
  return Agree(gather, mine.ok() ? mine : absl::FailedPreconditionError(mine.message()));
}

// Sends `mine` to all other ranks and receives theirs. All ranks must have connected. A rank that `mine` did not reach
// sees its connection closed with the listener.
absl::Status HandOver(const OwnedDescriptor listener, const std::vector<OwnedDescriptor>& connections, int rank,
                      int mine, absl::Duration timeout, std::vector<OwnedDescriptor>& all) {
  RETURN_IF_ERROR(HandOutDescriptor(listener.get(), mine));
  for (size_t other = 0; other < connections.size(); ++other) {
    if (static_cast<int>(other) != rank) {
      ASSIGN_OR_RETURN(all[other], ReceiveDescriptor(connections[other].get(), timeout));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<OwnedDescriptor>> ExchangeDescriptors(const GatherBytes& gather, int rank, int size,
                                                                 int mine, absl::Duration timeout) {
  const absl::StatusOr<std::string> name = RandomHex(kNameBytes);
  absl::StatusOr<OwnedDescriptor> listener = name.ok() ? ListenForDescriptors(*name) : name.status();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, gather(listener.ok() ? *name : ""));
  const absl::StatusOr<std::vector<OwnedDescriptor>> connections = ConnectToAll(names, rank);
  RETURN_IF_ERROR(AgreeToShare(gather, connections.status()));
  std::vector<OwnedDescriptor> all(size);
  RETURN_IF_ERROR(AgreeToShare(gather, HandOver(*std::move(listener), *connections, rank, mine, timeout, all)));
  return all;
}

}  // namespace lockstep
