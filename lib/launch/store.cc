#include "lib/launch/store.h"

#include <c10/util/Logging.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/launch/peer_status.h"

namespace lockstep {
namespace {

// LibTorch's sockets warn of every name they cannot look up and every wait that ends; what matters of that comes back as
// a status. TORCH_CPP_LOG_LEVEL, LibTorch's own variable, brings the warnings back.
void SilenceSocketWarnings() {
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) {
    FLAGS_caffe2_log_level = c10::GLOG_ERROR;
  }
}

std::string GatherKey(uint64_t round, int rank) { return absl::StrCat("gather/", round, "/", rank); }

}  // namespace

struct Store::State {
  c10::intrusive_ptr<c10d::TCPStore> store;
};

Store::Store(std::unique_ptr<State> state, std::string host, uint16_t port)
    : state_(std::move(state)), host_(std::move(host)), port_(port) {}
Store::~Store() = default;

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const StoreOptions& options) {
  SilenceSocketWarnings();
  c10d::TCPStoreOptions torch_options;
  torch_options.port = options.port;
  torch_options.isServer = options.is_host;
  torch_options.waitWorkers = false;
  torch_options.timeout = absl::ToChronoMilliseconds(options.timeout);
  auto state = std::make_unique<State>();
  RETURN_IF_ERROR(CatchPeerErrors(
      absl::StrCat(options.is_host ? "hosting" : "joining", " the store at ", options.host, ":", options.port),
      [&] { state->store = c10::make_intrusive<c10d::TCPStore>(options.host, torch_options); }));
  const uint16_t port = state->store->getPort();
  return std::unique_ptr<Store>(new Store(std::move(state), options.host, port));
}

absl::Status Store::Set(absl::string_view key, absl::string_view value) {
  return CatchPeerErrors(absl::StrCat("store: setting ", key), [&] {
    state_->store->set(std::string(key), std::vector<uint8_t>(value.begin(), value.end()));
  });
}

absl::StatusOr<std::string> Store::Get(absl::string_view key) {
  std::string value;
  RETURN_IF_ERROR(CatchPeerErrors(absl::StrCat("store: waiting for ", key), [&] {
    const std::vector<uint8_t> bytes = state_->store->get(std::string(key));
    value.assign(bytes.begin(), bytes.end());
  }));
  return value;
}

absl::StatusOr<bool> Store::Has(absl::string_view key) {
  bool has = false;
  RETURN_IF_ERROR(CatchPeerErrors(absl::StrCat("store: asking for ", key),
                                  [&] { has = state_->store->check({std::string(key)}); }));
  return has;
}

absl::StatusOr<std::vector<std::string>> Store::AllGather(int rank, int size, absl::string_view bytes) {
  const uint64_t round = round_++;
  RETURN_IF_ERROR(Set(GatherKey(round, rank), bytes));
  std::vector<std::string> all(size);
  for (int r = 0; r < size; ++r) {
    absl::StatusOr<std::string> other = Get(GatherKey(round, r));
    if (!other.ok()) {
      return absl::UnavailableError(
          absl::StrCat("waited in vain for rank ", r, " of ", size, " (", other.status().message(), ")"));
    }
    all[r] = *std::move(other);
  }
  return all;
}

absl::Status Store::Barrier(int rank, int size) { return AllGather(rank, size, "").status(); }

c10d::Store* Store::raw() { return state_->store.get(); }

}  // namespace lockstep
