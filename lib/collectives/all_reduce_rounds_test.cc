// Compares the costs of all_reduce_cost.h with simulated algorithms: every message is sent between ranks that hold
// numbers. The test counts the bytes that the slowest rank of each round sends, receives and adds.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/collectives/all_reduce_cost.h"

namespace lockstep {
namespace {

struct Message {
  int from;
  int to;
  int first;  // first element sent
  int last;   // one past the last element sent
  bool add;   // true: the receiver adds the elements to its own; false: it overwrites its own
};

// Simulates ranks with `elements` numbers each, one byte per element. Rank r's numbers are bit 3r, so that a sum that
// counts a rank twice, or not at all, is different.
class Machine {
 public:
  Machine(int ranks, int elements, int per_host, int ports = 1) : per_host_(per_host), ports_(ports) {
    for (int r = 0; r < ranks; ++r) {
      data_.emplace_back(elements, uint64_t{1} << (3 * r));
    }
  }

  // Sends all messages at once: they carry the contents from before the round.
  void Round(const std::vector<Message>& messages) {
    const std::vector<std::vector<uint64_t>> before = data_;
    std::map<std::pair<int, int>, int> on_link;
    std::map<int, std::set<int>> peers;
    std::map<int, int> added;
    bool leaves_host = false;
    for (const Message& m : messages) {
      for (int i = m.first; i < m.last; ++i) {
        data_[m.to][i] = before[m.from][i] + (m.add ? before[m.to][i] : 0);
      }
      const int bytes = m.last - m.first;
      on_link[{m.from, m.to}] += bytes;
      peers[m.from].insert(m.to);
      added[m.to] += m.add ? bytes : 0;
      leaves_host |= m.from / per_host_ != m.to / per_host_;
    }
    Count(on_link, added, leaves_host ? &work_.between_hosts : &work_.inside_host);
    for (const auto& [rank, to] : peers) {
      EXPECT_LE(static_cast<int>(to.size()), ports_) << "rank " << rank << " sends to several at once";
    }
  }

  const AllReduceWork& work() const { return work_; }

  void ExpectEveryRankHasTheSum() const {
    uint64_t sum = 0;
    for (size_t r = 0; r < data_.size(); ++r) {
      sum += uint64_t{1} << (3 * r);
    }
    for (const auto& rank : data_) {
      EXPECT_EQ(rank, std::vector<uint64_t>(rank.size(), sum));
    }
  }

 private:
  void Count(const std::map<std::pair<int, int>, int>& on_link, const std::map<int, int>& added, LinkWork* link) {
    int max_sent = 0, max_added = 0;
    for (const auto& [ends, bytes] : on_link) {
      max_sent = std::max(max_sent, bytes);
    }
    for (const auto& [rank, bytes] : added) {
      max_added = std::max(max_added, bytes);
    }
    link->messages += 1;
    link->bytes += max_sent;
    work_.added_bytes += max_added;
  }

