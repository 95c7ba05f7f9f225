#include "lib/prediction/exchange_cost.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/flag_values.h"
#include "lib/base/status_macros.h"
#include "lib/collectives/all_reduce_cost.h"

namespace lockstep {
namespace {

using Algorithm = AllReduceAlgorithm;

LinkCost CostOf(const proto::Link& link) { return {link.latency_seconds(), 1 / link.bytes_per_second()}; }

LinkCost SlowerOf(const LinkCost& a, const LinkCost& b) {
  return {std::max(a.alpha_seconds, b.alpha_seconds), std::max(a.beta_seconds_per_byte, b.beta_seconds_per_byte)};
}

// Returns the algorithms to choose from. An all-reduce within one level is a ring in the algorithm "hierarchical".
absl::StatusOr<std::vector<Algorithm>> AlgorithmsOf(const proto::Cluster& cluster) {
  if (cluster.algorithm().empty()) {
    return std::vector<Algorithm>{Algorithm::kRing, Algorithm::kDoubleTree};
  }
  const absl::StatusOr<Algorithm> algorithm = ParseAllReduceAlgorithm(cluster.algorithm());
  if (!algorithm.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--algorithm: ", algorithm.status().message()));
  }
  return std::vector<Algorithm>{*algorithm == Algorithm::kHierarchical ? Algorithm::kRing : *algorithm};
}

AllReduceTopology TopologyOf(Exchange exchange, const proto::Cluster& cluster, uint32_t devices) {
  AllReduceTopology topology;
  topology.ranks = devices;
  const bool has_inside = devices > 1 && cluster.devices_per_host() > 1;
  topology.inside_host = has_inside ? CostOf(cluster.intra_host()) : LinkCost();
  if (devices > cluster.devices_per_host()) {
    topology.ranks_per_host = cluster.devices_per_host();
    topology.between_hosts = CostOf(cluster.inter_host());
    if (exchange == Exchange::kFlat) {
      topology.between_hosts = SlowerOf(topology.between_hosts, topology.inside_host);
    }
  }
  return topology;
}

// All-reduce of one bucket.
struct BucketCost {
  Algorithm algorithm;
  double seconds;
  double network_messages;
};

// `several_levels` is true for a hierarchical exchange over several hosts.
absl::StatusOr<BucketCost> FastestOf(const std::vector<Algorithm>& algorithms, AllReduceTopology topology,
                                     bool several_levels, double size_bytes) {
  std::optional<BucketCost> fastest;
  for (const Algorithm algorithm : algorithms) {
    topology.between_hosts_algorithm = algorithm;
    const Algorithm whole = several_levels ? Algorithm::kHierarchical : algorithm;
    ASSIGN_OR_RETURN(const double seconds, AllReduceSeconds(whole, topology, size_bytes));
    if (!fastest.has_value() || seconds < fastest->seconds) {
      ASSIGN_OR_RETURN(const AllReduceWork work, CountAllReduceWork(whole, topology, size_bytes));
      fastest = BucketCost{algorithm, seconds, work.between_hosts.messages};
    }
  }
  return *fastest;
}

}  // namespace

absl::string_view ExchangeName(Exchange exchange) { return exchange == Exchange::kFlat ? "flat" : "hierarchical"; }

absl::StatusOr<std::vector<Exchange>> ParseExchanges(const std::string& word) {
  RETURN_IF_ERROR(CheckFlagWord("exchange", word, {"flat", "hierarchical", "both"}));
  std::vector<Exchange> exchanges;
  for (const Exchange exchange : {Exchange::kFlat, Exchange::kHierarchical}) {
    if (word == "both" || word == ExchangeName(exchange)) {
      exchanges.push_back(exchange);
    }
  }
  return exchanges;
}

absl::Status CheckAlgorithm(const proto::Cluster& cluster) { return AlgorithmsOf(cluster).status(); }

absl::StatusOr<ExchangeCost> CostOfExchange(Exchange exchange, const std::vector<BucketLoad>& buckets,
                                            const proto::Cluster& cluster, uint32_t devices) {
  ASSIGN_OR_RETURN(const std::vector<Algorithm> algorithms, AlgorithmsOf(cluster));
  const bool several_hosts = devices > cluster.devices_per_host();
  if (several_hosts && exchange == Exchange::kFlat &&
      cluster.algorithm() == AllReduceAlgorithmName(Algorithm::kHierarchical)) {
    return absl::InvalidArgumentError(
        "--algorithm=hierarchical is not the algorithm of a flat exchange; use --exchange=hierarchical");
  }
  const AllReduceTopology topology = TopologyOf(exchange, cluster, devices);
  const bool several_levels = several_hosts && exchange == Exchange::kHierarchical;
  ExchangeCost cost;
  std::vector<double> seconds;
  double largest_bytes = -1;
  for (const BucketLoad& bucket : buckets) {
    ASSIGN_OR_RETURN(const BucketCost fastest, FastestOf(algorithms, topology, several_levels, bucket.size_bytes));
    seconds.push_back(fastest.seconds);
    cost.all_reduce_seconds += fastest.seconds;
    cost.network_messages += fastest.network_messages;
    if (bucket.size_bytes > largest_bytes) {
      largest_bytes = bucket.size_bytes;
      cost.algorithm = std::string(AllReduceAlgorithmName(fastest.algorithm));
    }
  }
  size_t next = 0;
  cost.exposed_seconds = ExposedBySchedule(buckets, [&](double) { return seconds[next++]; });
  return cost;
}

}  // namespace lockstep
