// Real connections over the loopback device, by processes of this run and by strangers.
#include "lib/launch/admission.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kHere[] = "127.0.0.1";
constexpr absl::Duration kTestTimeout = absl::Seconds(30);

RunSecret Secret() { return *RunSecret::FromToken("a token of a run"); }

MonotonicTime Later() { return MonotonicTime::Now() + kTestTimeout; }

class AdmissionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<TcpSocket> listener = ListenOn(kHere, 0);
    ASSERT_THAT(listener, IsOk());
    admission_ = std::make_unique<Admission>(*std::move(listener), Secret());
  }

  // Serves until `done`, an admitted connection or an error. Returns the number of admitted connections.
  absl::StatusOr<size_t> Serve(const std::function<bool()>& done) {
    for (const MonotonicTime end = Later(); MonotonicTime::Now() < end && !done();) {
      auto proven = admission_->Wait(absl::Milliseconds(10));
      if (!proven.ok()) {
        return proven.status();
      }
      for (SecureSocket& one : *proven) {
        proven_.push_back(std::move(one));
      }
      if (!proven_.empty()) {
        break;
      }
    }
    return proven_.size();
  }

  // Connects a member on another thread while this thread serves.
  absl::StatusOr<SecureSocket> LetIn(const RunSecret& secret) {
    absl::StatusOr<SecureSocket> member = absl::UnknownError("");
    std::thread thread([&] { member = ConnectSecurely(kHere, admission_->port(), secret, Later()); });
    EXPECT_THAT(Serve([] { return false; }), IsOk());
    thread.join();
    return member;
  }

  TcpSocket Stranger() {
    absl::StatusOr<TcpSocket> socket = ConnectOnce(kHere, admission_->port());
    EXPECT_THAT(socket, IsOk());
    return *std::move(socket);
  }

  // Returns true if the other end has closed the connection. Appends the bytes that it sent before to `received`.
  static bool IsClosed(const TcpSocket& socket, std::string& received) {
    char buffer[100];
    const ssize_t n = recv(socket.fd(), buffer, sizeof(buffer), 0);
    received.append(buffer, n > 0 ? static_cast<size_t>(n) : 0);
    return n == 0 || (n < 0 && errno != EAGAIN);
  }

  std::unique_ptr<Admission> admission_;
  std::vector<SecureSocket> proven_;
};

TEST_F(AdmissionTest, AProcessOfThisRunIsLetIn) {
  const auto member = LetIn(Secret());
  ASSERT_THAT(member, IsOk());
  ASSERT_EQ(proven_.size(), 1u);
  EXPECT_EQ(member->keys.send, proven_[0].keys.receive);
  EXPECT_EQ(member->keys.receive, proven_[0].keys.send);
  EXPECT_EQ(admission_->DescribeRefused(), "");
}

TEST_F(AdmissionTest, AClientOfAnotherProtocolReceivesNothing) {
  const TcpSocket stranger = Stranger();
  const std::string request = "GET / HTTP/1.1\r\n\r\n";
  ASSERT_THAT(SendAll(stranger, request, Later()), IsOk());
  std::string received;
  EXPECT_EQ(*Serve([&] { return IsClosed(stranger, received); }), 0u);
  EXPECT_EQ(received, "");
  EXPECT_THAT(admission_->DescribeRefused(), HasSubstr("; 1 connection, the last one from 127.0.0.1, did not prove"));
}

TEST_F(AdmissionTest, AClientWithoutTheSecretReceivesOnlyANonce) {
  const TcpSocket stranger = Stranger();
  ASSERT_THAT(SendAll(stranger, absl::StrCat(kHandshakeMagic, std::string(64, 'x')), Later()), IsOk());
  std::string received;
  EXPECT_EQ(*Serve([&] { return IsClosed(stranger, received); }), 0u);
  EXPECT_EQ(received.size(), 40u);
}

TEST_F(AdmissionTest, ManyIdleStrangersKeepNobodyOut) {
  std::vector<TcpSocket> strangers;
  for (size_t i = 0; i < 3 * kMaxUnproven; ++i) {
    strangers.push_back(Stranger());
  }
  EXPECT_THAT(LetIn(Secret()), IsOk());
}

