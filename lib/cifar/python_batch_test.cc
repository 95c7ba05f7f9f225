#include "lib/cifar/python_batch.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/cifar/small_pickle_testing.h"
#include "lib/dataset/dataset.h"
#include "lib/testing/file_util.h"
#include "lib/testing/matchers.h"

namespace lockstep {
namespace {

using ::lockstep::testing::CifarClassNames;
using ::lockstep::testing::IsOk;
using ::lockstep::testing::MakeSmallBatch;
using ::lockstep::testing::PickleBatch;
using ::lockstep::testing::PickleMeta;
using ::lockstep::testing::PickleWriter;
using ::lockstep::testing::ReadFile;
using ::lockstep::testing::SmallBatch;
using ::lockstep::testing::SmallPicklePixel;
using ::lockstep::testing::StatusIs;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Returns a text that contains zeros: Bytes("K\0").
template <size_t N>
std::string Bytes(const char (&text)[N]) {
  return std::string(text, N - 1);
}

std::string TwoImages() { return PickleBatch(MakeSmallBatch({6, 9})); }

absl::StatusOr<ImageSet> Parse(const std::string& pickle) {
  ImageSet set;
  const absl::Status status = AppendPythonBatch(pickle, set);
  return status.ok() ? absl::StatusOr<ImageSet>(set) : status;
}

// Expects the contents of the small batches, whichever program wrote them.
void ExpectTwoImages(const absl::StatusOr<ImageSet>& set) {
  ASSERT_THAT(set, IsOk());
  EXPECT_THAT(set->labels, ElementsAre(6, 9));
  ASSERT_THAT(set->pixels, SizeIs(2 * kImageBytes));
  for (uint32_t i = 0; i < 2; ++i) {
    for (uint32_t j = 0; j < kImageBytes; ++j) {
      ASSERT_EQ(set->pixels[i * kImageBytes + j], SmallPicklePixel(i, j)) << i << " " << j;
    }
  }
}

// Returns the paths of the batches that data/testdata/cifar/make_pickles.py wrote with Python 3.
std::vector<std::string> SavedAgain() {
  const std::string folder = "data/testdata/cifar/batch.";
  std::vector<std::string> paths = {folder + "numpy1.protocol2.bytes", folder + "numpy1.protocol5.text"};
  for (const int protocol : {2, 3, 4, 5}) {
    for (const char* kind : {"bytes", "text"}) {
      paths.push_back(absl::StrCat(folder, "numpy2.protocol", protocol, ".", kind));
    }
  }
  return paths;
}

TEST(PythonBatchTest, ReadsTheLayoutOfThePublishedFiles) { ExpectTwoImages(Parse(TwoImages())); }

TEST(PythonBatchTest, ReadsWhatPython3SavesAgain) {
  for (const std::string& path : SavedAgain()) {
    SCOPED_TRACE(path);
    ExpectTwoImages(Parse(ReadFile(path)));
  }
}

TEST(PythonBatchTest, BatchesAddUp) {
  ImageSet set;
  ASSERT_THAT(AppendPythonBatch(TwoImages(), set), IsOk());
  ASSERT_THAT(AppendPythonBatch(PickleBatch(MakeSmallBatch({3})), set), IsOk());
  EXPECT_THAT(set.labels, ElementsAre(6, 9, 3));
  EXPECT_THAT(set.pixels, SizeIs(3 * kImageBytes));
}

TEST(PythonBatchTest, ABrokenOneAddsNothing) {
  ImageSet set;
  EXPECT_FALSE(AppendPythonBatch(PickleBatch(MakeSmallBatch({6, 10})), set).ok());
  EXPECT_THAT(set.labels, IsEmpty());
  EXPECT_THAT(set.pixels, IsEmpty());
}

TEST(PythonBatchTest, AWholeBatchOfTenThousand) {
  const auto set = Parse(PickleBatch(testing::MakeFlatBatch(10'000, 'x')));
  ASSERT_THAT(set, IsOk());
  EXPECT_THAT(set->labels, SizeIs(10'000));
  EXPECT_THAT(set->pixels, SizeIs(size_t{30'720'000}));
  EXPECT_THAT(
      Parse(PickleBatch(testing::MakeFlatBatch(10'001, 'x'))),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected the shape (1 to 10000, 3072), found (10001, 3072)")));
}

// Returns a batch of two images whose labels are `opcodes`. numpy 2 writes such pickles at protocol 4; the opcodes of
// protocol 2 are used here.
absl::StatusOr<ImageSet> ParseLabels(const std::string& opcodes) {
  SmallBatch batch = MakeSmallBatch({0, 0});
  batch.labels_key = "other";
  batch.extra = PickleWriter().Str("labels").Done() + opcodes;
  return Parse(PickleBatch(batch));
}

// Opcodes of numpy.dtype(name), with the byte order in its state.
std::string Type(const std::string& name, const std::string& order) {
  return PickleWriter()
      .Op("cnumpy\ndtype\n")
      .Str(name)
      .Int(0)
      .Int(1)
      .Op("\x87R(")
      .Int(3)
      .Str(order)
      .Op("NNN")
      .MinusOne()
      .MinusOne()
      .Int(0)
      .Op("tb")
      .Done();
}

// Opcodes of a numpy array with this shape.
std::string Array(const std::string& type, const std::string& shape, const std::string& bytes) {
  return PickleWriter()
             .Op("cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n")
             .Int(0)
             .Op("\x85")
             .Str("b")
             .Op("\x87R(")
             .Int(1)
             .Done() +
         shape + type + PickleWriter().Op("\x89").Str(bytes).Op("tb").Done();
}

std::string Pair() { return PickleWriter().Int(2).Op("\x85").Done(); }           // (2,)
std::string Column() { return PickleWriter().Int(2).Int(1).Op("\x86").Done(); }  // (2, 1)
std::string Scalar(const std::string& type, const std::string& bytes) {
  return "cnumpy.core.multiarray\nscalar\n" + type + PickleWriter().Str(bytes).Op("\x86R").Done();
}

TEST(PythonBatchTest, LabelsMayBeATuple) {
  ExpectTwoImages(ParseLabels(PickleWriter().Int(6).Int(9).Op("\x86").Done()));
}

TEST(PythonBatchTest, LabelsMayBeANumpyArray) {
  const std::string little = Bytes("\6\0\0\0\0\0\0\0\x9\0\0\0\0\0\0\0");
  ExpectTwoImages(ParseLabels(Array(Type("i8", "<"), Pair(), little)));
  ExpectTwoImages(ParseLabels(Array(Type("i8", "<"), Column(), little)));
  ExpectTwoImages(ParseLabels(Array(Type("u1", "|"), Pair(), "\6\x9")));
  ExpectTwoImages(ParseLabels(Array(Type("i4", ">"), Pair(), Bytes("\0\0\0\6\0\0\0\x9"))));
  ExpectTwoImages(ParseLabels(Array(Type("u2", "<"), Pair(), Bytes("\6\0\x9\0"))));
}

TEST(PythonBatchTest, LabelsMayBeIntegersOfNumpy) {
  const std::string type = Type("i8", "<");
  ExpectTwoImages(
      ParseLabels("](" + Scalar(type, Bytes("\6\0\0\0\0\0\0\0")) + Scalar(type, Bytes("\x9\0\0\0\0\0\0\0")) + "e"));
}

TEST(PythonBatchTest, OtherArraysOfLabelsAreErrors) {
  const auto error = [](const std::string& opcodes) {
    const absl::Status status = ParseLabels(opcodes).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(error(Array(Type("i1", "|"), Pair(), "\6\xff")),
              HasSubstr("key 'labels': image 1: expected a label of 0 to 9, found the number -1"));
  EXPECT_THAT(error(Array(Type("f8", "<"), Pair(), std::string(16, '\0'))),
              HasSubstr("expected integers of 1, 2, 4 or 8 bytes, found 'f8'"));
  EXPECT_THAT(error(Array(Type("u1", "|"), PickleWriter().Int(3).Op("\x85").Done(), "\1\2\3")),
              HasSubstr("expected 1 to 2 numbers, found 3"));
  EXPECT_THAT(error(Array(Type("u1", "|"), PickleWriter().Int(1).Op("\x85").Done(), "\1")),
              HasSubstr("expected 2 labels, as many as images; found 1"));
  EXPECT_THAT(error(Array(Type("u1", "|"), PickleWriter().Int(1).Int(2).Op("\x86").Done(), "\1\2")),
              HasSubstr("expected the shape (images,)"));
  EXPECT_THAT(error(Array(Type("i8", "<"), Pair(), "\6\x9")), HasSubstr("expected 2 x 8 bytes, found 2"));
  EXPECT_THAT(error("](" + Scalar(Type("i8", "<"), "\6") + "e"), HasSubstr("expected 2 labels"));
}

// --- Requirements on a batch ---

std::string ErrorOf(const SmallBatch& batch) {
  const absl::Status status = Parse(PickleBatch(batch)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  return std::string(status.message());
}

TEST(PythonBatchTest, ALabelOfTenNamesImageAndByte) {
  // The labels begin at byte 56: PROTO 0, EMPTY_DICT 2, PUT 3, MARK 5, 'batch_label' 6 and 19, its text 21 and 44,
  // 'labels' 46 and 54, EMPTY_LIST 56 and PUT 57, MARK 59, BININT1 60 and 62.
  EXPECT_EQ(ErrorOf(MakeSmallBatch({6, 10})),
            "key 'labels': image 1, byte 62: expected a label of 0 to 9, found the number 10");
}

TEST(PythonBatchTest, LabelsAreAsManyAsImages) {
  SmallBatch batch = MakeSmallBatch({6, 9});
  batch.labels.push_back(1);
  batch.rows = 2;
  EXPECT_EQ(ErrorOf(batch), "key 'labels': byte 56: expected 2 labels, as many as images; found 3");
}

TEST(PythonBatchTest, ShapeAndBytesAgree) {
  SmallBatch batch = MakeSmallBatch({6, 9});
  batch.pixels.pop_back();
  EXPECT_THAT(ErrorOf(batch), AllOf(HasSubstr("key 'data': byte "), HasSubstr("expected 2 x 3072 bytes, found 6143")));
  batch = MakeSmallBatch({6, 9});
  batch.columns = 1024;
  EXPECT_THAT(ErrorOf(batch), HasSubstr("expected the shape (1 to 10000, 3072), found (2, 1024)"));
  EXPECT_THAT(ErrorOf(MakeSmallBatch({})), HasSubstr("found (0, 3072)"));
}

TEST(PythonBatchTest, OtherTypesAndOrdersOfArraysAreRefused) {
  for (const char* dtype : {"u1", "|u1", "B", "uint8"}) {
    SmallBatch batch = MakeSmallBatch({6, 9});
    batch.dtype = dtype;
    ExpectTwoImages(Parse(PickleBatch(batch)));
  }
  for (const char* dtype : {"f4", "i1", "O8", "V3072", ""}) {
    SmallBatch batch = MakeSmallBatch({6, 9});
    batch.dtype = dtype;
    EXPECT_THAT(ErrorOf(batch), HasSubstr(absl::StrCat("expected numbers of type 'u1' (uint8), found '", dtype, "'")));
  }
  SmallBatch batch = MakeSmallBatch({6, 9});
  batch.fortran = "\x88";  // NEWTRUE
  EXPECT_THAT(ErrorOf(batch), HasSubstr("expected an array in C order (rows one after another), found True"));
}

TEST(PythonBatchTest, AMissingKeyIsNamedWithThoseFound) {
  SmallBatch batch = MakeSmallBatch({6, 9});
  batch.labels_key = "fine_labels";
  EXPECT_EQ(ErrorOf(batch), "expected the key 'labels'; found 'batch_label', 'fine_labels', 'data', 'filenames'");
  EXPECT_THAT(Parse(Bytes("\x80\x02}.")), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("'data'; found none")));
}

TEST(PythonBatchTest, OtherObjectsThanADictAreRefused) {
  EXPECT_THAT(Parse(Bytes("\x80\x02].")),
              StatusIs(absl::StatusCode::kDataLoss, "byte 2: expected a dict, found a list"));
  EXPECT_THAT(
      Parse(TwoImages() + "x"),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected the end after the opcode STOP, found 1 bytes more")));
  EXPECT_THAT(Parse(""), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("pickle broken at byte 0")));
  EXPECT_THAT(Parse("<html>"), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        "opcode 0x3C at byte 0 is not one that CIFAR-10's files use"));
  EXPECT_THAT(Parse("(dp1\n."), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("opcode DICT at byte 1")));
}

// --- Pickles that are or may be harmful ---

// Returns a batch with `opcodes` in place of its first key, at byte 6.
std::string WithOpcodes(const std::string& opcodes) {
  SmallBatch batch = MakeSmallBatch({6, 9});
  batch.extra = opcodes;
  return PickleBatch(batch);
}

TEST(PythonBatchTest, WhatRunsCodeElsewhereIsRefusedByOpcodeAndByte) {
  struct Case {
    std::string opcodes;
    const char* refused;
  };
  const std::string array = "cnumpy.core.multiarray\n_reconstruct\n";
  const Case cases[] = {
      {"cos\nsystem\n(U\x04"
       "exittR",
       "opcode GLOBAL os system at byte 6"},
      {"cposix\nsystem\n(U\x04"
       "exittR",
       "opcode GLOBAL posix system at byte 6"},
      {"cbuiltins\neval\n(U\x01"
       "0tR",
       "opcode GLOBAL builtins eval at byte 6"},
      {"c__builtin__\nexec\n", "opcode GLOBAL __builtin__ exec at byte 6"},
      {"csubprocess\nPopen\n", "opcode GLOBAL subprocess Popen at byte 6"},
      {"cnumpy\nload\n", "opcode GLOBAL numpy load at byte 6"},
      {"cnumpy.core.multiarray\nfromfile\n", "opcode GLOBAL numpy.core.multiarray fromfile at byte 6"},
      {"c_codecs\ndecode\n", "opcode GLOBAL _codecs decode at byte 6"},
      {"\x8C\x02os\x8C\x06system\x93", "opcode STACK_GLOBAL os system at byte 18"},
      {"\x8C\x08"
       "builtins\x8C\x04"
       "eval\x93",
       "opcode STACK_GLOBAL builtins eval at byte 22"},
      {"\x8C\x0Asubprocess\x8C\x05Popen\x93", "opcode STACK_GLOBAL subprocess Popen at byte 25"},
      {"(ios\nsystem\n", "opcode INST os system at byte 7"},
      {"(cnumpy\nndarray\no", "opcode OBJ at byte 22"},
      {"cnumpy\nndarray\n)\x81", "opcode NEWOBJ at byte 22"},
      {"cnumpy\nndarray\n)}\x92", "opcode NEWOBJ_EX at byte 23"},
      {"P1\n", "opcode PERSID at byte 6"},
      {"K\x01Q", "opcode BINPERSID at byte 8"},
      {"\x82\x01", "opcode EXT1 at byte 6"},
      {Bytes("\x83\x01\0"), "opcode EXT2 at byte 6"},
      {Bytes("\x84\x01\0\0\0"), "opcode EXT4 at byte 6"},
      {"\x8B\xFF\xFF\xFF\x7F", "opcode LONG4 at byte 6"},
      {"\x97", "opcode NEXT_BUFFER at byte 6"},
      {"U\x01x\x98", "opcode READONLY_BUFFER at byte 9"},
      {"cnumpy\nndarray\n)R", "opcode REDUCE of numpy ndarray at byte 22"},
      {"cnumpy\nndarray\n}b", "opcode BUILD on numpy ndarray at byte 22"},
      {"}}b", "opcode BUILD on a dict at byte 8"},
      {"]}b", "opcode BUILD on a list at byte 8"},
      {"c_codecs\nencode\n)R}b", "opcode BUILD on a call of _codecs encode at byte 25"},
      {array + "0", "opcode POP at byte 42"},
      {"I01\n", "opcode INT at byte 6"},
      {"F1.0\n", "opcode FLOAT at byte 6"},
      {Bytes("\x8F"), "opcode EMPTY_SET at byte 6"},
      {Bytes("\x80\x06"), "protocol 6 (expected 2 to 5) at byte 6"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Parse(WithOpcodes(c.opcodes)),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         absl::StrCat(c.refused, " is not one that CIFAR-10's files use")));
  }
}

TEST(PythonBatchTest, CallsOfWhatIsNotCallableAreBroken) {
  for (const char* opcodes : {"N)R", "U\x02os)R", "cnumpy\ndtype\nNR"}) {
    EXPECT_THAT(Parse(WithOpcodes(opcodes)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cannot be called")));
  }
}

TEST(PythonBatchTest, PartsOfAnArrayOfTheWrongKind) {
  // A second 'data', which overrides the first one like in Python. Each case lacks a part of a real array.
  const std::string array = Bytes(
      "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01"
      "b\x87R");
  const std::string buffer = "cnumpy.core.numeric\n_frombuffer\n";
  struct Case {
    std::string value;
    const char* message;
  };
  const Case cases[] = {
      {"N", "expected a numpy array, found None"},
      {"cnumpy\ndtype\n)R", "expected a numpy array, found a call of numpy dtype"},
      {"cnumpy\ndtype\n", "expected a numpy array, found numpy dtype"},
      {"cnumpy.core.multiarray\n_reconstruct\n)R", "expected _reconstruct(numpy.ndarray, (0,), b'b')"},
      {"cnumpy.core.multiarray\n_reconstruct\nNNN\x87R", "expected _reconstruct(numpy.ndarray, (0,), b'b')"},
      {array, "an array's state"},
      {array + Bytes("Nb"), "an array's state"},
      {array + Bytes("(K\x02NN\x89Ntb"), "expected version 1 of an array's state, found the number 2"},
      {array + Bytes("(K\x01NN\x89Ntb"), "expected the shape (images, 3072), found None"},
      {array + Bytes("(K\x01K\x01M\0\x0C\x86N\x89Ntb"), "expected the numpy type of the array, found None"},
      {buffer + ")R", "expected _frombuffer(bytes, type, shape, order)"},
      {buffer + "(NNNU\x01"
                "FtR",
       "expected an array in C order"},
      {buffer + Bytes("(NNK\x01M\0\x0C\x86U\x01"
                      "CtR"),
       "expected the numpy type of the array, found None"},
      {buffer + Bytes("(Ncnumpy\ndtype\nU\x02u1\x85RK\x01M\0\x0C\x86U\x01"
                      "CtR"),
       "expected bytes, found None"},
      {buffer + Bytes("(Ncnumpy\ndtype\nU\x02u1\x85RNbK\x01M\0\x0C\x86U\x01"
                      "CtR"),
       "the state of a type without fields"},
      {buffer + Bytes("(c_codecs\nencode\nX\x03\0\0\0a\xC4\x80X\x06\0\0\0latin1\x86Rcnumpy\ndtype\nU\x02u1\x85R"
                      "K\x01M\0\x0C\x86U\x01"
                      "CtR"),
       "expected a text of characters up to U+00FF, found byte 0xc4 at 1 of it"},
      {buffer + Bytes("(c_codecs\nencode\nX\x01\0\0\0aX\x04\0\0\0utf8\x86Rcnumpy\ndtype\nU\x02u1\x85R"
                      "K\x01M\0\x0C\x86U\x01"
                      "CtR"),
       "expected bytes, found a call of _codecs encode"},
  };
  for (const Case& c : cases) {
    std::string pickle = TwoImages();
    pickle.insert(pickle.size() - 2,
                  "U\x04"
                  "data" +
                      c.value);  // inserted before SETITEMS and STOP
    EXPECT_THAT(Parse(pickle),
                StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr("key 'data': byte "), HasSubstr(c.message))));
  }
}

TEST(PythonBatchTest, KeysOfOtherKindsDoNoHarm) {
  // Keys: a number, the dict itself, a call, a text of 2,000 bytes.
  for (const std::string& opcodes : {Bytes("K\x01N"), Bytes("h\x01N"), Bytes("cnumpy\ndtype\n)RN"),
                                     PickleWriter().Str(std::string(2000, 'k')).Op("N").Done()}) {
    ExpectTwoImages(Parse(WithOpcodes(opcodes)));
  }
}

TEST(PythonBatchTest, BombsAreBounded) {
  // Ten levels, each a tuple that holds the level below three times; a memo slot of four billion; too many objects;
  // deep nesting.
  std::string bomb = "N";
  for (int level = 0; level < 10; ++level) {
    bomb += "q\x09h\x09h\x09\x87";
  }
  ExpectTwoImages(
      Parse(WithOpcodes("U\x04"
                        "bomb" +
                        bomb)));
  ExpectTwoImages(
      Parse(WithOpcodes("U\x04"
                        "slotNr\xFF\xFF\xFF\xFF")));
  EXPECT_THAT(Parse(WithOpcodes(std::string(900'000, 'N'))),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("more than 800000 objects")));
  ExpectTwoImages(
      Parse(WithOpcodes("U\x04"
                        "deepN" +
                        std::string(100'000, '\x85'))));
  // 300,000 keys that are the same long encoded text: a comparison must be cheap.
  const std::string text = PickleWriter().Op("X").Little(1'000'000, 4).Op(std::string(1'000'000, 'k')).Done();
  std::string keys = "c_codecs\nencode\n" + text + Bytes("X\x06\0\0\0latin1\x86Rq\x77N");
  for (int i = 0; i < 300'000; ++i) {
    keys += "h\x77h\x77";
  }
  ExpectTwoImages(Parse(WithOpcodes(keys)));
}

// --- Damage ---

TEST(PythonBatchTest, EveryPrefixIsCutOff) {
  std::vector<std::string> pickles = {TwoImages()};
  for (const std::string& path : SavedAgain()) {
    pickles.push_back(ReadFile(path));
  }
  for (const std::string& pickle : pickles) {
    for (size_t size = 0; size < pickle.size(); ++size) {
      const absl::Status status = Parse(pickle.substr(0, size)).status();
      ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss) << size << " " << status;
      ASSERT_THAT(std::string(status.message()), HasSubstr("pickle broken at byte"));
    }
  }
}

// Expects an error in one line, or consistent images.
void ExpectReadOrRefused(const std::string& pickle) {
  const auto set = Parse(pickle);
  if (set.ok()) {
    ASSERT_EQ(set->pixels.size(), set->labels.size() * kImageBytes);
    return;
  }
  ASSERT_THAT(set.status().code(), AnyOf(absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition));
  for (const char c : set.status().message()) {
    ASSERT_TRUE(c >= ' ' && c <= '~') << set.status();
  }
}

TEST(PythonBatchTest, EveryFlippedBitIsReadOrRefused) {
  std::string pickle = TwoImages();
  for (size_t bit = 0; bit < pickle.size() * 8; ++bit) {
    const char flip = static_cast<char>(1 << bit % 8);
    pickle[bit / 8] ^= flip;
    ExpectReadOrRefused(pickle);
    pickle[bit / 8] ^= flip;
  }
}

TEST(PythonBatchTest, AFlippedBitInEveryByteOfWhatPython3SavesAgain) {
  for (const std::string& path : SavedAgain()) {
    std::string pickle = ReadFile(path);
    for (size_t byte = 0; byte < pickle.size(); ++byte) {
      const char flip = static_cast<char>(1 << byte % 8);
      pickle[byte] ^= flip;
      ExpectReadOrRefused(pickle);
      pickle[byte] ^= flip;
    }
  }
}

TEST(PythonBatchTest, AFlippedPixelIsValid) {
  std::string pickle = TwoImages();
  const size_t pixels = pickle.find(MakeSmallBatch({6, 9}).pixels);
  ASSERT_NE(pixels, std::string::npos);
  pickle[pixels + 5] ^= 1;
  const auto set = Parse(pickle);
  ASSERT_THAT(set, IsOk());
  EXPECT_EQ(set->pixels[5], SmallPicklePixel(0, 5) ^ 1);
}

// --- batches.meta ---

TEST(PythonClassNamesTest, ReadsThePublishedLayoutAndWhatPython3SavesAgain) {
  EXPECT_THAT(*ParsePythonClassNames(PickleMeta(CifarClassNames())), ElementsAreArray(CifarClassNames()));
  for (const char* name : {"protocol2.bytes", "protocol2.text", "protocol4.bytes", "protocol4.text"}) {
    const auto names = ParsePythonClassNames(ReadFile(absl::StrCat("data/testdata/cifar/meta.", name)));
    ASSERT_THAT(names, IsOk()) << name;
    EXPECT_THAT(*names, ElementsAreArray(CifarClassNames()));
  }
}

TEST(PythonClassNamesTest, WantsTenPrintableNames) {
  std::vector<std::string> names = CifarClassNames();
  names.pop_back();
  EXPECT_THAT(
      ParsePythonClassNames(PickleMeta(names)),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("key 'label_names': byte 47: expected 10 class names, found 9")));
  for (const std::string& name : {std::string(), std::string("c\nat"), std::string("\xFF"), std::string(101, 'x')}) {
    names = CifarClassNames();
    names[3] = name;
    EXPECT_THAT(ParsePythonClassNames(PickleMeta(names)),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected a class name of 1 to 100 printable ASCII")));
  }
  EXPECT_THAT(ParsePythonClassNames(PickleMeta(CifarClassNames(), 1024)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("key 'num_vis'")));
  EXPECT_THAT(ParsePythonClassNames(TwoImages()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected the key 'label_names'; found 'batch_label'")));
}

TEST(PythonClassNamesTest, DamageIsReadOrRefused) {
  const std::string meta = PickleMeta(CifarClassNames());
  for (size_t size = 0; size < meta.size(); ++size) {
    EXPECT_THAT(ParsePythonClassNames(meta.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("byte")));
  }
  for (size_t bit = 0; bit < meta.size() * 8; ++bit) {
    std::string flipped = meta;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    const auto names = ParsePythonClassNames(flipped);
    EXPECT_THAT(names.status().code(),
                AnyOf(absl::StatusCode::kOk, absl::StatusCode::kDataLoss, absl::StatusCode::kFailedPrecondition));
    EXPECT_TRUE(!names.ok() || names->size() == 10);
  }
}

}  // namespace
}  // namespace lockstep
