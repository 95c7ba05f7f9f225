#include "lib/launch/store_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/monotonic_time.h"
#include "lib/base/status_macros.h"
#include "lib/launch/admission.h"
#include "lib/launch/sealed_frames.h"
#include "lib/launch/secure_socket.h"
#include "lib/launch/store_messages.h"
#include "lib/launch/store_table.h"
#include "lib/launch/tcp_socket.h"

namespace lockstep {
namespace {

// Longest time in poll, after which strangers that are too slow are dropped.
constexpr absl::Duration kPollInterval = absl::Milliseconds(100);

// Bytes that one client may hand over before the others have their turn.
constexpr size_t kBytesPerTurn = size_t{1} << 20;

// A connection that has proven the secret.
class Client {
 public:
  explicit Client(SecureSocket socket)
      : socket_(std::move(socket)), sealer_(socket_.keys.send), opener_(socket_.keys.receive, kMaxStoreMessageBytes) {}

  int fd() const { return socket_.socket.fd(); }

  // The end of the connection is noticed while a request waits, too.
  short events() const {
    return static_cast<short>(POLLRDHUP | (asked_ ? 0 : POLLIN) | (unsent_ < outgoing_.size() ? POLLOUT : 0));
  }

  // Reads what is there. Returns true if `body` is a whole request, and UnavailableError if the client is gone, or sent
  // bytes that are not sealed with its key or a second request before the answer to the first.
  absl::StatusOr<bool> Receive(std::string& body) {
    char buffer[65536];
    for (size_t read = 0; read < kBytesPerTurn;) {
      const ssize_t received = recv(fd(), buffer, sizeof(buffer), 0);
      if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR)) {
        return absl::UnavailableError("gone");
      }
      if (received < 0) {
        break;
      }
      read += static_cast<size_t>(received);
      opener_.Append(absl::string_view(buffer, static_cast<size_t>(received)));
      ASSIGN_OR_RETURN(const bool whole, opener_.Next(body));
      if (whole) {
        asked_ = true;
        std::string second;
        ASSIGN_OR_RETURN(const bool more, opener_.Next(second));
        return more ? absl::StatusOr<bool>(absl::UnavailableError("two requests at once")) : true;
      }
    }
    return false;
  }

  void Answer(const StoreResponse& response) {
    outgoing_ = sealer_.Seal(EncodeStoreResponse(response));
    unsent_ = 0;
  }

  // Sends as much of the answer as the connection takes. Returns UnavailableError if the client is gone.
  absl::Status Send() {
    while (unsent_ < outgoing_.size()) {
      const ssize_t sent = send(fd(), outgoing_.data() + unsent_, outgoing_.size() - unsent_, MSG_NOSIGNAL);
      if (sent < 0) {
        return errno == EAGAIN || errno == EINTR ? absl::OkStatus() : absl::UnavailableError(std::strerror(errno));
      }
      unsent_ += static_cast<size_t>(sent);
    }
    if (!outgoing_.empty()) {
      outgoing_ = std::string();  // gives a large value's memory back
      unsent_ = 0;
      asked_ = false;
    }
    return absl::OkStatus();
  }

 private:
  SecureSocket socket_;
  FrameSealer sealer_;
  FrameOpener opener_;
  bool asked_ = false;  // a request has come whose answer is not yet sent
  std::string outgoing_;
  size_t unsent_ = 0;  // bytes of `outgoing_` that were sent
};

}  // namespace

// The work of the thread. Only Stop may be called from another thread.
class StoreServer::Loop {
 public:
  Loop(TcpSocket listener, const RunSecret& secret, const StoreServerOptions& options, TcpSocket stop)
      : port_(LocalPort(listener)), max_clients_(static_cast<size_t>(options.clients)),
        admission_(std::move(listener), secret), stop_(std::move(stop)) {}

  uint16_t port() const { return port_; }

  void Stop() {
    const uint64_t one = 1;
    while (write(stop_.fd(), &one, sizeof(one)) < 0 && errno == EINTR) {
    }
  }

  void Run() {
    while (!Wait()) {
      Serve();
      Admit();
      std::vector<StoreAnswer> answers;
      table_.Expire(MonotonicTime::Now(), answers);
      Send(answers);
    }
  }

