#include "lib/scale_run/reducer_choice.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the spec of --preset=fast on CUDA, on 1 and 2 ranks.
proto::ScaleSpec FastSpec() {
  proto::ScaleSpec spec;
  spec.set_mode(proto::DDP);
  spec.set_preset("fast");
  spec.set_reducer("auto");
  spec.add_ranks(1);
  spec.add_ranks(2);
  spec.mutable_training()->set_device(proto::CUDA);
  spec.mutable_training()->set_step(proto::FUSED);
  spec.mutable_training()->set_precision(proto::BF16);
  return spec;
}

std::string TextOf(const ReducerChoice& choice) {
  return absl::StrCat(choice.reducer, choice.why.empty() ? "" : ": ", choice.why);
}

struct Case {
  const char* name;
  std::function<void(proto::ScaleSpec& spec, uint32_t& ranks, RankPlace& place)> change;
  const char* choice;
};

// Each case has one change.
const Case kCases[] = {
    {"two ranks of one host", [](auto&, auto&, auto&) {}, "peer_sharded"},
    {"sixteen", [](auto&, auto& ranks, auto&) { ranks = 16; }, "peer_sharded"},
    {"micro-batches", [](auto& spec, auto&, auto&) { spec.mutable_training()->set_accumulate(4); }, "peer_sharded"},
    {"gradients in fp32", [](auto& spec, auto&, auto&) { spec.set_gradient_compression("none"); }, "peer_sharded"},
    {"eager steps", [](auto& spec, auto&, auto&) { spec.mutable_training()->set_cuda_graph(false); }, "peer_sharded"},
    {"fp32", [](auto& spec, auto&, auto&) { spec.mutable_training()->set_precision(proto::FP32); },
     "peer: peer_sharded needs bf16 without --clip_norm and --lars"},
    {"LARS", [](auto& spec, auto&, auto&) { spec.mutable_training()->set_lars(0.001); },
     "peer: peer_sharded needs bf16 without --clip_norm and --lars"},
    {"clipping", [](auto& spec, auto&, auto&) { spec.mutable_training()->set_clip_norm(1); },
     "peer: peer_sharded needs bf16 without --clip_norm and --lars"},
    {"clipping among four",
     [](auto& spec, auto& ranks, auto&) {
       spec.mutable_training()->set_clip_norm(1);
       ranks = 4;
     },
     "peer: peer_sharded needs bf16 without --clip_norm and --lars"},
    {"clipping among five",
     [](auto& spec, auto& ranks, auto&) {
       spec.mutable_training()->set_clip_norm(1);
       ranks = 5;
     },
     "own: peer_sharded needs bf16 without --clip_norm and --lars, and peer sends too much among more than 4 ranks"},
    {"seventeen", [](auto&, auto& ranks, auto&) { ranks = 17; }, "own: copies between GPUs support at most 16 ranks"},
    {"several hosts", [](auto&, auto&, auto& place) { place.one_host = false; }, "hierarchical"},
    {"several hosts, more than 16 ranks",
     [](auto&, auto& ranks, auto& place) {
       place.one_host = false;
       ranks = 32;
     },
     "hierarchical"},
    {"several hosts and clipping",
     [](auto& spec, auto& ranks, auto& place) {
       place.one_host = false;
       ranks = 8;
       spec.mutable_training()->set_clip_norm(1);
     },
     "hierarchical: hierarchical shares the update only with bf16 without --clip_norm and --lars"},
    {"several unequal hosts",
     [](auto&, auto&, auto& place) {
       place.one_host = false;
       place.why_not_hierarchical = "why";
     },
     "own: why"},
    {"several hosts, a GPU for two",
     [](auto&, auto&, auto& place) {
       place.one_host = false;
       place.own_gpus = false;
     },
     "own: ranks share a GPU"},
    {"several hosts, no peer access",
     [](auto&, auto&, auto& place) {
       place.one_host = false;
       place.why_no_peers = "GPU 0 cannot access the memory of GPU 1";
     },
     "own: GPU 0 cannot access the memory of GPU 1"},
    {"one host does not ask for equal hosts", [](auto&, auto&, auto& place) { place.why_not_hierarchical = "why"; },
     "peer_sharded"},
    {"a GPU for two", [](auto&, auto&, auto& place) { place.own_gpus = false; }, "own: ranks share a GPU"},
    {"no peer access",
     [](auto&, auto&, auto& place) { place.why_no_peers = "GPU 0 cannot access the memory of GPU 1"; },
     "own: GPU 0 cannot access the memory of GPU 1"},
    {"one rank", [](auto&, auto& ranks, auto&) { ranks = 1; }, "own"},
    {"the CPU", [](auto& spec, auto&, auto&) { spec.mutable_training()->set_device(proto::CPU); }, "own"},
    {"autograd", [](auto& spec, auto&, auto&) { spec.mutable_training()->set_step(proto::AUTOGRAD); }, "own"},
    {"DataParallel", [](auto& spec, auto&, auto&) { spec.set_mode(proto::DP); }, "own"},
};

