#include "lib/collectives/all_reduce_cost.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/nearest_word.h"
#include "lib/base/status_macros.h"

namespace lockstep {
namespace {

using Algorithm = AllReduceAlgorithm;

const std::vector<std::pair<Algorithm, absl::string_view>>& Names() {
  static const auto* names =
      new std::vector<std::pair<Algorithm, absl::string_view>>{{Algorithm::kRing, "ring"},
                                                               {Algorithm::kBidirectionalRing, "bidirectional_ring"},
                                                               {Algorithm::kTree, "tree"},
                                                               {Algorithm::kDoubleTree, "double_tree"},
                                                               {Algorithm::kRecursiveDoubling, "recursive_doubling"},
                                                               {Algorithm::kHalvingDoubling, "halving_doubling"},
                                                               {Algorithm::kHierarchical, "hierarchical"}};
  return *names;
}

bool IsPowerOfTwo(uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

uint32_t FloorLog2(uint32_t n) {
  uint32_t log = 0;
  while (n >>= 1) {
    ++log;
  }
  return log;
}

uint32_t CeilLog2(uint32_t n) { return FloorLog2(n) + (IsPowerOfTwo(n) ? 0 : 1); }

// Returns work in which all messages use one kind of link: the links between hosts if there are several hosts.
AllReduceWork OverSlowest(bool one_host, double messages, double bytes, double added_bytes) {
  AllReduceWork work;
  (one_host ? work.inside_host : work.between_hosts) = {messages, bytes};
  work.added_bytes = added_bytes;
  return work;
}

// Adds rounds 0, 1, ... of one message each. The first `local` rounds stay inside a host.
template <typename BytesOfRound>
void AddRounds(uint32_t rounds, uint32_t local, const BytesOfRound& bytes_of_round, LinkWork* inside,
               LinkWork* between) {
  for (uint32_t round = 0; round < rounds; ++round) {
    LinkWork* const link = round < local ? inside : between;
    link->messages += 1;
    link->bytes += bytes_of_round(round);
  }
}

AllReduceWork Tree(uint32_t ranks, uint32_t per_host, double size) {
  const uint32_t rounds = CeilLog2(ranks);
  const uint32_t local = per_host == ranks ? rounds : IsPowerOfTwo(per_host) ? FloorLog2(per_host) : 0;
  AllReduceWork work;
  AddRounds(
      rounds, local, [&](uint32_t) { return 2 * size; }, &work.inside_host, &work.between_hosts);
  work.inside_host.messages *= 2;  // each round once up, once down
  work.between_hosts.messages *= 2;
  work.added_bytes = rounds * size;
  return work;
}

// Returns the work of rounds 0, 1, ..., whose partners are 1, 2, 4, ... ranks apart. `bytes_of_round` returns the bytes
// that a rank sends in a round, halving and doubling together.
template <typename BytesOfRound>
AllReduceWork Recursive(uint32_t ranks, uint32_t per_host, double size, uint32_t messages_of_round, double added_bytes,
                        const BytesOfRound& bytes_of_round) {
  const uint32_t rounds = FloorLog2(ranks);
  const bool one_host = per_host == ranks;
  const uint32_t local = one_host ? rounds : IsPowerOfTwo(per_host) && IsPowerOfTwo(ranks) ? FloorLog2(per_host) : 0;
  AllReduceWork work;
  AddRounds(rounds, local, bytes_of_round, &work.inside_host, &work.between_hosts);
  work.inside_host.messages *= messages_of_round;
  work.between_hosts.messages *= messages_of_round;
  work.added_bytes = added_bytes;
  if (!IsPowerOfTwo(ranks)) {  // folding before, unfolding after
    LinkWork* const link = one_host ? &work.inside_host : &work.between_hosts;
    link->messages += 2;
    link->bytes += 2 * size;
    work.added_bytes += size;
  }
  return work;
}

AllReduceWork FlatWork(Algorithm algorithm, uint32_t ranks, uint32_t per_host, double size) {
  if (ranks == 1) {
    return {};
  }
  const double n = ranks;
  const bool one_host = per_host == ranks;
  const double power = std::exp2(FloorLog2(ranks));
  switch (algorithm) {
    case Algorithm::kRing:
      return OverSlowest(one_host, 2 * (n - 1), 2 * (n - 1) / n * size, (n - 1) / n * size);
    case Algorithm::kBidirectionalRing:
      return OverSlowest(one_host, 2 * (n - 1), (ranks == 2 ? 2 : 1) * (n - 1) / n * size, (n - 1) / n * size);
    case Algorithm::kTree:
      return Tree(ranks, per_host, size);
    case Algorithm::kDoubleTree:
      return OverSlowest(one_host, 2.0 * CeilLog2(ranks), std::min(2.0, n / 2) * size,
                         std::min(1.0, (n - 1) / 2) * size);
    case Algorithm::kRecursiveDoubling:
      return Recursive(ranks, per_host, size, 1, FloorLog2(ranks) * size, [&](uint32_t) { return size; });
    case Algorithm::kHalvingDoubling:
      // In the first round partners are 1 apart and exchange S/2, in the next S/4, ...; doubling sends the same bytes
      // again.
      return Recursive(ranks, per_host, size, 2, (power - 1) / power * size,
                       [&](uint32_t round) { return 2 * size * std::exp2(-1.0 - round); });
    case Algorithm::kHierarchical:
      break;
  }
  return {};
}

AllReduceWork HierarchicalWork(Algorithm between, uint32_t ranks, uint32_t per_host, double size) {
  const double p = per_host;
  AllReduceWork work;
  if (ranks > per_host) {
    work = FlatWork(between, ranks / per_host, 1, size / p);
  }
  work.inside_host = {2 * (p - 1), 2 * (p - 1) / p * size};
  work.added_bytes += (p - 1) / p * size;
  return work;
}

bool IsCost(double cost) { return std::isfinite(cost) && cost >= 0; }

absl::Status CheckTopology(const AllReduceTopology& topology, double size) {
  if (topology.ranks == 0) {
    return absl::InvalidArgumentError("expected at least 1 rank in an all-reduce, found 0");
  }
  if (topology.ranks_per_host != 0 && topology.ranks % topology.ranks_per_host != 0) {
    return absl::InvalidArgumentError(absl::StrCat("expected hosts of equal size, found ", topology.ranks,
                                                   " ranks in hosts of ", topology.ranks_per_host,
                                                   ": give a number of ranks per host that divides them"));
  }
  if (topology.between_hosts_algorithm == Algorithm::kHierarchical) {
    return absl::InvalidArgumentError("expected a flat algorithm between hosts, found hierarchical");
  }
  for (const double cost : {topology.inside_host.alpha_seconds, topology.inside_host.beta_seconds_per_byte,
                            topology.between_hosts.alpha_seconds, topology.between_hosts.beta_seconds_per_byte,
                            topology.gamma_seconds_per_byte, size}) {
    if (!IsCost(cost)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected finite sizes, latencies and costs per byte of 0 or more, found ", cost));
    }
  }
  return absl::OkStatus();
}

double Seconds(const LinkCost& link, const LinkWork& work) {
  return work.messages * link.alpha_seconds + work.bytes * link.beta_seconds_per_byte;
}

}  // namespace

absl::string_view AllReduceAlgorithmName(AllReduceAlgorithm algorithm) {
  for (const auto& [value, name] : Names()) {
    if (value == algorithm) {
      return name;
    }
  }
  return "";
}

absl::StatusOr<AllReduceAlgorithm> ParseAllReduceAlgorithm(absl::string_view name) {
  std::vector<std::string> names;
  for (const auto& [value, known] : Names()) {
    if (known == name) {
      return value;
    }
    names.emplace_back(known);
  }
  const std::string near = NearestWord(name, names);
  return absl::InvalidArgumentError(absl::StrCat("expected an all-reduce algorithm (", absl::StrJoin(names, ", "),
                                                 "), found '", name, "'",
                                                 near.empty() ? "" : absl::StrCat("; did you mean ", near, "?")));
}

absl::StatusOr<AllReduceWork> CountAllReduceWork(AllReduceAlgorithm algorithm, const AllReduceTopology& topology,
                                                 double size_bytes) {
  RETURN_IF_ERROR(CheckTopology(topology, size_bytes));
  const uint32_t per_host = topology.ranks_per_host == 0 ? topology.ranks : topology.ranks_per_host;
  if (algorithm == Algorithm::kHierarchical) {
    return HierarchicalWork(topology.between_hosts_algorithm, topology.ranks, per_host, size_bytes);
  }
  return FlatWork(algorithm, topology.ranks, per_host, size_bytes);
}

absl::StatusOr<double> AllReduceSeconds(AllReduceAlgorithm algorithm, const AllReduceTopology& topology,
                                        double size_bytes) {
  ASSIGN_OR_RETURN(const AllReduceWork work, CountAllReduceWork(algorithm, topology, size_bytes));
  return Seconds(topology.inside_host, work.inside_host) + Seconds(topology.between_hosts, work.between_hosts) +
         work.added_bytes * topology.gamma_seconds_per_byte;
}

}  // namespace lockstep