 private:
  // Waits for something to do. Returns true after Stop.
  bool Wait() {
    fds_.assign(1, {stop_.fd(), POLLIN, 0});
    for (const auto& [id, client] : clients_) {
      fds_.push_back({client.fd(), client.events(), 0});
    }
    admission_.AddPollFds(fds_);
    const absl::Duration left =
        std::clamp(table_.NextExpiry() - MonotonicTime::Now(), absl::ZeroDuration(), kPollInterval);
    poll(fds_.data(), fds_.size(),
         static_cast<int>(absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)))));
    return fds_[0].revents != 0;
  }

  // Takes those in who have proven the secret. A rank connects once, so one beyond their number is a fault, and is closed.
  void Admit() {
    absl::StatusOr<std::vector<SecureSocket>> proven = admission_.Wait(absl::ZeroDuration());
    if (!proven.ok()) {
      return;  // no descriptor is left: Admission tries again later
    }
    for (SecureSocket& socket : *proven) {
      if (clients_.size() < max_clients_) {
        clients_.emplace(next_id_++, Client(std::move(socket)));
      }
    }
  }

  // One turn for each client of whom poll said something. They are as they were in Wait.
  void Serve() {
    size_t i = 1;
    for (auto next = clients_.begin(); next != clients_.end(); ++i) {
      const auto client = next++;
      const short events = fds_[i].revents;
      if (events != 0 && !ServeOrDrop(client->first, client->second, events)) {
        Drop(client->first);
      }
    }
  }

  // Returns false if the client must be dropped. Memory that runs out costs the client its connection, and not the run.
  bool ServeOrDrop(uint64_t id, Client& client, short events) {
    try {
      return Serve(id, client, events).ok();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  absl::Status Serve(uint64_t id, Client& client, short events) {
    RETURN_IF_ERROR(client.Send());
    if ((events & POLLIN) == 0) {
      return (events & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) == 0 ? absl::OkStatus()
                                                                        : absl::UnavailableError("gone");
    }
    std::string body;
    ASSIGN_OR_RETURN(const bool whole, client.Receive(body));
    if (whole) {
      ASSIGN_OR_RETURN(StoreRequest request, ParseStoreRequest(body));
      std::vector<StoreAnswer> answers;
      table_.Handle(id, std::move(request), MonotonicTime::Now(), answers);
      Send(answers);
    }
    return absl::OkStatus();
  }

  void Send(const std::vector<StoreAnswer>& answers) {
    for (const StoreAnswer& answer : answers) {
      const auto client = clients_.find(answer.client);
      if (client != clients_.end()) {
        client->second.Answer(answer.response);
        client->second.Send().IgnoreError();  // poll says so once more, and Serve drops it
      }
    }
  }

  void Drop(uint64_t id) {
    table_.Forget(id);
    clients_.erase(id);
  }

  const uint16_t port_;
  const size_t max_clients_;
  Admission admission_;
  const TcpSocket stop_;
  StoreTable table_ = StoreTable(kMaxStoreBytes);
  std::map<uint64_t, Client> clients_;
  uint64_t next_id_ = 0;
  std::vector<pollfd> fds_;  // `stop_`, the clients in their order, then Admission's
};

StoreServer::StoreServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

absl::StatusOr<std::unique_ptr<StoreServer>> StoreServer::Start(const RunSecret& secret,
                                                                const StoreServerOptions& options) {
  ASSIGN_OR_RETURN(TcpSocket listener, ListenOn(options.address, options.port));
  TcpSocket stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (stop.fd() < 0) {
    return absl::UnavailableError(absl::StrCat("the ranks' store: expected a descriptor, found: ", std::strerror(errno),
                                               "; raise the limit (ulimit -n)"));
  }
  std::unique_ptr<StoreServer> server(
      new StoreServer(std::make_unique<Loop>(std::move(listener), secret, options, std::move(stop))));
  RETURN_IF_ERROR(server->thread_.Start([loop = server->loop_.get()] { loop->Run(); }));
  return server;
}

StoreServer::~StoreServer() { loop_->Stop(); }

uint16_t StoreServer::port() const { return loop_->port(); }

}  // namespace lockstep