TEST(ChooseReducerTest, TakesTheFastestThatCanBe) {
  for (const Case& one : kCases) {
    proto::ScaleSpec spec = FastSpec();
    uint32_t ranks = 2;
    RankPlace place;
    one.change(spec, ranks, place);
    EXPECT_EQ(TextOf(ChooseReducer(spec, ranks, place)), one.choice) << one.name;
  }
}

proto::ScalePoint PointOf(uint32_t ranks, uint32_t batch, proto::Reduction reduction,
                          const std::string& reducer = "auto") {
  proto::ScalePoint point;
  point.set_ranks(ranks);
  point.set_batch_per_device(batch);
  point.set_reduction(reduction);
  point.set_reducer(reducer);
  return point;
}

TEST(SharedGpuWarningTest, NamesTheReducerWhoseRanksWaitForOneAnother) {
  const auto of = [](uint32_t ranks, const std::string& reducer, uint32_t ranks_per_gpu) {
    return SharedGpuWarning({PointOf(1, 32, proto::PLAIN, reducer), PointOf(ranks, 32, proto::ALL_REDUCE, reducer)},
                            ranks_per_gpu);
  };
  EXPECT_EQ(of(2, "peer_sharded", 2),
            "--reducer=peer_sharded with LOCKSTEP_RANKS_PER_GPU=2: under NVIDIA MPS, ranks that share a GPU can wait "
            "for one another until --timeout ends the run; use --reducer=own");
  EXPECT_THAT(of(4, "peer", 4), HasSubstr("--reducer=peer with LOCKSTEP_RANKS_PER_GPU=4"));
  EXPECT_EQ(of(2, "peer", 1), "") << "each rank has a GPU";
  EXPECT_EQ(of(1, "peer", 2), "") << "one rank";
  EXPECT_EQ(of(2, "own", 2), "");
  EXPECT_EQ(of(2, "hierarchical", 2), "") << "ran under MPS";
}

std::vector<std::string> ReducersOf(const std::vector<proto::ScalePoint>& points) {
  std::vector<std::string> reducers;
  for (const proto::ScalePoint& point : points) {
    reducers.push_back(point.reducer() == "own" ? point.reducer_reason() : point.reducer());
  }
  return reducers;
}

// Returns a placement with two ranks on each host.
RankPlace TwoHere(uint32_t ranks) {
  RankPlace place;
  place.one_host = ranks <= 2;
  place.why_not_hierarchical = ranks % 2 == 0 ? "" : "the hosts differ";
  return place;
}

std::string Settled(const proto::ScaleSpec& spec, uint32_t ranks, const std::string& reducer = "auto") {
  proto::ScalePoint point = PointOf(ranks, 32, proto::ALL_REDUCE, reducer);
  SettleReducer(spec, TwoHere, point);
  return TextOf({point.reducer(), point.reducer_reason()});
}

TEST(SettleReducerTest, EachNumberOfRanksHasItsOwnAndOneThatOfTheFewest) {
  proto::ScaleSpec spec = FastSpec();
  spec.mutable_ranks()->Clear();
  for (const uint32_t ranks : {4, 1, 2, 3}) {
    spec.add_ranks(ranks);
  }
  EXPECT_EQ(Settled(spec, 4), "hierarchical");
  EXPECT_EQ(Settled(spec, 3), "own: the hosts differ");
  EXPECT_EQ(Settled(spec, 2), "peer_sharded");
  EXPECT_EQ(Settled(spec, 1), "peer_sharded");
  spec.mutable_ranks()->Clear();
  spec.add_ranks(1);
  EXPECT_EQ(Settled(spec, 1), "own");
}

TEST(SettleReducerTest, WhatWasNamedStays) {
  proto::ScaleSpec spec = FastSpec();
  spec.set_reducer("own");
  EXPECT_EQ(Settled(spec, 2, "own"), "own");
}

TEST(SettleReducerTest, RowsOfAnExperimentHaveWhatEachOfThemCanHave) {
  proto::ScaleSpec spec = FastSpec();
  std::vector<proto::ScalePoint> rows(3, PointOf(2, 64, proto::ALL_REDUCE));
  for (proto::ScalePoint& row : rows) {
    *row.mutable_training() = spec.training();
  }
  SettleReducerOfRows(spec, TwoHere, rows);
  EXPECT_EQ(ReducersOf(rows), std::vector<std::string>(3, "peer_sharded"));
  rows[1].mutable_training()->set_clip_norm(1);
  SettleReducerOfRows(spec, TwoHere, rows);
  EXPECT_EQ(ReducersOf(rows), std::vector<std::string>(3, "peer"));
  EXPECT_THAT(rows[0].reducer_reason(), HasSubstr("--clip_norm"));
}

// Returns the points of a run of --ranks=1,2,4 at two batches.
std::vector<proto::ScalePoint> Planned() {
  std::vector<proto::ScalePoint> points;
  for (const uint32_t batch : {32, 128}) {
    points.push_back(PointOf(1, batch, proto::PLAIN, "peer_sharded"));
    points.push_back(PointOf(1, batch, proto::ALL_REDUCE, "peer_sharded"));
    for (const uint32_t ranks : {2, 4}) {
      points.push_back(PointOf(ranks, batch, proto::ALL_REDUCE, "peer_sharded"));
      points.push_back(PointOf(ranks, batch, proto::ABLATED, "peer_sharded"));
    }
  }
  return points;
}

