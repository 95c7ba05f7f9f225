#include "lib/pickle/machine.h"

#include <deque>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/pickle/opcodes.h"
#include "lib/pickle/value.h"
#include "lib/testing/matchers.h"

namespace lockstep::pickle {
namespace {

using ::lockstep::testing::IsOk;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

constexpr Op kAllOps[] = {kMark,       kStop,        kBinBytes,   kShortBinBytes,   kBinInt,         kBinInt1,
                          kBinInt2,    kNone,        kReduce,     kBinString,       kShortBinString, kBinUnicode,
                          kAppend,     kBuild,       kGlobal,     kAppends,         kBinGet,         kLongBinGet,
                          kBinPut,     kLongBinPut,  kSetItem,    kTuple,           kSetItems,       kEmptyDict,
                          kEmptyTuple, kEmptyList,   kProto,      kTuple1,          kTuple2,         kTuple3,
                          kNewTrue,    kNewFalse,    kLong1,      kShortBinUnicode, kBinBytes8,      kStackGlobal,
                          kMemoize,    kFrame,       kByteArray8, kBinFloat,        kLong4,          kNewObj,
                          kNewObjEx,   kBinUnicode8, kEmptySet,   kAddItems,        kFrozenSet};

constexpr Global kArray = {"sound", "array", Global::kBuilt};
constexpr Global kEncode = {"sound", "encode", Global::kCalled};
constexpr Global kType = {"sound", "type", Global::kNamed};
constexpr Global kGlobals[] = {kArray, kEncode, kType};

// Returns a dialect with all opcodes except BINPERSID, protocols 2 to 4, three globals, 1,000 objects.
Dialect SmallDialect() {
  Dialect dialect;
  dialect.after = " is not of the test";
  dialect.opcodes = kAllOps;
  dialect.first_protocol = 2;
  dialect.last_protocol = 4;
  dialect.protocols = "expected 2 to 4";
  dialect.globals = kGlobals;
  dialect.max_objects = 1000;
  return dialect;
}

// Returns a text that may contain zeros: Bytes("K\0").
template <size_t N>
std::string Bytes(const char (&text)[N]) {
  return std::string(text, N - 1);
}

// Reads a pickle and keeps it, because texts are views into it.
absl::StatusOr<Objects> Read(const std::string& pickle) {
  static auto* kept = new std::deque<std::string>;
  return ReadPickle(kept->emplace_back(pickle), SmallDialect());
}

// Returns the error message for a pickle that contradicts itself.
std::string Broken(const std::string& pickle) {
  const absl::Status status = Read(pickle).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  return std::string(status.message());
}

// Returns the error message for a pickle outside the dialect.
std::string Refused(const std::string& pickle) {
  const absl::Status status = Read(pickle).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  return std::string(status.message());
}

int64_t Number(const std::string& pickle) {
  const auto objects = Read(pickle);
  EXPECT_THAT(objects, IsOk());
  EXPECT_EQ(objects->root->kind, Value::kInt);
  return objects->root->number;
}

TEST(PickleTest, Numbers) {
  EXPECT_EQ(Number(Bytes("K\xFF.")), 255);
  EXPECT_EQ(Number(Bytes("M\x00\x0C.")), 3072);
  EXPECT_EQ(Number(Bytes("J\xFF\xFF\xFF\xFF.")), -1);
  EXPECT_EQ(Number(Bytes("\x8A\x01\xFF.")), -1);
  EXPECT_EQ(Number(Bytes("\x8A\x00.")), 0);
  EXPECT_EQ(Number(Bytes("\x8A\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F.")), INT64_MAX);
  EXPECT_EQ(Number(Bytes("\x8B\x02\x00\x00\x00\xFE\xFF.")), -2);
}

TEST(PickleTest, IntegersOfMoreThan64BitsKeepTheirBytes) {
  for (const std::string& head : {Bytes("\x8A\x09"), Bytes("\x8B\x09\x00\x00\x00")}) {
    const auto objects = Read(head + Bytes("\0\1\2\3\4\5\6\7\x08."));
    ASSERT_THAT(objects, IsOk());
    EXPECT_EQ(objects->root->kind, Value::kBigInt);
    EXPECT_EQ(objects->root->text, Bytes("\0\1\2\3\4\5\6\7\x08"));
    EXPECT_EQ(Describe(*objects->root), "a number of 72 bits");
  }
  EXPECT_THAT(Broken(Bytes("\x8A\x09")), HasSubstr("byte 0: it ends in the middle of an instruction"));
  EXPECT_THAT(Broken(Bytes("\x8B\xFF\xFF\xFF\xFF.")), HasSubstr("byte 0: it ends in the middle of an instruction"));
}

TEST(PickleTest, Floats) {
  const auto objects = Read(Bytes("G\xBF\xF8\0\0\0\0\0\0."));
  ASSERT_THAT(objects, IsOk());
  EXPECT_EQ(objects->root->kind, Value::kFloat);
  EXPECT_EQ(objects->root->real, -1.5);
  EXPECT_EQ(Describe(*objects->root), "the number -1.5");
  EXPECT_THAT(Broken(Bytes("G\xBF\xF8")), HasSubstr("byte 0: it ends in the middle of an instruction"));
}

TEST(PickleTest, TextsOfEveryWidthAreViewsIntoThePickle) {
  for (const std::string& head :
       {Bytes("U\x03"), Bytes("T\x03\0\0\0"), Bytes("C\x03"), Bytes("B\x03\0\0\0"), Bytes("\x8E\x03\0\0\0\0\0\0\0"),
        Bytes("\x96\x03\0\0\0\0\0\0\0"), Bytes("X\x03\0\0\0"), Bytes("\x8C\x03"), Bytes("\x8D\x03\0\0\0\0\0\0\0")}) {
    const std::string pickle = head + "abc.";
    const auto objects = ReadPickle(pickle, SmallDialect());
    ASSERT_THAT(objects, IsOk());
    const bool is_unicode = head[0] == 'X' || head[0] == '\x8C' || head[0] == '\x8D';
    EXPECT_EQ(objects->root->kind, is_unicode ? Value::kString : Value::kBytes);
    EXPECT_EQ(objects->root->text, "abc");
    EXPECT_THAT(objects->root->text.data(), AllOf(Ge(pickle.data()), Le(pickle.data() + pickle.size())));
  }
}

TEST(PickleTest, TextsLongerThanThePickleAreCutOff) {
  for (const std::string& pickle : {Bytes("U\x04"
                                          "abc"),
                                    Bytes("T\xFF\xFF\xFF\xFF"
                                          "abc"),
                                    Bytes("B\xFF\xFF\xFF\x7F"
                                          "abc"),
                                    Bytes("\x8E\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
                                          "abc"),
                                    Bytes("\x96\0\0\0\0\x01\0\0\0"
                                          "abc"),
                                    Bytes("X\0\0\0\x80"
                                          "abc"),
                                    Bytes("\x8C\xFF"
                                          "abc")}) {
    EXPECT_THAT(Broken(pickle), HasSubstr("byte 0: it ends in the middle of an instruction"));
  }
  EXPECT_THAT(Broken(Bytes("\x95\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFN.")), HasSubstr("a frame reaches beyond the end"));
}

TEST(PickleTest, ListsAndDictsAreFilledOneByOneOrByMark) {
  const std::string list =
      "](K\x01K\x02"
      "eK\x03"
      "a.";
  EXPECT_THAT(Read(list)->root->items, SizeIs(3));
  const std::string dict =
      "}(U\x01"
      "aK\x01U\x01"
      "bK\x02uU\x01"
      "cK\x03s.";
  const auto objects = Read(dict);
  ASSERT_THAT(objects->root->items, SizeIs(6));
  EXPECT_EQ(objects->root->items[4]->text, "c");
  EXPECT_EQ(objects->root->items[5]->number, 3);
}

TEST(PickleTest, SetsHaveItems) {
  EXPECT_THAT(Read("\x8F(K\x01K\x02\x90.")->root->items, SizeIs(2));
  const auto frozen = Read("(K\x01K\x02\x91.");
  ASSERT_THAT(frozen, IsOk());
  EXPECT_EQ(Describe(*frozen->root), "a set");
  EXPECT_THAT(frozen->root->items, SizeIs(2));
  EXPECT_THAT(Broken("](K\x01\x90."), HasSubstr("items without a set"));
  EXPECT_THAT(Broken("K\x01\x91."), HasSubstr("lacks its mark"));
}

TEST(PickleTest, AnObjectOfAClassMayHaveItems) {
  const auto list = Read(
      "csound\narray\n)\x81(K\x01K\x02"
      "e.");
  ASSERT_THAT(list, IsOk());
  EXPECT_TRUE(IsCallOf(*list->root, kArray));
  EXPECT_THAT(list->root->items, SizeIs(2));
  EXPECT_THAT(Read("csound\narray\n)R(K\x01K\x02u.")->root->items, SizeIs(2));
  EXPECT_THAT(Broken("csound\narray\n)R(K\x01u."), HasSubstr("items without a dict"));
  EXPECT_THAT(Broken("csound\nencode\n)R(K\x01K\x02u."), HasSubstr("items without a dict"));  // may not be built
}

TEST(PickleTest, ItemsGoIntoNothingElse) {
  EXPECT_THAT(Broken("}K\x01"
                     "a."),
              HasSubstr("items without a list"));
  EXPECT_THAT(Broken("K\x05(K\x01"
                     "e."),
              HasSubstr("items without a list"));
  EXPECT_THAT(Broken("(K\x01"
                     "e."),
              HasSubstr("items without a list"));
  EXPECT_THAT(Broken("](NNu."), HasSubstr("items without a dict"));
  EXPECT_THAT(Broken("}(NNNu."), HasSubstr("items without a dict"));
  EXPECT_THAT(Broken("}NNNe."), HasSubstr("lacks its mark"));
  EXPECT_THAT(Broken("a"), HasSubstr("lacks its operand"));
  EXPECT_THAT(Broken("](\x86."), HasSubstr("lacks its operand"));
  EXPECT_THAT(Broken("(."), HasSubstr("lacks its operand"));
}

TEST(PickleTest, WhatIsRememberedComesBack) {
  EXPECT_THAT(Read(Bytes("]q\0h\0r\xFF\xFF\xFF\xFFj\xFF\xFF\xFF\xFF."))->root->kind, Value::kList);
  const auto counted = Read(
      "\x8C\x01"
      "a\x94\x8C\x01"
      "b\x94h\x01.");  // slots of MEMOIZE count from 0
  ASSERT_THAT(counted, IsOk());
  EXPECT_EQ(counted->root->text, "b");
  EXPECT_THAT(Broken("Nh\x05."), HasSubstr("byte 1: it refers to something not yet read"));
  EXPECT_THAT(Broken("(\x94."), HasSubstr("nothing to remember"));
  EXPECT_THAT(Broken("\x94."), HasSubstr("nothing to remember"));
}

TEST(PickleTest, ACallIsAValueWithArgumentsAndState) {
  for (const std::string& name : {Bytes("csound\narray\n"), Bytes("\x8C\x05sound\x8C\x05"
                                                                  "array\x93")}) {
    const std::string pickle = name +
                               "K\x07\x85RK\x09\x85"
                               "b.";
    const auto objects = Read(pickle);
    ASSERT_THAT(objects, IsOk());
    EXPECT_TRUE(IsCallOf(*objects->root, kArray));
    EXPECT_EQ(objects->root->arguments->items[0]->number, 7);
    EXPECT_EQ(objects->root->state->items[0]->number, 9);
    EXPECT_EQ(Describe(*objects->root), "a call of sound array");
  }
}

TEST(PickleTest, AnObjectOfAClassIsACall) {
  for (const std::string& call : {Bytes("K\x07\x85\x81."), Bytes("K\x07\x85}\x92.")}) {
    const auto objects = Read("csound\narray\n" + call);
    ASSERT_THAT(objects, IsOk());
    EXPECT_TRUE(IsCallOf(*objects->root, kArray));
    EXPECT_EQ(objects->root->arguments->items[0]->number, 7);
  }
  EXPECT_EQ(Refused("csound\ntype\n)\x81."), "opcode NEWOBJ of sound type at byte 13 is not of the test");
  EXPECT_EQ(Refused("csound\narray\n)R)R."),
            "opcode REDUCE of the result of a call of sound array at byte 16 is not of the test");
}

TEST(PickleTest, AGlobalOutsideTheListIsRefusedAtOnce) {
  EXPECT_EQ(Refused("Ncos\nsystem\n"), "opcode GLOBAL os system at byte 1 is not of the test");
  EXPECT_EQ(Refused("\x8C\x02os\x8C\x06system\x93"), "opcode STACK_GLOBAL os system at byte 12 is not of the test");
  EXPECT_EQ(Refused("csound\narray.evil\n"), "opcode GLOBAL sound array.evil at byte 0 is not of the test");
  EXPECT_THAT(Broken("K\x01K\x02\x93."), HasSubstr("STACK_GLOBAL of something that is not a name"));
  EXPECT_THAT(Broken("csound"), HasSubstr("a name without an end"));
}

TEST(PickleTest, OnlyWhatMayBeCalledIsCalledAndOnlyWhatMayBeBuiltIsBuilt) {
  EXPECT_EQ(Refused("csound\ntype\n)R."), "opcode REDUCE of sound type at byte 13 is not of the test");
  EXPECT_EQ(Refused("csound\nencode\n)RNb."), "opcode BUILD on a call of sound encode at byte 17 is not of the test");
  EXPECT_EQ(Refused("}Nb."), "opcode BUILD on a dict at byte 2 is not of the test");
  EXPECT_EQ(Refused("csound\narray\nNb."), "opcode BUILD on sound array at byte 14 is not of the test");
  EXPECT_THAT(Broken("N)R."), HasSubstr("a call of something that cannot be called"));
  EXPECT_THAT(Broken("csound\narray\nNR."), HasSubstr("a call of something that cannot be called"));
  EXPECT_THAT(Broken("Nb."), HasSubstr("lacks its operand"));
}

TEST(PickleTest, EveryOtherOpcodeIsRefusedByNameAndByte) {
  const Dialect dialect = SmallDialect();
  for (int byte = 0; byte < 256; ++byte) {
    bool accepted = false;
    for (const Op op : dialect.opcodes) {
      accepted = accepted || op == byte;
    }
    if (!accepted) {
      EXPECT_EQ(Refused(std::string("N") + static_cast<char>(byte)),
                absl::StrCat("opcode ", OpcodeName(static_cast<unsigned char>(byte)), " at byte 1 is not of the test"));
    }
  }
  EXPECT_EQ(OpcodeName(0x81), "NEWOBJ");
  EXPECT_EQ(OpcodeName('i'), "INST");
  EXPECT_EQ(OpcodeName(0x98), "READONLY_BUFFER");
  EXPECT_EQ(OpcodeName(0xFF), "0xFF");
  EXPECT_EQ(OpcodeName(0x0A), "0x0A");
}

TEST(PickleTest, OtherProtocolsAreRefused) {
  EXPECT_THAT(Read("\x80\x04N."), IsOk());
  EXPECT_EQ(Refused("\x80\x05N."), "protocol 5 (expected 2 to 4) at byte 0 is not of the test");
  EXPECT_THAT(Refused("\x80\x01N."), HasSubstr("protocol 1"));
}

TEST(PickleTest, NamesInMessagesAreShortAndPrintable) {
  const std::string message = Refused("c\x1b[31m" + std::string(100, 'm') + "\r\nx\n");
  EXPECT_THAT(message, AllOf(HasSubstr("\\x1b[31m"), HasSubstr("mmm... x at byte 0"), Not(HasSubstr("\r"))));
  EXPECT_THAT(message.size(), Le(200u));
}

TEST(PickleTest, ObjectsHaveALimitThatMemoAndStackShare) {
  EXPECT_THAT(Read(std::string(1000, 'N') + "."), IsOk());
  EXPECT_THAT(Broken(std::string(1001, 'N') + "."), HasSubstr("byte 1000: more than 1000 objects"));
  EXPECT_THAT(Broken("N" + std::string(2000, '\x94')), HasSubstr("more than 1000 objects"));
  std::string recalled = Bytes("Nq\0");
  for (int i = 0; i < 1000; ++i) {
    recalled += Bytes("h\0");
  }
  EXPECT_THAT(Broken(recalled), HasSubstr("more than 1000 objects"));
}

TEST(PickleTest, NestingAndCirclesAreHarmless) {
  EXPECT_THAT(Read("N" + std::string(999, '\x85') + "."), IsOk());
  EXPECT_THAT(Read(Bytes("]q\0h\0a.")), IsOk());  // a list that contains itself
  EXPECT_THAT(Broken(std::string(100, '(') + std::string(101, 't') + "."), HasSubstr("lacks its mark"));
}

TEST(PickleTest, SharedArgumentsAreNotCopied) {
  // A tuple of 600 items, and 300 calls with this tuple as their arguments.
  std::string pickle = "(" + std::string(600, 'N') + "tq\1csound\narray\nq\2";
  for (int i = 0; i < 300; ++i) {
    pickle += "h\2h\1R";
  }
  const auto objects = Read(pickle + ".");
  ASSERT_THAT(objects, IsOk());
  EXPECT_THAT(objects->root->arguments->items, SizeIs(600));
  EXPECT_THAT(objects->root->items, IsEmpty());
}

TEST(PickleTest, TheEndIsKnown) {
  EXPECT_EQ(Read("\x80\x02N.more")->size, 4u);
  EXPECT_THAT(Broken(""), HasSubstr("byte 0"));
  EXPECT_THAT(Broken("\x80\x02N"), EndsWith("byte 3: it ends in the middle of an instruction"));
}

}  // namespace
}  // namespace lockstep::pickle