  const int per_host_;
  const int ports_;
  std::vector<std::vector<uint64_t>> data_;
  AllReduceWork work_;
};

int Modulo(int a, int n) { return ((a % n) + n) % n; }

// Appends one step of a ring over `members`, which hold blocks of `length` elements from `offset` on: the member at
// each place sends block `block_of(place)` to the member `direction` places further.
void RingStep(const std::vector<int>& members, int offset, int length, int direction, bool add,
              const std::function<int(int)>& block_of, std::vector<Message>* round) {
  const int n = static_cast<int>(members.size());
  for (int place = 0; place < n; ++place) {
    const int first = offset + Modulo(block_of(place), n) * length;
    round->push_back({members[place], members[Modulo(place + direction, n)], first, first + length, add});
  }
}

void RingReduceScatterStep(const std::vector<int>& members, int offset, int length, int direction, int step,
                           std::vector<Message>* round) {
  RingStep(
      members, offset, length, direction, true, [&](int place) { return place - direction * step; }, round);
}

// After the reduce-scatter, place p holds the sum of block p + direction.
void RingAllGatherStep(const std::vector<int>& members, int offset, int length, int direction, int step,
                       std::vector<Message>* round) {
  RingStep(
      members, offset, length, direction, false, [&](int place) { return place + direction * (1 - step); }, round);
}

std::vector<int> Range(int first, int count, int stride = 1) {
  std::vector<int> range(count);
  for (int i = 0; i < count; ++i) {
    range[i] = first + i * stride;
  }
  return range;
}

using Step = std::function<void(int, std::vector<Message>*)>;

void Rounds(int count, Machine* machine, const Step& step) {
  for (int s = 0; s < count; ++s) {
    std::vector<Message> round;
    step(s, &round);
    machine->Round(round);
  }
}

void RunRing(int n, int elements, Machine* machine) {
  const int length = elements / n;
  Rounds(n - 1, machine, [&](int s, auto* round) { RingReduceScatterStep(Range(0, n), 0, length, 1, s, round); });
  Rounds(n - 1, machine, [&](int s, auto* round) { RingAllGatherStep(Range(0, n), 0, length, 1, s, round); });
}

void RunBidirectionalRing(int n, int elements, Machine* machine) {
  const int half = elements / 2, length = half / n;
  Rounds(n - 1, machine, [&](int s, auto* round) {
    RingReduceScatterStep(Range(0, n), 0, length, 1, s, round);
    RingReduceScatterStep(Range(0, n), half, length, -1, s, round);
  });
  Rounds(n - 1, machine, [&](int s, auto* round) {
    RingAllGatherStep(Range(0, n), 0, length, 1, s, round);
    RingAllGatherStep(Range(0, n), half, length, -1, s, round);
  });
}

void RunTree(int n, int elements, Machine* machine) {
  std::vector<std::vector<Message>> up;
  for (int distance = 1; distance < n; distance *= 2) {
    up.emplace_back();
    for (int rank = distance; rank < n; rank += 2 * distance) {
      up.back().push_back({rank, rank - distance, 0, elements, true});
    }
  }
  for (const auto& round : up) {
    machine->Round(round);
  }
  for (auto round = up.rbegin(); round != up.rend(); ++round) {
    for (Message& m : *round) {
      m = {m.to, m.from, m.first, m.last, false};
    }
    machine->Round(*round);
  }
}

// Returns the ranks that continue if N is not a power of two: all but the even ones of the first 2(N-M) ranks, which
// send their numbers to their odd neighbours.
std::vector<int> Fold(int n, int power, int elements, Machine* machine) {
  std::vector<int> members;
  std::vector<Message> round;
  for (int rank = 0; rank < n; ++rank) {
    if (rank < 2 * (n - power) && rank % 2 == 0) {
      round.push_back({rank, rank + 1, 0, elements, true});
    } else {
      members.push_back(rank);
    }
  }
  if (!round.empty()) {
    machine->Round(round);
  }
  return members;
}

void Unfold(int n, int power, int elements, Machine* machine) {
  std::vector<Message> round;
  for (int rank = 0; rank < 2 * (n - power); rank += 2) {
    round.push_back({rank + 1, rank, 0, elements, false});
  }
  if (!round.empty()) {
    machine->Round(round);
  }
}

int PowerBelow(int n) {
  int power = 1;
  while (2 * power <= n) {
    power *= 2;
  }
  return power;
}

void RunRecursiveDoubling(int n, int elements, Machine* machine) {
  const int power = PowerBelow(n);
  const std::vector<int> members = Fold(n, power, elements, machine);
  for (int mask = 1; mask < power; mask *= 2) {
    std::vector<Message> round;
    for (int place = 0; place < power; ++place) {
      round.push_back({members[place], members[place ^ mask], 0, elements, true});
    }
    machine->Round(round);
  }
  Unfold(n, power, elements, machine);
}

void RunHalvingDoubling(int n, int elements, Machine* machine) {
  const int power = PowerBelow(n);
  const std::vector<int> members = Fold(n, power, elements, machine);
  std::vector<std::pair<int, int>> mine(power, {0, elements});
  for (int mask = 1; mask < power; mask *= 2) {
    std::vector<Message> round;
    for (int place = 0; place < power; ++place) {
      auto& [first, last] = mine[place];
      const int middle = (first + last) / 2;
      const bool keeps_lower = (place & mask) == 0;
      round.push_back(
          {members[place], members[place ^ mask], keeps_lower ? middle : first, keeps_lower ? last : middle, true});
      (keeps_lower ? last : first) = middle;
    }
    machine->Round(round);
  }
  for (int mask = power / 2; mask >= 1; mask /= 2) {
    std::vector<Message> round;
    for (int place = 0; place < power; ++place) {
      round.push_back({members[place], members[place ^ mask], mine[place].first, mine[place].second, false});
    }
    machine->Round(round);
    const auto before = mine;
    for (int place = 0; place < power; ++place) {
      mine[place] = {std::min(before[place].first, before[place ^ mask].first),
                     std::max(before[place].second, before[place ^ mask].second)};
    }
  }
  Unfold(n, power, elements, machine);
}

void RunHierarchical(int n, int per_host, int elements, Machine* machine) {
  const int hosts = n / per_host, part = elements / per_host, length = part / hosts;
  const auto inside = [&](const auto& step) {
    return [&, step](int s, std::vector<Message>* round) {
      for (int host = 0; host < hosts; ++host) {
        step(Range(host * per_host, per_host), 0, part, 1, s, round);
      }
    };
  };
  const auto between = [&](const auto& step) {
    return [&, step](int s, std::vector<Message>* round) {
      for (int local = 0; local < per_host; ++local) {
        step(Range(local, hosts, per_host), Modulo(local + 1, per_host) * part, length, 1, s, round);
      }
    };
  };
  Rounds(per_host - 1, machine, inside(RingReduceScatterStep));
  Rounds(hosts - 1, machine, between(RingReduceScatterStep));
  Rounds(hosts - 1, machine, between(RingAllGatherStep));
  Rounds(per_host - 1, machine, inside(RingAllGatherStep));
}

void ExpectAsCounted(AllReduceAlgorithm algorithm, int n, int per_host, int elements, const Machine& machine) {
  machine.ExpectEveryRankHasTheSum();
  AllReduceTopology topology;
  topology.ranks = n;
  topology.ranks_per_host = per_host;
  const auto work = CountAllReduceWork(algorithm, topology, elements);
  ASSERT_TRUE(work.ok()) << work.status();
  // Whole numbers far below 2^53, computed from quotients with a relative rounding error below 1e-15.
  EXPECT_NEAR(work->inside_host.messages, machine.work().inside_host.messages, 1e-9);
  EXPECT_NEAR(work->inside_host.bytes, machine.work().inside_host.bytes, 1e-9);
  EXPECT_NEAR(work->between_hosts.messages, machine.work().between_hosts.messages, 1e-9);
  EXPECT_NEAR(work->between_hosts.bytes, machine.work().between_hosts.bytes, 1e-9);
  EXPECT_NEAR(work->added_bytes, machine.work().added_bytes, 1e-9);
}

using Run = void (*)(int, int, Machine*);

void CheckFlat(AllReduceAlgorithm algorithm, Run run, int n, int per_host, int ports = 1) {
  SCOPED_TRACE(std::string(AllReduceAlgorithmName(algorithm)) + ", " + std::to_string(n) + " ranks in hosts of " +
               std::to_string(per_host));
  const int elements = 2 * n * PowerBelow(n);  // divides evenly in every algorithm
  Machine machine(n, elements, per_host, ports);
  run(n, elements, &machine);
  ExpectAsCounted(algorithm, n, per_host, elements, machine);
}

void CheckAllFlat(int n, int per_host) {
  CheckFlat(AllReduceAlgorithm::kRing, RunRing, n, per_host);
  CheckFlat(AllReduceAlgorithm::kBidirectionalRing, RunBidirectionalRing, n, per_host, 2);
  CheckFlat(AllReduceAlgorithm::kTree, RunTree, n, per_host);
  CheckFlat(AllReduceAlgorithm::kRecursiveDoubling, RunRecursiveDoubling, n, per_host);
  CheckFlat(AllReduceAlgorithm::kHalvingDoubling, RunHalvingDoubling, n, per_host);
}

TEST(AllReduceRoundsTest, OneHostOf2To17) {
  for (int n = 2; n <= 17; ++n) {
    CheckAllFlat(n, n);
  }
}

TEST(AllReduceRoundsTest, SeveralHostsOfAPowerOfTwo) {
  for (const auto& [n, per_host] : {std::pair(4, 2), {8, 2}, {8, 4}, {16, 4}, {16, 8}}) {
    CheckAllFlat(n, per_host);
  }
}

TEST(AllReduceRoundsTest, Hierarchical) {
  for (const auto& [n, per_host] :
       {std::pair(2, 1), {4, 2}, {6, 3}, {6, 2}, {8, 4}, {12, 4}, {15, 5}, {16, 8}, {17, 17}}) {
    SCOPED_TRACE(std::to_string(n) + " ranks in hosts of " + std::to_string(per_host));
    Machine machine(n, n, per_host);
    RunHierarchical(n, per_host, n, &machine);
    ExpectAsCounted(AllReduceAlgorithm::kHierarchical, n, per_host, n, machine);
  }
}

// Returns the parent of a place in a binary tree of n places in which every odd place is a leaf; -1 for place 0. A
// place's lowest bit is its level. Its parent is the neighbour one level up or, if that place does not exist, the
// neighbour below.
int Parent(int place, int n) {
  if (place == 0) {
    return -1;
  }
  const int bit = place & -place;
  const int up = (place ^ bit) | (2 * bit);
  return up < n ? up : place ^ bit;
}

// Each half of the message has its own tree: pieces travel up, are added at each rank, and travel down. A rank sends
// one half up and one half to each child, and receives as much.
TEST(AllReduceRoundsTest, DoubleTreeOf2To17) {
  for (int n = 2; n <= 17; ++n) {
    SCOPED_TRACE(n);
    std::vector<double> sent(n), added(n);
    int deepest = 0;
    for (const bool second : {false, true}) {
      // The second tree is the first one mirrored or, if n is odd, shifted by one rank: leaves become inner nodes.
      const auto rank_of = [&](int place) { return !second ? place : n % 2 == 0 ? n - 1 - place : (place + 1) % n; };
      for (int place = 1; place < n; ++place) {
        sent[rank_of(place)] += 0.5;
        sent[rank_of(Parent(place, n))] += 0.5;
        added[rank_of(Parent(place, n))] += 0.5;
        int depth = 0;
        for (int at = place; at != 0; at = Parent(at, n)) {
          ++depth;
        }
        deepest = std::max(deepest, depth);
      }
    }
    AllReduceTopology topology;
    topology.ranks = n;
    const auto work = CountAllReduceWork(AllReduceAlgorithm::kDoubleTree, topology, 1);
    ASSERT_TRUE(work.ok());
    EXPECT_EQ(work->inside_host.messages, 2 * deepest);
    EXPECT_EQ(work->inside_host.bytes, *std::max_element(sent.begin(), sent.end()));
    EXPECT_EQ(work->added_bytes, *std::max_element(added.begin(), added.end()));
  }
}

}  // namespace
}  // namespace lockstep
