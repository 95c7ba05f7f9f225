#include "lib/launch/store_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/launch/store_client.h"
#include "lib/launch/tcp_socket.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::_;
using ::testing::HasSubstr;

constexpr auto kUnavailable = absl::StatusCode::kUnavailable;
constexpr absl::Duration kTestTimeout = absl::Seconds(60);

uint64_t ResidentBytes() {
  uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Reads until the other end closes the connection. Returns false if it does not within kTestTimeout.
bool ReadToEnd(const TcpSocket& socket, std::string& bytes) {
  char buffer[4096];
  while (WaitReadable(socket, kTestTimeout)) {
    const ssize_t n = recv(socket.fd(), buffer, sizeof(buffer), 0);
    if (n <= 0) {
      return true;
    }
    bytes.append(buffer, static_cast<size_t>(n));
  }
  return false;
}

// Relay between one client and the server that records the bytes of the client. It changes one bit of the client's byte
// `alter_at`.
class Relay {
 public:
  Relay(uint16_t server_port, size_t alter_at) : listener_(*ListenOn(kLoopback, 0)), alter_at_(alter_at) {
    thread_ = std::thread([this, server_port] { Run(server_port); });
  }
  ~Relay() { Join(); }

  uint16_t port() const { return LocalPort(listener_); }

  // Waits until one of the two ends has closed the connection. Returns the bytes that the client sent.
  std::string Join() {
    if (thread_.joinable()) {
      thread_.join();
    }
    return captured_;
  }

 private:
  void Run(uint16_t server_port) {
    if (!WaitReadable(listener_, kTestTimeout)) {
      return;
    }
    const TcpSocket client(accept(listener_.fd(), nullptr, nullptr));
    const absl::StatusOr<TcpSocket> server = ConnectOnce(kLoopback, server_port);
    while (server.ok() && (Pass(client, *server, true) && Pass(*server, client, false))) {
    }
  }

  bool Pass(const TcpSocket& from, const TcpSocket& to, bool from_client) {
    if (!WaitReadable(from, absl::Milliseconds(1))) {
      return true;
    }
    char buffer[4096];
    const ssize_t n = recv(from.fd(), buffer, sizeof(buffer), 0);
    if (n <= 0) {
      return false;
    }
    for (ssize_t i = 0; from_client && i < n; ++i) {
      captured_.push_back(buffer[i]);
      buffer[i] = captured_.size() > alter_at_ ? static_cast<char>(buffer[i] ^ 1) : buffer[i];
    }
    return SendAll(to, absl::string_view(buffer, static_cast<size_t>(n)), MonotonicTime::Now() + kTestTimeout).ok();
  }

  const TcpSocket listener_;
  const size_t alter_at_;
  std::string captured_;
  std::thread thread_;
};

class StoreServerTest : public ::testing::Test {
 protected:
  void Start(int clients) {
    StoreServerOptions options;
    options.clients = clients;
    auto server = StoreServer::Start(secret_, options);
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
  }

  absl::StatusOr<std::unique_ptr<StoreClient>> Connect() { return Connect(server_->port()); }
  absl::StatusOr<std::unique_ptr<StoreClient>> Connect(uint16_t port) {
    return StoreClient::Connect(kLoopback, port, secret_, MonotonicTime::Now() + kTestTimeout);
  }

  TcpSocket Stranger() { return *ConnectOnce(kLoopback, server_->port()); }

  const RunSecret secret_ = *RunSecret::Random();
  std::unique_ptr<StoreServer> server_;
};

StoreRequest Request(StoreOperation operation, const std::string& key, const std::string& value = "") {
  StoreRequest request;
  request.operation = operation;
  request.keys = {key};
  request.value = value;
  return request;
}

StoreRequest Get(const std::string& key, absl::Duration timeout = kTestTimeout) {
  StoreRequest request = Request(StoreOperation::kGet, key);
  request.timeout = timeout;
  return request;
}

absl::Status Set(StoreClient& client, const std::string& key, const std::string& value) {
  return client.Call(Request(StoreOperation::kSet, key, value)).status();
}

TEST_F(StoreServerTest, ServesSeveralClientsAtOnce) {
  constexpr int kClients = 8;
  constexpr int kRounds = 200;
  Start(kClients);
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([this, i] {
      const auto client = Connect();
      ASSERT_THAT(client, IsOk());
      for (int round = 0; round < kRounds; ++round) {
        ASSERT_THAT(Set(**client, absl::StrCat(round, "/", i), absl::StrCat("value of ", i)), IsOk());
        const auto other = (*client)->Call(Get(absl::StrCat(round, "/", (i + 1) % kClients)));
        ASSERT_THAT(other, IsOk());
        ASSERT_EQ(other->value, absl::StrCat("value of ", (i + 1) % kClients));
        StoreRequest add = Request(StoreOperation::kAdd, "count");
        add.amount = 1;
        ASSERT_THAT((*client)->Call(add), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  server_.reset();  // no client is connected
  SUCCEED();
}

TEST_F(StoreServerTest, CountsWhatSeveralClientsAddAtOnce) {
  Start(3);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([this] {
      const auto client = Connect();
      ASSERT_THAT(client, IsOk());
      StoreRequest add = Request(StoreOperation::kAdd, "count");
      add.amount = 1;
      for (int round = 0; round < 100; ++round) {
        ASSERT_THAT((*client)->Call(add), IsOk());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const auto client = Connect();
  ASSERT_THAT(client, IsOk());
  const auto count = (*client)->Call(Get("count"));
  ASSERT_THAT(count, IsOk());
  EXPECT_EQ(count->value, "300");
}

TEST_F(StoreServerTest, AGetEndsAfterItsTimeoutAndTheClientGoesOn) {
  Start(1);
  const auto client = Connect();
  ASSERT_THAT(client, IsOk());
  const auto none = (*client)->Call(Get("nobody sets it", absl::Milliseconds(50)));
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(none->outcome, StoreOutcome::kTimedOut);
  EXPECT_THAT(Set(**client, "k", "v"), IsOk());
}

TEST_F(StoreServerTest, CarriesValuesUpToTheLimit) {
  Start(1);
  const auto client = Connect();
  ASSERT_THAT(client, IsOk());
  const std::string largest(kMaxStoreValueBytes, 'v');
  ASSERT_THAT(Set(**client, "k", largest), IsOk());
  const auto read = (*client)->Call(Get("k"));
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(read->value == largest);
  EXPECT_THAT(Set(**client, "k", largest + "x"), StatusIs(absl::StatusCode::kInternal, _));
  EXPECT_THAT(Set(**client, std::string(kMaxStoreKeyBytes + 1, 'k'), ""), StatusIs(absl::StatusCode::kInternal, _));
  EXPECT_THAT(Set(**client, "k", "it goes on"), IsOk());
}

TEST_F(StoreServerTest, AClientThatDiesLeavesItsPlaceAndItsValues) {
  Start(1);
  {
    const auto client = Connect();
    ASSERT_THAT(client, IsOk());
    ASSERT_THAT(Set(**client, "k", "v"), IsOk());
  }
  // The server notices the end of the first client after a moment. Until then it closes a new client's connection.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const auto client = Connect();
    ASSERT_THAT(client, IsOk());
    const auto read = (*client)->Call(Get("k"));
    if (read.ok()) {
      EXPECT_EQ(read->value, "v");
      return;
    }
    absl::SleepFor(absl::Milliseconds(10));
  }
  FAIL() << "the place of a client that is gone stays taken";
}

TEST_F(StoreServerTest, AClientBeyondTheNumberOfRanksIsClosed) {
  Start(1);
  const auto client = Connect();
  ASSERT_THAT(client, IsOk());
  ASSERT_THAT(Set(**client, "k", "v"), IsOk());
  const auto second = Connect();
  ASSERT_THAT(second, IsOk());
  EXPECT_THAT((*second)->Call(Get("k")), StatusIs(kUnavailable, _));
  EXPECT_THAT((*client)->Call(Get("k")), IsOk());
}

TEST_F(StoreServerTest, AWaitingClientIsNotifiedThatTheServerIsGone) {
  Start(1);
  const auto client = Connect();
  ASSERT_THAT(client, IsOk());
  std::thread waits([&] { EXPECT_THAT((*client)->Call(Get("k")), StatusIs(kUnavailable, HasSubstr("is gone"))); });
  absl::SleepFor(absl::Milliseconds(50));
  server_.reset();
  waits.join();
  EXPECT_THAT(Set(**client, "k", "v"), StatusIs(kUnavailable, _));
}

TEST_F(StoreServerTest, stranger_without_the_secret_is_not_let_in) {
  Start(1);
  EXPECT_THAT(
      StoreClient::Connect(kLoopback, server_->port(), *RunSecret::Random(), MonotonicTime::Now() + absl::Seconds(1)),
      StatusIs(kUnavailable, _));
  const auto client = Connect();  // a slot must still be free
  ASSERT_THAT(client, IsOk());
  EXPECT_THAT(Set(**client, "k", "v"), IsOk());
}

TEST_F(StoreServerTest, stranger_replays_a_captured_connection) {
  Start(2);
  Relay relay(server_->port(), SIZE_MAX);
  {
    const auto client = Connect(relay.port());
    ASSERT_THAT(client, IsOk());
    ASSERT_THAT(Set(**client, "k", "forged"), IsOk());
  }
  const std::string captured = relay.Join();
  ASSERT_GT(captured.size(), kHandshakeBytes);
  const auto client = Connect();
  ASSERT_THAT(client, IsOk());
  ASSERT_THAT(Set(**client, "k", "measured"), IsOk());
  const TcpSocket stranger = Stranger();
  ASSERT_THAT(SendAll(stranger, captured, MonotonicTime::Now() + kTestTimeout), IsOk());
  std::string answer;
  EXPECT_TRUE(ReadToEnd(stranger, answer));
  EXPECT_LE(answer.size(), kHandshakeBytes - kDigestBytes);  // a nonce without a proof
  const auto read = (*client)->Call(Get("k"));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->value, "measured");
}

TEST_F(StoreServerTest, stranger_between_rank_and_store_alters_a_value) {
  Start(2);
  Relay relay(server_->port(), kHandshakeBytes + 40);  // inside the request
  {
    const auto client = Connect(relay.port());
    ASSERT_THAT(client, IsOk());
    EXPECT_THAT(Set(**client, "key that is long enough", "and its value, too"), StatusIs(kUnavailable, _));
  }
  relay.Join();
  const auto client = Connect();
  ASSERT_THAT(client, IsOk());
  StoreRequest count;
  const auto keys = (*client)->Call(count);
  ASSERT_THAT(keys, IsOk());
  EXPECT_EQ(keys->number, 0);
}

TEST_F(StoreServerTest, strangers_stall_in_every_state) {
  Start(1);
  std::vector<TcpSocket> strangers;
  for (int i = 0; i < 100; ++i) {
    strangers.push_back(Stranger());
    const std::string begins = absl::StrCat(kHandshakeMagic, std::string(kNonceBytes, 'n'), "half a proof");
    SendAll(strangers.back(), begins.substr(0, i % begins.size()), MonotonicTime::Now() + kTestTimeout).IgnoreError();
  }
  const auto client = Connect();
  ASSERT_THAT(client, IsOk());
  EXPECT_THAT(Set(**client, "k", "v"), IsOk());
}

TEST_F(StoreServerTest, strangers_flood_with_random_bytes) {
  Start(2);
  const auto before = Connect();
  ASSERT_THAT(before, IsOk());
  ASSERT_THAT(Set(**before, "k", "v"), IsOk());
  const uint64_t resident = ResidentBytes();
  std::atomic<bool> stop{false};
  std::atomic<int> attempts{0};
  std::vector<std::thread> strangers;
  for (int i = 0; i < 2; ++i) {
    strangers.emplace_back([&, i] {
      std::mt19937 random(i);
      while (!stop) {
        const absl::StatusOr<TcpSocket> stranger = ConnectOnce(kLoopback, server_->port());
        std::string bytes(random() % 70'000, '\0');
        for (char& c : bytes) {
          c = static_cast<char>(random());
        }
        if (random() % 2 == 0) {
          bytes = absl::StrCat(kHandshakeMagic, bytes);
        }
        if (stranger.ok()) {
          SendAll(*stranger, bytes, MonotonicTime::Now()).IgnoreError();
        }
        ++attempts;
      }
    });
  }
  for (int round = 0; round < 20; ++round) {  // an earlier client, and new clients meanwhile
    ASSERT_THAT(Set(**before, "k", "v"), IsOk());
    const auto client = Connect();
    ASSERT_THAT(client, IsOk());
    ASSERT_THAT((*client)->Call(Request(StoreOperation::kHas, "k")),
                ::testing::AnyOf(IsOk(), StatusIs(kUnavailable, _)));
  }
  while (attempts < 200) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  stop = true;
  for (std::thread& stranger : strangers) {
    stranger.join();
  }
  StoreRequest count;
  const auto keys = (*before)->Call(count);
  ASSERT_THAT(keys, IsOk());
  EXPECT_EQ(keys->number, 1);
  EXPECT_LT(ResidentBytes(), resident + (uint64_t{32} << 20));
}

}  // namespace
}  // namespace lockstep
