#include "lib/launch/store_messages.h"

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

void AppendInteger(uint64_t value, size_t bytes, std::string& out) {
  for (size_t i = bytes; i-- > 0;) {
    out.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  }
}

void AppendText(absl::string_view text, size_t length_bytes, std::string& out) {
  AppendInteger(text.size(), length_bytes, out);
  out.append(text.data(), text.size());
}

absl::Status Broken(absl::string_view what, absl::string_view found) {
  return absl::DataLossError(absl::StrCat("expected ", what, " of the ranks' store, found ", found));
}

// Reader of the fields of a message in order. After a missing field, `ok()` is false and every field is empty.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && bytes_.empty(); }

  uint64_t Integer(size_t bytes) {
    uint64_t value = 0;
    for (const char c : Take(bytes)) {
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }

  std::string Text(size_t length_bytes) { return std::string(Take(Integer(length_bytes))); }

 private:
  absl::string_view Take(uint64_t count) {
    ok_ = ok_ && count <= bytes_.size();
    const absl::string_view taken = ok_ ? bytes_.substr(0, count) : absl::string_view();
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  absl::string_view bytes_;
  bool ok_ = true;
};

// Returns true if the request has a valid number of keys for its operation.
bool KeysFit(const StoreRequest& request) {
  switch (request.operation) {
    case StoreOperation::kCountKeys:
      return request.keys.empty();
    case StoreOperation::kWait:
    case StoreOperation::kHas:
      return !request.keys.empty();
    default:
      return request.keys.size() == 1;
  }
}

// Returns true if all fields that the operation does not use are empty.
bool FieldsFit(const StoreRequest& request) {
  const StoreOperation operation = request.operation;
  const bool compares = operation == StoreOperation::kCompareSet;
  const bool waits = operation == StoreOperation::kGet || operation == StoreOperation::kWait;
  return (compares || operation == StoreOperation::kSet || request.value.empty()) &&
         (compares || request.expected.empty()) && (operation == StoreOperation::kAdd || request.amount == 0) &&
         (waits || request.timeout == absl::ZeroDuration());
}

}  // namespace

std::string EncodeStoreRequest(const StoreRequest& request) {
  std::string bytes;
  AppendInteger(static_cast<uint64_t>(request.operation), 1, bytes);
  AppendInteger(static_cast<uint64_t>(absl::ToInt64Milliseconds(request.timeout)), 8, bytes);
  AppendInteger(static_cast<uint64_t>(request.amount), 8, bytes);
  AppendInteger(request.keys.size(), 2, bytes);
  for (const std::string& key : request.keys) {
    AppendText(key, 2, bytes);
  }
  AppendText(request.value, 4, bytes);
  AppendText(request.expected, 4, bytes);
  return bytes;
}

std::string EncodeStoreResponse(const StoreResponse& response) {
  std::string bytes;
  AppendInteger(static_cast<uint64_t>(response.outcome), 1, bytes);
  AppendInteger(static_cast<uint64_t>(response.number), 8, bytes);
  AppendText(response.value, 4, bytes);
  return bytes;
}

absl::StatusOr<StoreRequest> ParseStoreRequest(absl::string_view bytes) {
  Reader reader(bytes);
  StoreRequest request;
  const uint64_t operation = reader.Integer(1);
  if (operation < static_cast<uint64_t>(StoreOperation::kSet) ||
      operation > static_cast<uint64_t>(StoreOperation::kCountKeys)) {
    return Broken("an operation", absl::StrCat("number ", operation));
  }
  request.operation = static_cast<StoreOperation>(operation);
  const uint64_t timeout = reader.Integer(8);
  if (timeout > static_cast<uint64_t>(absl::ToInt64Milliseconds(kMaxStoreTimeout))) {
    return Broken("a wait of at most a year", absl::StrCat(timeout, " ms"));
  }
  request.timeout = absl::Milliseconds(static_cast<int64_t>(timeout));
  request.amount = static_cast<int64_t>(reader.Integer(8));
  const uint64_t keys = reader.Integer(2);
  if (keys > kMaxStoreKeys) {
    return Broken(absl::StrCat("at most ", kMaxStoreKeys, " keys"), absl::StrCat(keys));
  }
  for (uint64_t i = 0; i < keys && reader.ok(); ++i) {
    request.keys.push_back(reader.Text(2));
    if (request.keys.back().size() > kMaxStoreKeyBytes) {
      return Broken(absl::StrCat("a key of at most ", kMaxStoreKeyBytes, " bytes"),
                    absl::StrCat(request.keys.back().size(), " bytes"));
    }
  }
  request.value = reader.Text(4);
  request.expected = reader.Text(4);
  if (!reader.AtEnd()) {
    return Broken("one whole request", reader.ok() ? "more bytes after it" : "its beginning only");
  }
  if (request.value.size() > kMaxStoreValueBytes || request.expected.size() > kMaxStoreValueBytes) {
    return Broken(absl::StrCat("a value of at most ", kMaxStoreValueBytes, " bytes"), "a longer one");
  }
  if (!KeysFit(request) || !FieldsFit(request)) {
    return Broken("the fields of an operation", "others");
  }
  return request;
}

absl::StatusOr<StoreResponse> ParseStoreResponse(absl::string_view bytes) {
  Reader reader(bytes);
  StoreResponse response;
  const uint64_t outcome = reader.Integer(1);
  if (outcome < static_cast<uint64_t>(StoreOutcome::kDone) || outcome > static_cast<uint64_t>(StoreOutcome::kRefused)) {
    return Broken("an outcome", absl::StrCat("number ", outcome));
  }
  response.outcome = static_cast<StoreOutcome>(outcome);
  response.number = static_cast<int64_t>(reader.Integer(8));
  response.value = reader.Text(4);
  if (!reader.AtEnd()) {
    return Broken("one whole response", reader.ok() ? "more bytes after it" : "its beginning only");
  }
  if (response.value.size() > kMaxStoreValueBytes) {
    return Broken(absl::StrCat("a value of at most ", kMaxStoreValueBytes, " bytes"), "a longer one");
  }
  return response;
}

}  // namespace lockstep
