#include "lib/communicator/c10d_store.h"

#include <c10/util/Exception.h>

#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

using Bytes = std::vector<uint8_t>;

std::string ToString(const Bytes& bytes) { return std::string(bytes.begin(), bytes.end()); }

void ThrowUnlessOk(const absl::Status& status) {
  if (!status.ok()) {
    C10_THROW_ERROR(DistStoreError, std::string(status.message()));
  }
}

template <typename Value>
Value ValueOrThrow(absl::StatusOr<Value> value) {
  ThrowUnlessOk(value.status());
  return *std::move(value);
}

// Implements only the calls that LibTorch's process groups use: no queues, and none of the calls that hasExtendedApi
// announces.
class C10dStore : public c10d::Store {
 public:
  explicit C10dStore(lockstep::Store& store) : Store(absl::ToChronoMilliseconds(store.timeout())), store_(store) {}

  c10::intrusive_ptr<Store> clone() override { return c10::make_intrusive<C10dStore>(store_); }

  using Store::compareSet;
  using Store::set;

  void set(const std::string& key, const Bytes& value) override { ThrowUnlessOk(store_.Set(key, ToString(value))); }

  Bytes get(const std::string& key) override {
    const std::string value = ValueOrThrow(store_.Get(key, absl::FromChrono(timeout_)));
    return Bytes(value.begin(), value.end());
  }

  Bytes compareSet(const std::string& key, const Bytes& expected, const Bytes& value) override {
    const std::string held = ValueOrThrow(store_.CompareSet(key, ToString(expected), ToString(value)));
    return Bytes(held.begin(), held.end());
  }

  int64_t add(const std::string& key, int64_t amount) override { return ValueOrThrow(store_.Add(key, amount)); }
  bool deleteKey(const std::string& key) override { return ValueOrThrow(store_.Delete(key)); }
  bool check(const std::vector<std::string>& keys) override { return ValueOrThrow(store_.Has(keys)); }
  int64_t getNumKeys() override { return ValueOrThrow(store_.CountKeys()); }

  void wait(const std::vector<std::string>& keys) override { wait(keys, timeout_); }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds& timeout) override {
    ThrowUnlessOk(store_.Wait(keys, absl::FromChrono(timeout)));
  }

 private:
  lockstep::Store& store_;
};

}  // namespace

c10::intrusive_ptr<c10d::Store> MakeC10dStore(Store& store) { return c10::make_intrusive<C10dStore>(store); }

}  // namespace lockstep
