#include "lib/nn/state_dict_pickle.h"

#include <string>
#include <vector>

#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TensorEntry Entry(const std::string& name, const std::string& key) {
  TensorEntry entry;
  entry.name = name;
  entry.storage_key = key;
  entry.storage_elements = 6;
  entry.sizes = {2, 3};
  entry.strides = {3, 1};
  return entry;
}

// Adds the first and the last instruction of every pickle that torch.save writes.
std::string Pickle(const std::string& body) { return std::string("\x80\x02", 2) + body + "."; }

// Returns the tensors of the only state dict in a pickle.
absl::StatusOr<std::vector<TensorEntry>> ParseOne(absl::string_view pickle) {
  const absl::StatusOr<PickledWeights> weights = ParsePickledWeights(pickle);
  if (!weights.ok()) {
    return weights.status();
  }
  EXPECT_EQ(weights->state_dicts.size(), 1);
  EXPECT_EQ(weights->state_dicts[0].place, "");
  return weights->state_dicts[0].tensors;
}

// Returns the instructions that push a text.
std::string Text(const std::string& text) {
  return std::string("X") + static_cast<char>(text.size()) + std::string(3, '\0') + text;
}

// Returns the instructions that push a state dict with the tensor `name`.
std::string Dict(const std::string& name) {
  const std::string pickle = PickleStateDict({Entry(name, "0")});
  return pickle.substr(2, pickle.size() - 3);
}

// Returns the places of the state dicts in a pickle with this body.
std::vector<std::string> Places(const std::string& body) {
  const absl::StatusOr<PickledWeights> weights = ParsePickledWeights(Pickle(body));
  EXPECT_THAT(weights, IsOk());
  std::vector<std::string> places;
  for (const StateDict& dict : weights.ok() ? weights->state_dicts : std::vector<StateDict>()) {
    places.push_back(dict.place);
  }
  return places;
}

TEST(StateDictPickleTest, RoundTrips) {
  TensorEntry counter;
  counter.name = "bn1.num_batches_tracked";
  counter.type = kInt64;
  counter.storage_key = "1";
  counter.storage_elements = 1;
  const auto parsed = ParseOne(PickleStateDict({Entry("conv1.weight", "0"), counter}));
  ASSERT_THAT(parsed, IsOk());
  ASSERT_EQ(parsed->size(), 2);
  EXPECT_EQ((*parsed)[0].name, "conv1.weight");
  EXPECT_EQ((*parsed)[0].type.name, "float32");
  EXPECT_EQ((*parsed)[0].storage_key, "0");
  EXPECT_THAT((*parsed)[0].sizes, ElementsAre(2, 3));
  EXPECT_THAT((*parsed)[0].strides, ElementsAre(3, 1));
  EXPECT_EQ((*parsed)[1].type.name, "int64");
  EXPECT_THAT((*parsed)[1].sizes, IsEmpty());
}

TEST(StateDictPickleTest, RoundTripsNothingAndHugeCounts) {
  EXPECT_THAT(ParsePickledWeights(PickleStateDict({}))->state_dicts, IsEmpty());
  TensorEntry huge = Entry("x", "0");
  huge.storage_elements = int64_t{1} << 40;
  huge.offset = (int64_t{1} << 40) - 6;
  EXPECT_EQ(ParseOne(PickleStateDict({huge}))->front().offset, (int64_t{1} << 40) - 6);
}

TEST(StateDictPickleTest, EveryPrefixIsAnErrorAndNeverACrash) {
  const std::string pickle = PickleStateDict({Entry("conv1.weight", "0")});
  for (size_t size = 0; size < pickle.size(); ++size) {
    EXPECT_THAT(ParsePickledWeights(pickle.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("byte")))
        << size;
  }
}

TEST(StateDictPickleTest, EveryFlippedBitIsReadOrRefusedButNeverACrash) {
  const std::string pickle = PickleStateDict({Entry("conv1.weight", "0")});
  for (size_t bit = 0; bit < pickle.size() * 8; ++bit) {
    std::string flipped = pickle;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const absl::Status status = ParsePickledWeights(flipped).status();
    EXPECT_THAT(status.code(),
                AnyOf(absl::StatusCode::kOk, absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition));
  }
}

