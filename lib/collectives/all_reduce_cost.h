// Cost of an all-reduce of S bytes by each well-known algorithm, in Hockney's model extended by a cost of adding:
// messages * alpha + bytes * beta + added bytes * gamma, along the chain of messages that ends last.
//
// A rank can send one message and receive one at the same time. N: ranks; P: ranks of a host; H = N/P hosts; L = log2 N
// rounded up; M: the largest power of two that is not above N; "adds": added bytes.
//
//   ring                2(N-1) messages, 2(N-1)/N S bytes, adds (N-1)/N S.
//   bidirectional_ring  The two halves of S travel in opposite directions at once: 2(N-1) messages, (N-1)/N S bytes,
//                       adds (N-1)/N S. Needs two ports per rank. Two ranks have one neighbour each, so their cost is
//                       that of the ring.
//   tree                A binomial tree reduces, then broadcasts, whole messages: 2L messages, 2LS bytes, adds LS.
//   double_tree         Two binary trees, each with half of S; a leaf of one is an inner node of the other. S is cut
//                       into many small pieces, reduced upwards while earlier pieces come down (NCCL's trees between
//                       hosts). Each hop costs alpha once, because pieces are taken to have no length: a lower bound.
//                       2L messages, min(2, N/2) S bytes, adds min(1, (N-1)/2) S.
//   recursive_doubling  log2 M messages of S, each added. If N is not a power of two, N-M ranks send all their data to
//                       a neighbour before and receive the result after: 2 more messages, 2S more bytes, adds S more.
//   halving_doubling    Rabenseifner's algorithm: 2 log2 M messages, 2(M-1)/M S bytes, adds (M-1)/M S. Other N as for
//                       recursive_doubling, like MPICH.
//   hierarchical        Ring reduce-scatter inside the host, all-reduce of S/P between hosts by
//                       `between_hosts_algorithm`, ring all-gather inside: 2(P-1) messages and 2(P-1)/P S bytes inside;
//                       between hosts the cost of that algorithm with S/P and H.
//
// Flat algorithms over several hosts: a round is as slow as its slowest message, and in every round of a ring or a
// double tree some message leaves a host. In the other algorithms, rounds whose partners are less than P apart stay
// inside a host if P is a power of two (both recursive algorithms: and if N is one too, because folding renumbers the
// ranks).
//
// Sources: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in MPICH", Int.
// J. High Perform. Comput. Appl. 19 (2005), section 4; P. Patarasuk and X. Yuan, J. Parallel Distrib. Comput. 69 (2009)
// (ring); P. Sanders, J. Speck, J. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
// Parallel Computing 35 (2009); MPICH, src/mpi/coll/allreduce/allreduce_intra_reduce_scatter_allgather.c.
// Pure functions, any thread.
#ifndef LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_COST_H_
#define LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_COST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lockstep {

enum class AllReduceAlgorithm {
  kRing,
  kBidirectionalRing,
  kTree,
  kDoubleTree,
  kRecursiveDoubling,
  kHalvingDoubling,
  kHierarchical,
};

// Returns the name in the list above, for flags and records.
absl::string_view AllReduceAlgorithmName(AllReduceAlgorithm algorithm);

// InvalidArgument, listing the names: `name` is none of them.
absl::StatusOr<AllReduceAlgorithm> ParseAllReduceAlgorithm(absl::string_view name);

// A link in Hockney's model: a message of S bytes takes alpha + beta * S seconds.
struct LinkCost {
  double alpha_seconds = 0;
  double beta_seconds_per_byte = 0;
};

// Ranks and links that take part. Ranks are numbered host by host.
struct AllReduceTopology {
  uint32_t ranks = 1;
  uint32_t ranks_per_host = 0;  // must divide `ranks`; 0: all ranks on one host
  LinkCost inside_host;
  LinkCost between_hosts;             // cost for one rank while all ranks of its host send; unused on one host
  double gamma_seconds_per_byte = 0;  // cost of adding a received byte to the rank's own
  // Algorithm of kHierarchical between hosts; must not be kHierarchical.
  AllReduceAlgorithm between_hosts_algorithm = AllReduceAlgorithm::kRing;
};

// Work along the chain of messages that ends last.
struct LinkWork {
  double messages = 0;
  double bytes = 0;
};
struct AllReduceWork {
  LinkWork inside_host;
  LinkWork between_hosts;
  double added_bytes = 0;
};

// InvalidArgument: no ranks, hosts of unequal size, a cost that is negative or not finite, or kHierarchical as its own
// algorithm between hosts.
absl::StatusOr<AllReduceWork> CountAllReduceWork(AllReduceAlgorithm algorithm, const AllReduceTopology& topology,
                                                 double size_bytes);

// Returns the seconds of that work; 0 for one rank. Errors as above.
absl::StatusOr<double> AllReduceSeconds(AllReduceAlgorithm algorithm, const AllReduceTopology& topology,
                                        double size_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_COST_H_
