// Keys and values of the ranks' store, and the requests that wait for a key. Does not depend on sockets or threads: the
// server's thread (store_server.h) passes requests to the table and sends its responses.
#ifndef LOCKSTEP_LIB_LAUNCH_STORE_TABLE_H_
#define LOCKSTEP_LIB_LAUNCH_STORE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/monotonic_time.h"
#include "lib/launch/store_messages.h"

namespace lockstep {

// Response to the request of one client.
struct ClientResponse {
  uint64_t client = 0;
  StoreResponse response;
};

// Not thread-safe.
class StoreTable {
 public:
  // `max_bytes` is the limit on the bytes of all keys and values, plus kEntryBytes for each entry.
  explicit StoreTable(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Bytes that are counted for each entry in addition to its key and its value.
  static constexpr size_t kEntryBytes = 128;

  // Handles a request. Appends its response to `responses`, in a later call if the request waits for a key, and the
  // responses to waiting requests whose last missing key it set. A client must have at most one waiting request.
  void Handle(uint64_t client, StoreRequest request, MonotonicTime now, std::vector<ClientResponse>& responses);

  // Appends the responses to requests whose timeout has ended.
  void Expire(MonotonicTime now, std::vector<ClientResponse>& responses);

  // Returns the time at which the next request expires; InfiniteFuture if no request waits.
  MonotonicTime NextExpiry() const;

  // Drops the waiting request of a client that is gone.
  void DropClient(uint64_t client) { waiting_.erase(client); }

  size_t bytes() const { return bytes_; }

 private:
  struct Waiting {
    StoreRequest request;
    MonotonicTime until = MonotonicTime::InfiniteFuture();
  };

  // Returns the first key of the request that is not set, or null if all are set.
  const std::string* FirstMissing(const StoreRequest& request) const;
  StoreResponse Respond(const StoreRequest& request) const;  // all keys of the request must be set
  StoreResponse Put(const std::string& key, std::string value);
  StoreResponse Add(const std::string& key, int64_t amount);
  StoreResponse CompareSet(StoreRequest request);
  StoreResponse Delete(const std::string& key);
  void RespondToWaiting(std::vector<ClientResponse>& responses);

  const size_t max_bytes_;
  size_t bytes_ = 0;
  std::map<std::string, std::string> values_;
  std::map<uint64_t, Waiting> waiting_;  // waiting requests by client
};

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_LAUNCH_STORE_TABLE_H_