TEST(StateDictPickleTest, RefusesATensorThatReachesOutOfItsStorage) {
  TensorEntry entry = Entry("x", "0");
  entry.offset = 1;  // 2x3 numbers from the second of six elements
  EXPECT_THAT(ParsePickledWeights(PickleStateDict({entry})), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("6")));
  entry.offset = -1;
  EXPECT_THAT(ParsePickledWeights(PickleStateDict({entry})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("storage")));
}

TEST(StateDictPickleTest, NeverRunsWhatAPickleNames) {
  // cposix\nsystem\n(X....echo hi tR. : a malicious checkpoint that runs a command.
  const std::string evil = Pickle(std::string("cposix\nsystem\n(X\x07\0\0\0echo hitR", 29));
  EXPECT_THAT(ParsePickledWeights(evil),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("it names posix system at byte 2, which is not on the list")));
  // Also if a state dict is next to the call.
  EXPECT_THAT(ParsePickledWeights(Pickle("}(" + Text("net") + Dict("w") + Text("evil") + "cposix\nsystem\n" +
                                         Text("echo hi") + "\x85Ru")),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("it names posix system")));
}

TEST(StateDictPickleTest, NestingAndCirclesAreHarmless) {
  // A million nested tuples. If each destroyed the next one inside it, the stack would overflow.
  EXPECT_THAT(Places("N" + std::string(1000000, '\x85')), IsEmpty());
  // A dict that is its own value: }q\0 X 'a' h\0 s.
  EXPECT_THAT(Places(std::string("}q\0X\x01\0\0\0ah\0s", 12)), IsEmpty());
  // State dicts are looked for in 16 levels.
  EXPECT_THAT(Places(Dict("w") + std::string(16, '\x85')), SizeIs(1));
  EXPECT_THAT(Places(Dict("w") + std::string(17, '\x85')), IsEmpty());
}

