// Time of the gradients' exchange of one step on a cluster: lib/proto/cluster.proto. All of it is modelled by the
// formulas of lib/collectives/all_reduce_cost.h, for buckets that are sent while backward runs (overlap.h).
//
//   flat           One all-reduce over all N devices. Each of its rounds is as slow as its slowest message, which is
//                  one between hosts: every device sends the whole gradient over its share of the network. An upper
//                  bound, because a ring that enters each host once could use the shares of all devices of the host.
//   hierarchical   The devices of a host reduce a bucket of S bytes into shares of S/G; each device all-reduces its
//                  share with its counterparts, the devices of the same index on the H = N/G hosts; the devices of a
//                  host collect the results. Inside the host this takes as long as one all-reduce of S on G devices.
//
// The three parts of a hierarchical exchange follow each other, also for different buckets: an upper bound. Without an
// algorithm in the cluster, an all-reduce over the network is a ring or a double tree, the faster one for each size:
// the algorithms of NCCL without reduction in the network and without NVLink multicast (its src/graph/tuning.cc).
#ifndef LOCKSTEP_LIB_PREDICTION_EXCHANGE_COST_H_
#define LOCKSTEP_LIB_PREDICTION_EXCHANGE_COST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/prediction/overlap.h"
#include "lib/proto/cluster.pb.h"

namespace lockstep {

enum class Exchange { kFlat, kHierarchical };

// Returns "flat" or "hierarchical", for flags and records.
absl::string_view ExchangeName(Exchange exchange);

// Returns the exchanges of --exchange=flat, hierarchical or both. Returns InvalidArgumentError for other words.
absl::StatusOr<std::vector<Exchange>> ParseExchanges(const std::string& word);

// InvalidArgument, naming --algorithm: the cluster's algorithm is unknown.
absl::Status CheckAlgorithm(const proto::Cluster& cluster);

struct ExchangeCost {
  double all_reduce_seconds = 0;  // buckets one after another
  double exposed_seconds = 0;     // part that backward does not hide
  double network_messages = 0;    // messages between hosts, along the chain that ends last
  std::string algorithm;          // algorithm of the largest bucket; of a hierarchical exchange: between hosts
};

// Returns the cost of one step. On one host both exchanges are one all-reduce over its links. `devices` must be at most
// cluster.devices_per_host() or a multiple of it; the cluster's links must be valid. InvalidArgument: an unknown
// algorithm, or the algorithm "hierarchical" for a flat exchange over several hosts.
absl::StatusOr<ExchangeCost> CostOfExchange(Exchange exchange, const std::vector<BucketLoad>& buckets,
                                            const proto::Cluster& cluster, uint32_t devices);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PREDICTION_EXCHANGE_COST_H_
