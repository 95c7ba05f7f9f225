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

// Maximum time in poll(2), after which strangers that are too slow are dropped.
constexpr absl::Duration kPollInterval = absl::Milliseconds(100);

// Bytes that are read from one client before the others have their turn.
constexpr size_t kBytesPerTurn = size_t{1} << 20;

// A connection that has proven the secret.
class Client {
 public:
  explicit Client(SecureSocket socket)
      : socket_(std::move(socket)), sealer_(socket_.keys.send), opener_(socket_.keys.receive, kMaxStoreMessageBytes) {}

  int fd() const { return socket_.socket.fd(); }

  // Returns the events for poll(2). They include the end of the connection while a request waits.
  short events() const {
    return static_cast<short>(POLLRDHUP | (asked_ ? 0 : POLLIN) | (unsent_ < outgoing_.size() ? POLLOUT : 0));
  }

  // Reads the available bytes. Returns true if `body` is a whole request. Returns UnavailableError if the client is
  // gone or sent a second request before the response to the first, and DataLossError if it sent bytes that are not
  // sealed with its key.
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

  void Respond(const StoreResponse& response) {
    outgoing_ = sealer_.Seal(EncodeStoreResponse(response));
    unsent_ = 0;
  }

  // Sends as much of the response as the connection accepts. Returns UnavailableError if the client is gone.
  absl::Status Send() {
    while (unsent_ < outgoing_.size()) {
      const ssize_t sent = send(fd(), outgoing_.data() + unsent_, outgoing_.size() - unsent_, MSG_NOSIGNAL);
      if (sent < 0) {
        return errno == EAGAIN || errno == EINTR ? absl::OkStatus() : absl::UnavailableError(std::strerror(errno));
      }
      unsent_ += static_cast<size_t>(sent);
    }
    if (!outgoing_.empty()) {
      outgoing_ = std::string();  // frees the memory of a large value
      unsent_ = 0;
      asked_ = false;
    }
    return absl::OkStatus();
  }

 private:
  SecureSocket socket_;
  FrameSealer sealer_;
  FrameOpener opener_;
  bool asked_ = false;  // true while the response to a request has not been sent
  std::string outgoing_;
  size_t unsent_ = 0;  // bytes of `outgoing_` that were sent
};

}  // namespace

// Work of the server's thread. Other threads may call Stop and port only.
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
      std::vector<ClientResponse> responses;
      table_.Expire(MonotonicTime::Now(), responses);
      Send(responses);
    }
  }

 private:
  // Waits for an event. Returns true after Stop.
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

  // Adds the clients that have proven the secret. A rank connects once, so a client beyond their number is an error,
  // and its connection is closed.
  void Admit() {
    absl::StatusOr<std::vector<SecureSocket>> proven = admission_.Wait(absl::ZeroDuration());
    if (!proven.ok()) {
      return;  // no descriptor is left; Admission retries later
    }
    for (SecureSocket& socket : *proven) {
      if (clients_.size() < max_clients_) {
        clients_.emplace(next_id_++, Client(std::move(socket)));
      }
    }
  }

  // Serves each client with an event once. The clients must be the same, in the same order, as in Wait.
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

  // Returns false if the client must be dropped. A lack of memory ends the client's connection, not the run.
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
      std::vector<ClientResponse> responses;
      table_.Handle(id, std::move(request), MonotonicTime::Now(), responses);
      Send(responses);
    }
    return absl::OkStatus();
  }

  void Send(const std::vector<ClientResponse>& responses) {
    for (const ClientResponse& response : responses) {
      const auto client = clients_.find(response.client);
      if (client != clients_.end()) {
        client->second.Respond(response.response);
        client->second.Send().IgnoreError();  // poll reports the error again, and Serve drops the client
      }
    }
  }

  void Drop(uint64_t id) {
    table_.DropClient(id);
    clients_.erase(id);
  }

  const uint16_t port_;
  const size_t max_clients_;
  Admission admission_;
  const TcpSocket stop_;
  StoreTable table_ = StoreTable(kMaxStoreBytes);
  std::map<uint64_t, Client> clients_;
  uint64_t next_id_ = 0;
  std::vector<pollfd> fds_;  // descriptors: `stop_`, the clients in the order of `clients_`, then those of Admission
};

StoreServer::StoreServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

absl::StatusOr<std::unique_ptr<StoreServer>> StoreServer::Start(const RunSecret& secret,
                                                                const StoreServerOptions& options) {
  ASSIGN_OR_RETURN(TcpSocket listener, ListenOn(options.address, options.port));
  TcpSocket stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (stop.fd() < 0) {
    return absl::UnavailableError(absl::StrCat("the ranks' store: cannot open a descriptor: ", std::strerror(errno),
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
