#include "lib/launch/store_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace lockstep {
namespace {

StoreResponse Refused(std::string why) { return {StoreOutcome::kRefused, 0, std::move(why)}; }

StoreResponse Number(int64_t number) { return {StoreOutcome::kDone, number, ""}; }

}  // namespace

void StoreTable::Handle(uint64_t client, StoreRequest request, MonotonicTime now,
                        std::vector<ClientResponse>& responses) {
  const std::string key = request.keys.empty() ? "" : request.keys[0];
  switch (request.operation) {
    case StoreOperation::kSet:
      responses.push_back({client, Put(key, std::move(request.value))});
      break;
    case StoreOperation::kAdd:
      responses.push_back({client, Add(key, request.amount)});
      break;
    case StoreOperation::kCompareSet:
      responses.push_back({client, CompareSet(std::move(request))});
      break;
    case StoreOperation::kDelete:
      responses.push_back({client, Delete(key)});
      break;
    case StoreOperation::kHas:
      responses.push_back({client, Number(FirstMissing(request) == nullptr ? 1 : 0)});
      break;
    case StoreOperation::kCountKeys:
      responses.push_back({client, Number(static_cast<int64_t>(values_.size()))});
      break;
    case StoreOperation::kGet:
    case StoreOperation::kWait: {
      const MonotonicTime until = now + request.timeout;
      waiting_[client] = {std::move(request), until};
      break;
    }
  }
  RespondToWaiting(responses);
}

void StoreTable::Expire(MonotonicTime now, std::vector<ClientResponse>& responses) {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (next->second.until > now) {
      ++next;
      continue;
    }
    responses.push_back({next->first, {StoreOutcome::kTimedOut, 0, *FirstMissing(next->second.request)}});
    next = waiting_.erase(next);
  }
}

MonotonicTime StoreTable::NextExpiry() const {
  MonotonicTime first = MonotonicTime::InfiniteFuture();
  for (const auto& [client, waiting] : waiting_) {
    first = std::min(first, waiting.until);
  }
  return first;
}

const std::string* StoreTable::FirstMissing(const StoreRequest& request) const {
  const auto missing = std::find_if(request.keys.begin(), request.keys.end(),
                                    [this](const std::string& key) { return values_.count(key) == 0; });
  return missing == request.keys.end() ? nullptr : &*missing;
}

StoreResponse StoreTable::Respond(const StoreRequest& request) const {
  StoreResponse response;
  if (request.operation == StoreOperation::kGet) {
    response.value = values_.at(request.keys[0]);
  }
  return response;
}

StoreResponse StoreTable::Put(const std::string& key, std::string value) {
  const auto held = values_.find(key);
  const size_t before = held == values_.end() ? 0 : key.size() + held->second.size() + kEntryBytes;
  const size_t after = bytes_ - before + key.size() + value.size() + kEntryBytes;
  if (after > max_bytes_) {
    return Refused(absl::StrCat("expected at most ", max_bytes_, " bytes in all, found ", after));
  }
  bytes_ = after;
  values_[key] = std::move(value);
  return StoreResponse();
}

StoreResponse StoreTable::Add(const std::string& key, int64_t amount) {
  const auto held = values_.find(key);
  int64_t number = 0;
  if (held != values_.end() && !absl::SimpleAtoi(held->second, &number)) {
    return Refused("expected a key that holds a number, to add to it");
  }
  if (__builtin_add_overflow(number, amount, &number)) {
    return Refused("expected a sum of 64 bits");
  }
  StoreResponse response = Put(key, absl::StrCat(number));
  response.number = response.outcome == StoreOutcome::kDone ? number : 0;
  return response;
}

// Follows the rules of c10d::TCPStore: a key that is not set is set if `expected` is empty; otherwise `expected` is
// returned.
StoreResponse StoreTable::CompareSet(StoreRequest request) {
  const std::string& key = request.keys[0];
  const auto held = values_.find(key);
  const bool sets = held == values_.end() ? request.expected.empty() : held->second == request.expected;
  if (!sets) {
    return {StoreOutcome::kDone, 0, held == values_.end() ? std::move(request.expected) : held->second};
  }
  StoreResponse response = Put(key, std::move(request.value));
  if (response.outcome == StoreOutcome::kDone) {
    response.value = values_.at(key);
  }
  return response;
}

StoreResponse StoreTable::Delete(const std::string& key) {
  const auto held = values_.find(key);
  if (held == values_.end()) {
    return Number(0);
  }
  bytes_ -= key.size() + held->second.size() + kEntryBytes;
  values_.erase(held);
  return Number(1);
}

void StoreTable::RespondToWaiting(std::vector<ClientResponse>& responses) {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    if (FirstMissing(next->second.request) != nullptr) {
      ++next;
      continue;
    }
    responses.push_back({next->first, Respond(next->second.request)});
    next = waiting_.erase(next);
  }
}

}  // namespace lockstep
