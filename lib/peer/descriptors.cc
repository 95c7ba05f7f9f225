#include "lib/peer/descriptors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

constexpr size_t kNameBytes = 16;

// A connection to each other rank that listens.
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
                          absl::StrCat("rank ", other, " cannot hand memory over: ", connection.status().message()));
    }
    connections[other] = *std::move(connection);
  }
  return connections;
}

}  // namespace

absl::StatusOr<std::vector<OwnedDescriptor>> ExchangeDescriptors(const GatherBytes& gather, int rank, int size,
                                                                 int mine, absl::Duration timeout) {
  const std::string name = RandomHex(kNameBytes);
  const absl::StatusOr<OwnedDescriptor> listener = ListenForDescriptors(name);
  ASSIGN_OR_RETURN(const std::vector<std::string> names, gather(listener.ok() ? name : ""));
  const absl::StatusOr<std::vector<OwnedDescriptor>> connections = ConnectToAll(names, rank);
  ASSIGN_OR_RETURN(const std::vector<std::string> failures, gather(connections.status().message()));
  for (int other = 0; other < size; ++other) {
    if (!failures[other].empty()) {
      return absl::FailedPreconditionError(absl::StrCat("rank ", other, ": ", failures[other]));
    }
  }
  RETURN_IF_ERROR(HandOutDescriptor(listener->get(), mine));  // all have connected
  std::vector<OwnedDescriptor> all(size);
  for (int other = 0; other < size; ++other) {
    if (other != rank) {
      ASSIGN_OR_RETURN(all[other], ReceiveDescriptor((*connections)[other].get(), timeout));
    }
  }
  return all;
}

}  // namespace lockstep