TEST_F(AdmissionTest, ManyMembersAtOnceAreAllLetIn) {
  const int count = 2 * static_cast<int>(kMaxUnproven);
  std::vector<absl::Status> statuses(count);
  std::vector<std::thread> members;
  for (int i = 0; i < count; ++i) {
    members.emplace_back([this, &status = statuses[i]] {
      status = ConnectSecurely(kHere, admission_->port(), Secret(), Later()).status();
    });
  }
  int let_in = 0;
  for (const MonotonicTime end = Later(); MonotonicTime::Now() < end && let_in < count;) {
    let_in += static_cast<int>(admission_->Wait(absl::Milliseconds(10))->size());
  }
  for (int i = 0; i < count; ++i) {
    members[i].join();
    EXPECT_THAT(statuses[i], IsOk());
  }
  EXPECT_EQ(let_in, count);
}

TEST_F(AdmissionTest, rendezvous_descriptors_exhausted) {
  std::vector<TcpSocket> strangers;
  for (int i = 0; i < 20; ++i) {
    strangers.push_back(Stranger());
  }
  std::vector<TcpSocket> reserve;
  reserve.push_back(TcpSocket(open("/dev/null", O_RDONLY)));
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit limit = {static_cast<rlim_t>(reserve[0].fd() + 5), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_THAT(LetIn(Secret()), IsOk());  // needs one of the five descriptors itself
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST_F(AdmissionTest, NoDescriptorAtAllIsReportedOnce) {
  const TcpSocket stranger = Stranger();
  const TcpSocket next(open("/dev/null", O_RDONLY));
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit limit = {static_cast<rlim_t>(next.fd() + 1), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_THAT(admission_->Wait(absl::Seconds(1)),
              StatusIs(absl::StatusCode::kUnavailable, AllOf(HasSubstr("open files"), HasSubstr("ulimit -n"))));
  EXPECT_THAT(admission_->Wait(absl::Milliseconds(1)), IsOk());
  setrlimit(RLIMIT_NOFILE, &before);
}

// --- The connecting side ---

// Accepts connections and sends the same bytes on each.
class FakeListener {
 public:
  explicit FakeListener(std::string answer)
      : listener_(*ListenOn(kHere, 0)), thread_([this, answer = std::move(answer)] {
          std::vector<TcpSocket> open;
          while (!done_) {
            if (WaitReadable(listener_, absl::Milliseconds(10))) {
              open.push_back(*TryAccept(listener_));
              SendAll(open.back(), answer, Later()).IgnoreError();
            }
          }
        }) {}
  ~FakeListener() {
    done_ = true;
    thread_.join();
  }
  uint16_t port() const { return LocalPort(listener_); }

 private:
  TcpSocket listener_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

TEST(ConnectSecurelyTest, fake_leader_verdict) {
  for (const std::string& answer : {std::string("HTTP/1.1 400 Bad Request\r\n"), std::string(80, '\0'),
                                    absl::StrCat(kHandshakeMagic, std::string(64, 'x'))}) {
    FakeListener fake(answer);
    const MonotonicTime start = MonotonicTime::Now();
    EXPECT_THAT(
        ConnectSecurely(kHere, fake.port(), Secret(), Later()),
        StatusIs(absl::StatusCode::kUnavailable, HasSubstr("the listening process does not know this run's secret")));
    EXPECT_LT(MonotonicTime::Now() - start, kTestTimeout);
  }
}

TEST(ConnectSecurelyTest, AListenerThatNeverAnswersEndsAtTheDeadline) {
  FakeListener silent("");
  EXPECT_THAT(ConnectSecurely(kHere, silent.port(), Secret(), MonotonicTime::Now() + absl::Milliseconds(300)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("accepts connections but does not answer")));
}

TEST(ConnectSecurelyTest, NobodyListensUntilTheDeadline) {
  uint16_t port = 0;
  {
    const auto listener = ListenOn(kHere, 0);
    port = LocalPort(*listener);
  }
  EXPECT_THAT(ConnectSecurely(kHere, port, Secret(), MonotonicTime::Now() + absl::Milliseconds(300)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("refused")));
}

// The leader of another run closes a connection that does not prove its secret.
TEST(ConnectSecurelyTest, two_runs_on_one_port) {
  Admission other(*ListenOn(kHere, 0), *RunSecret::FromToken("a token of another run"));
  std::atomic<bool> done{false};
  std::thread serving([&] {
    while (!done) {
      EXPECT_TRUE(other.Wait(absl::Milliseconds(10))->empty());
    }
  });
  EXPECT_THAT(ConnectSecurely(kHere, other.port(), Secret(), MonotonicTime::Now() + absl::Seconds(1)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("secret")));
  done = true;
  serving.join();
  EXPECT_THAT(other.DescribeRefused(), HasSubstr("did not prove"));
}

}  // namespace
}  // namespace lockstep
