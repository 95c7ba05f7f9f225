// What an all-reduce of S bytes takes by each well-known algorithm, in Hockney's model with a cost of adding:
// messages * alpha + bytes * beta + added bytes * gamma, along the chain of messages that ends last.
//
// A rank sends one message and receives one at the same time. N: ranks; P: ranks of a host; H = N/P hosts; L = log2 N
// rounded up; M: the largest power of two that is not above N; "adds": what gamma is paid for.
//
//   ring                2(N-1) messages, 2(N-1)/N S bytes, adds (N-1)/N S.
//   bidirectional_ring  The two halves of S go round in opposite directions at once: 2(N-1) messages, (N-1)/N S
//                       bytes, adds (N-1)/N S. Wants two ports a rank; two ranks have one neighbour, and cost what
//                       the ring does.
//   tree                A binomial tree reduces, then broadcasts, whole messages: 2L messages, 2LS bytes, adds LS.
//   double_tree         Two binary trees, each with half of S, a leaf of one being an inner node of the other, cut
//                       into many small pieces, reduced upwards while earlier pieces come down (NCCL's trees
//                       between hosts). Each hop's alpha is paid once, pieces having no length: a lower bound. 2L
//                       messages, min(2, N/2) S bytes, adds min(1, (N-1)/2) S.
//   recursive_doubling  log2 M messages of S, added each. When N is no power of two, N-M ranks give their all to a
//                       neighbour before and get the result after: 2 messages, 2S bytes and S to add more.
//   halving_doubling    Rabenseifner's: 2 log2 M messages, 2(M-1)/M S bytes, adds (M-1)/M S. Other N as above,
//                       which is how MPICH does it.
//   hierarchical        Ring reduce-scatter inside the host, all-reduce of S/P between hosts by `between_hosts`,
//                       ring all-gather inside: 2(P-1) messages and 2(P-1)/P S bytes inside; between as above
//                       with S/P and H.
//
// The flat ones over several hosts: a round is as slow as its slowest message, and every round of a ring or a double
// tree has one that leaves a host. Rounds of the others whose partners are less than P apart stay inside when P is a
// power of two (for both recursive ones N too: folding renumbers the ranks).
//
// Sources: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective communication operations in MPICH", Int.
// J. High Perform. Comput. Appl. 19 (2005), section 4; P. Patarasuk and X. Yuan, J. Parallel Distrib. Comput. 69 (2009)
// (ring); P. Sanders, J. Speck, J. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
// Parallel Computing 35 (2009); MPICH, src/mpi/coll/allreduce/allreduce_intra_reduce_scatter_allgather.c. Pure
// functions, any thread.
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

// The name as above, for flags and records.
absl::string_view AllReduceAlgorithmName(AllReduceAlgorithm algorithm);

// InvalidArgument, listing the names, when it is none of them.
absl::StatusOr<AllReduceAlgorithm> ParseAllReduceAlgorithm(absl::string_view name);

// A link in Hockney's model: a message of S bytes takes alpha + beta * S seconds.
struct LinkCost {
  double alpha_seconds = 0;
  double beta_seconds_per_byte = 0;
};

// Who takes part, and over which links. Ranks are numbered host by host.
struct AllReduceTopology {
  uint32_t ranks = 1;
  uint32_t ranks_per_host = 0;  // divides `ranks`; 0: all on one host
  LinkCost inside_host;
  LinkCost between_hosts;             // what one rank gets while all ranks of its host send; unused on one host
  double gamma_seconds_per_byte = 0;  // to add a received byte to one's own
  AllReduceAlgorithm between_hosts_algorithm = AllReduceAlgorithm::kRing;  // of kHierarchical; not kHierarchical itself
};

// Along the chain of messages that ends last.
struct LinkWork {
  double messages = 0;
  double bytes = 0;
};
struct AllReduceWork {
  LinkWork inside_host;
  LinkWork between_hosts;
  double added_bytes = 0;
};

// InvalidArgument: no ranks, hosts of unequal size, a cost that is negative or not finite, or hierarchical in itself.
absl::StatusOr<AllReduceWork> CountAllReduceWork(AllReduceAlgorithm algorithm, const AllReduceTopology& topology,
                                                 double size_bytes);

// Seconds of that work; 0 for one rank. Errors as above.
absl::StatusOr<double> AllReduceSeconds(AllReduceAlgorithm algorithm, const AllReduceTopology& topology,
                                        double size_bytes);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_COLLECTIVES_ALL_REDUCE_COST_H_
