#include "lib/launch/store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"
#include "lib/launch/store_client.h"
#include "lib/launch/store_server.h"

namespace lockstep {
namespace {

std::string GatherKey(absl::string_view group, uint64_t round, int rank) {
  return absl::StrCat("gather/", group, group.empty() ? "" : "/", round, "/", rank);
}

// Returns the timeout rounded up to whole milliseconds, at least one, so that a short wait does not become no wait.
absl::Duration RequestTimeout(absl::Duration timeout) {
  return std::clamp(absl::Ceil(timeout, absl::Milliseconds(1)), absl::Milliseconds(1), kMaxStoreTimeout);
}

StoreRequest RequestFor(StoreOperation operation, absl::string_view key) {
  StoreRequest request;
  request.operation = operation;
  request.keys.emplace_back(key);
  return request;
}

// Makes the request. A response that is not kDone becomes UnavailableError.
absl::StatusOr<StoreResponse> Ask(StoreClient& client, const StoreRequest& request) {
  ASSIGN_OR_RETURN(StoreResponse response, client.Call(request));
  switch (response.outcome) {
    case StoreOutcome::kDone:
      return response;
    case StoreOutcome::kTimedOut:
      return absl::UnavailableError(absl::StrCat("store: waited ", absl::FormatDuration(request.timeout), " for ",
                                                 absl::CHexEscape(response.value), ", which no rank set"));
    default:
      return absl::UnavailableError(absl::StrCat("store: refused: ", absl::CHexEscape(response.value)));
  }
}

}  // namespace

Store::Store(std::unique_ptr<StoreServer> server, std::unique_ptr<StoreClient> client, const StoreOptions& options,
             uint16_t port)
    : server_(std::move(server)), client_(std::move(client)), host_(options.host), port_(port),
      timeout_(options.timeout) {}
Store::~Store() = default;

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const StoreOptions& options) {
  std::unique_ptr<StoreServer> server;
  absl::optional<RunSecret> secret = options.secret;
  if (!secret.has_value()) {
    ASSIGN_OR_RETURN(secret, RunSecret::Random());
  }
  if (options.is_host) {
    StoreServerOptions server_options;
    server_options.address = options.host;
    server_options.port = options.port;
    ASSIGN_OR_RETURN(server, StoreServer::Start(*secret, server_options));
  }
  const uint16_t port = server != nullptr ? server->port() : options.port;
  ASSIGN_OR_RETURN(std::unique_ptr<StoreClient> client,
                   StoreClient::Connect(options.host, port, *secret, MonotonicTime::Now() + options.timeout));
  return std::unique_ptr<Store>(new Store(std::move(server), std::move(client), options, port));
}

absl::Status Store::Set(absl::string_view key, absl::string_view value) {
  StoreRequest request = RequestFor(StoreOperation::kSet, key);
  request.value = std::string(value);
  return Ask(*client_, request).status();
}

absl::StatusOr<std::string> Store::Get(absl::string_view key, absl::Duration timeout) {
  StoreRequest request = RequestFor(StoreOperation::kGet, key);
  request.timeout = RequestTimeout(timeout);
  ASSIGN_OR_RETURN(StoreResponse response, Ask(*client_, request));
  return std::move(response.value);
}

absl::Status Store::Wait(const std::vector<std::string>& keys, absl::Duration timeout) {
  if (keys.empty()) {
    return absl::OkStatus();
  }
  StoreRequest request;
  request.operation = StoreOperation::kWait;
  request.keys = keys;
  request.timeout = RequestTimeout(timeout);
  return Ask(*client_, request).status();
}

absl::StatusOr<bool> Store::Has(const std::vector<std::string>& keys) {
  if (keys.empty()) {
    return true;
  }
  StoreRequest request;
  request.operation = StoreOperation::kHas;
  request.keys = keys;
  ASSIGN_OR_RETURN(const StoreResponse response, Ask(*client_, request));
  return response.number != 0;
}

absl::StatusOr<int64_t> Store::Add(absl::string_view key, int64_t amount) {
  StoreRequest request = RequestFor(StoreOperation::kAdd, key);
  request.amount = amount;
  ASSIGN_OR_RETURN(const StoreResponse response, Ask(*client_, request));
  return response.number;
}

absl::StatusOr<std::string> Store::CompareSet(absl::string_view key, absl::string_view expected,
                                              absl::string_view value) {
  StoreRequest request = RequestFor(StoreOperation::kCompareSet, key);
  request.expected = std::string(expected);
  request.value = std::string(value);
  ASSIGN_OR_RETURN(StoreResponse response, Ask(*client_, request));
  return std::move(response.value);
}

absl::StatusOr<bool> Store::Delete(absl::string_view key) {
  ASSIGN_OR_RETURN(const StoreResponse response, Ask(*client_, RequestFor(StoreOperation::kDelete, key)));
  return response.number != 0;
}

absl::StatusOr<int64_t> Store::CountKeys() {
  ASSIGN_OR_RETURN(const StoreResponse response, Ask(*client_, StoreRequest()));
  return response.number;
}

// A rank that has all bytes of a round knows that every rank has read those of the round before. It therefore deletes
// its own bytes of that earlier round, so that the store never holds more than two rounds.
absl::StatusOr<std::vector<std::string>> Store::AllGatherIn(absl::string_view group, int rank, int size,
                                                            absl::string_view bytes) {
  const uint64_t round = rounds_[std::string(group)]++;
  RETURN_IF_ERROR(Set(GatherKey(group, round, rank), bytes));
  std::vector<std::string> all(size);
  for (int r = 0; r < size; ++r) {
    absl::StatusOr<std::string> other = Get(GatherKey(group, round, r));
    if (absl::IsCancelled(other.status())) {
      return other.status();
    }
    if (!other.ok()) {
      return absl::UnavailableError(absl::StrCat("no data from rank ", r, " of ", size, group.empty() ? "" : " in ",
                                                 group, " (", other.status().message(), ")"));
    }
    all[r] = *std::move(other);
  }
  if (round > 0) {
    RETURN_IF_ERROR(Delete(GatherKey(group, round - 1, rank)).status());
  }
  return all;
}

absl::StatusOr<std::vector<std::string>> Store::AllGather(int rank, int size, absl::string_view bytes) {
  return AllGatherIn("", rank, size, bytes);
}

absl::Status Store::Barrier(int rank, int size) { return AllGather(rank, size, "").status(); }

}  // namespace lockstep