TEST(FallBackFromTest, WhatComesBehindOnAsManyRanksOrMoreFallsBackToo) {
  std::vector<proto::ScalePoint> points = Planned();
  proto::ScalePoint measured = points[2];
  measured.set_outcome(proto::COMPLETED);
  measured.set_reducer("own");
  measured.set_reducer_reason("why");
  FallBackFrom(measured, points);
  const std::string kept = "peer_sharded";
  EXPECT_THAT(ReducersOf(points),
              ElementsAre(kept, kept, "why", "why", "why", "why", kept, kept, "why", "why", "why", "why"));
}

// A resumed run finds the point that fell back among its own points. A point that was planned with its reducer changes
// nothing.
TEST(FallBackFromTest, APointThatRanAsPlannedChangesNothing) {
  std::vector<proto::ScalePoint> points = Planned();
  FallBackFrom(points[2], points);
  EXPECT_EQ(ReducersOf(points), ReducersOf(Planned()));
  points[2].set_reducer("own");
  points[2].set_reducer_reason("the ranks are on several hosts");
  FallBackFrom(points[2], points);
  EXPECT_EQ(points[3].reducer(), "peer_sharded");
  FallBackFrom(proto::ScalePoint(), points);
  EXPECT_EQ(points[3].reducer(), "peer_sharded");
}

// Memory that cannot be shared on one host cannot be shared on several either.
TEST(FallBackFromTest, PointsOverSeveralHostsFallBackToo) {
  std::vector<proto::ScalePoint> points = {PointOf(2, 32, proto::ALL_REDUCE, "peer_sharded"),
                                           PointOf(4, 32, proto::ALL_REDUCE, "hierarchical")};
  proto::ScalePoint measured = points[0];
  measured.set_reducer("own");
  measured.set_reducer_reason("why");
  FallBackFrom(measured, points);
  EXPECT_THAT(ReducersOf(points), ElementsAre("why", "why"));
}

// Points with named reducers are separate points, and there is no fallback between them.
TEST(FallBackFromTest, NamedReducersAreLeftAlone) {
  std::vector<proto::ScalePoint> points = {PointOf(2, 32, proto::ALL_REDUCE, "own"),
                                           PointOf(2, 32, proto::ALL_REDUCE, "peer")};
  FallBackFrom(points[1], points);
  EXPECT_THAT(ReducersOf(points), ElementsAre("", "peer"));
}

// A number stands in for the exchange.
using Made = absl::StatusOr<std::shared_ptr<int>>;
std::function<Made()> Makes(const Made& made, int& calls) {
  return [made, &calls] {
    ++calls;
    return made;
  };
}

TEST(PeersOrOwnTest, MemoryThatCannotBeSharedIsNoError) {
  int peers = 0, own = 0;
  std::string why;
  const Made made = PeersOrOwn<std::shared_ptr<int>>(
      Makes(absl::FailedPreconditionError("rank 1: sharing a GPU's memory: CUDA driver error 801"), peers),
      Makes(std::make_shared<int>(7), own), why);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(**made, 7);
  EXPECT_EQ(why, "the GPUs' memory cannot be shared: rank 1: sharing a GPU's memory: CUDA driver error 801");
}

TEST(PeersOrOwnTest, WhatPeersMakeIsTaken) {
  int peers = 0, own = 0;
  std::string why;
  const Made made = PeersOrOwn<std::shared_ptr<int>>(Makes(std::make_shared<int>(3), peers),
                                                     Makes(std::make_shared<int>(7), own), why);
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(**made, 3);
  EXPECT_EQ(own, 0);
  EXPECT_THAT(why, IsEmpty());
}

// A wrong sum, a lost rank, no memory left: these errors do not depend on the reducer.
TEST(PeersOrOwnTest, OtherErrorsStayErrors) {
  for (const absl::Status& error : {absl::AbortedError("a wrong sum"), absl::UnavailableError("rank 1 is gone"),
                                    absl::ResourceExhaustedError("no memory"), absl::InternalError("a fault")}) {
    int peers = 0, own = 0;
    std::string why;
    EXPECT_THAT(PeersOrOwn<std::shared_ptr<int>>(Makes(error, peers), Makes(std::make_shared<int>(7), own), why),
                StatusIs(error.code(), HasSubstr(std::string(error.message()))));
    EXPECT_EQ(own, 0);
    EXPECT_THAT(why, IsEmpty());
  }
}

TEST(PeersOrOwnTest, TheOthersErrorIsTheirs) {
  int peers = 0, own = 0;
  std::string why;
  EXPECT_THAT(PeersOrOwn<std::shared_ptr<int>>(Makes(absl::FailedPreconditionError("no"), peers),
                                               Makes(absl::UnavailableError("no NCCL"), own), why),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no NCCL")));
}

}  // namespace
}  // namespace lockstep