TEST(StateDictPickleTest, WhatManyTensorsCouldShareIsBounded) {
  TensorEntry entry = Entry("x", "0");
  entry.sizes.assign(65, 1);
  entry.strides.assign(65, 1);
  EXPECT_THAT(ParsePickledWeights(PickleStateDict({entry})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a tensor of 65 dimensions; expected at most 64")));
  EXPECT_THAT(ParsePickledWeights(PickleStateDict({Entry(std::string(1001, 'n'), "0")})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("a name of 1001 bytes")));
}

TEST(StateDictPickleTest, ManyTensorsAreRefused) {
  // A dict with 10,001 entries that share one tensor, twice.
  const std::string pickle = PickleStateDict({Entry("w", "0")});
  std::string items = "X" + std::string("\x01\0\0\0k", 5) + std::string("q\1", 2) +
                      pickle.substr(pickle.find("ctorch._utils"), pickle.size() - 2 - pickle.find("ctorch._utils")) +
                      "q\2";
  for (int i = 0; i < 10'000; ++i) {
    items += "h\1h\2";
  }
  EXPECT_THAT(ParsePickledWeights(Pickle("}(" + items + "u")), IsOk());
  EXPECT_THAT(ParsePickledWeights(Pickle("}(" + items + "u}(" + items + "u\x86")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("more than 20000 tensors")));
}

TEST(StateDictPickleTest, FindsStateDictsInDictsListsAndTuples) {
  EXPECT_THAT(Places("}(" + Text("epoch") + "K\x05" + Text("net") + Dict("w") + Text("optimizer") + "}" +
                     Text("state") + "}K\x01" + Dict("momentum_buffer") + "ssu"),
              ElementsAre("['net']", "['optimizer']['state'][1]"));
  EXPECT_THAT(Places("K\x05" + Dict("w") + "\x86"), ElementsAre("[1]"));
  EXPECT_THAT(Places("](" + Dict("w") + Dict("v") + "e"), ElementsAre("[0]", "[1]"));
  // One dict under two keys is one state dict.
  EXPECT_THAT(
      Places("}(" + Text("a") + Dict("w") + std::string("q\x63", 2) + Text("b") + std::string("h\x63", 2) + "u"),
      ElementsAre("['a']"));
}

TEST(StateDictPickleTest, EntriesThatAreNoTensorsAreDescribed) {
  const auto weights = ParsePickledWeights(Pickle(Dict("w") + Text("epoch") + "K\x05s"));
  ASSERT_THAT(weights, IsOk());
  ASSERT_EQ(weights->state_dicts.size(), 1);
  EXPECT_EQ(weights->state_dicts[0].tensors.size(), 1);
  EXPECT_THAT(weights->state_dicts[0].others, ElementsAre(Pair("epoch", "the number 5")));
}

TEST(StateDictPickleTest, ReadsWhatPython2Saved) {
  // OrderedDict([['w', <tensor>]]), with a str of Python 2 as the name.
  const std::string pickle = PickleStateDict({Entry("w", "0")});
  const std::string tensor =
      pickle.substr(pickle.find("ctorch._utils"), pickle.size() - 2 - pickle.find("ctorch._utils"));
  const auto parsed = ParseOne(Pickle("ccollections\nOrderedDict\n](](U\x01w" + tensor + "ee\x85R"));
  ASSERT_THAT(parsed, IsOk());
  ASSERT_EQ(parsed->size(), 1);
  EXPECT_EQ((*parsed)[0].name, "w");
}

TEST(StateDictPickleTest, AWholeModuleIsRefusedByItsClass) {
  const std::string module = "c__main__\nNet\n)\x81}" + Text("_modules") + "}sb";
  for (const std::string& body : {module, "}" + Text("net") + module + "s"}) {
    EXPECT_THAT(ParsePickledWeights(Pickle(body)),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr("a whole module of class __main__.Net, whose Python code is not here and is never "
                                   "run; save the weights alone, in Python: torch.save(model.state_dict()")));
  }
}

TEST(StateDictPickleTest, AnOldFileNamesTheClassOfAModuleInAPersistentId) {
  const std::string module = "(" + Text("module") + "c__main__\nNet\n" + Text("net.py") + Text("class Net") +
                             "tQ)\x81}" + Text("_modules") + "}sb";
  EXPECT_THAT(ParsePickledWeights(Pickle(module)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a whole module of class __main__.Net,")));
}

TEST(StateDictPickleTest, PlainValuesNextToTheWeightsAreReadOver) {
  // argparse.Namespace(lr=0.1), defaultdict(list, a=1), {'set', 2}, and a bound method by which PyTorch 2.0 saves
  // OneCycleLR.
  EXPECT_THAT(Places("}(" + Text("args") + "cargparse\nNamespace\n)\x81}" + Text("lr") +
                     std::string("G?\xb9\x99\x99\x99\x99\x99\x9a", 9) + "sb" + Text("counts") +
                     "ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R" + Text("a") + "K\x01s" + Text("set") +
                     "\x8f(" + Text("set") + "K\x02\x90" + Text("anneal") + "c__builtin__\ngetattr\n" +
                     "ctorch.optim.lr_scheduler\nOneCycleLR\n" + Text("_annealing_cos") + "\x86R" + Text("net") +
                     Dict("w") + "u"),
              ElementsAre("['net']"));
}

TEST(StateDictPickleTest, AnOpcodeThatCheckpointsDoNotHaveIsRefusedByName) {
  EXPECT_THAT(ParsePickledWeights(Pickle("(icollections\nOrderedDict\n")),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("not the pickle of a checkpoint: opcode INST collections OrderedDict at byte 3")));
}

TEST(StateDictPickleTest, ReadsProtocols2To5) {
  for (const char protocol : {2, 3, 4, 5}) {
    std::string pickle = PickleStateDict({Entry("w", "0")});
    pickle[1] = protocol;
    EXPECT_THAT(ParsePickledWeights(pickle), IsOk());
  }
  for (const char protocol : {1, 6}) {
    EXPECT_THAT(ParsePickledWeights(std::string("\x80") + protocol + "."),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("expected 2 to 5")));
  }
}

}  // namespace
}  // namespace lockstep
