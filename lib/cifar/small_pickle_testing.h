// Small pickles of CIFAR-10's Python version, written opcode by opcode like Python 2's cPickle wrote the published
// files. Test-only.
//
// PROTO 2, EMPTY_DICT, MARK, the items 'batch_label', 'labels', 'data', 'filenames' in this order, SETITEMS, STOP.
// Every text is a SHORT_BINSTRING, the pixels are a BINSTRING, small numbers are BININT1 and BININT2, and a PUT follows
// each memoized object. pickle.load(file, encoding="bytes") of Python 3 with numpy reads these pickles, and the class
// names have the published bytes (python_format_test).
#ifndef LOCKSTEP_LIB_CIFAR_SMALL_PICKLE_TESTING_H_
#define LOCKSTEP_LIB_CIFAR_SMALL_PICKLE_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::testing {

// Writer of opcodes. Each function writes one opcode or one Python object.
class PickleWriter {
 public:
  PickleWriter& Op(const std::string& opcodes) {
    bytes_ += opcodes;
    return *this;
  }
  PickleWriter& Little(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes_.push_back(static_cast<char>(value >> (8 * i)));
    }
    return *this;
  }
  PickleWriter& Put() {  // cPickle counts slots from 1
    const uint32_t slot = ++slots_;
    return slot < 256 ? Op("q").Little(slot, 1) : Op("r").Little(slot, 4);
  }
  PickleWriter& Str(const std::string& text) {
    return text.size() < 256 ? Op("U").Little(text.size(), 1).Op(text) : Op("T").Little(text.size(), 4).Op(text);
  }
  PickleWriter& Int(uint32_t value) { return value < 256 ? Op("K").Little(value, 1) : Op("M").Little(value, 2); }
  PickleWriter& MinusOne() { return Op("J").Little(0xFFFFFFFF, 4); }
  PickleWriter& Global(const std::string& module, const std::string& name) {
    return Op("c" + module + "\n" + name + "\n").Put();
  }

  std::string Done() { return bytes_; }

 private:
  std::string bytes_;
  uint32_t slots_ = 0;
};

// Contents of a batch, including the parts that tests break.
struct SmallBatch {
  std::vector<uint8_t> labels;
  std::string pixels;  // 3,072 bytes per label
  uint32_t rows = 0;   // 0: number of labels
  uint32_t columns = 3072;
  std::string dtype = "u1";
  std::string fortran = "\x89";  // NEWFALSE
  std::string extra;             // opcodes inserted into the dict after its MARK: pairs of key and value
  std::string labels_key = "labels";
};

// Returns byte j of image i of the small batches, here and in data/testdata/cifar/make_pickles.py.
inline uint8_t SmallPicklePixel(uint32_t i, uint32_t j) { return static_cast<uint8_t>(89 * i + 7 * j + j / 256); }

inline SmallBatch MakeSmallBatch(const std::vector<uint8_t>& labels) {
  SmallBatch batch;
  batch.labels = labels;
  for (uint32_t i = 0; i < labels.size(); ++i) {
    for (uint32_t j = 0; j < 3072; ++j) {
      batch.pixels.push_back(static_cast<char>(SmallPicklePixel(i, j)));
    }
  }
  return batch;
}

// Returns `count` images of the byte `fill`, cheap for files of 10,000. Label i is i % 10.
inline SmallBatch MakeFlatBatch(uint32_t count, char fill) {
  SmallBatch batch;
  for (uint32_t i = 0; i < count; ++i) {
    batch.labels.push_back(static_cast<uint8_t>(i % 10));
  }
  batch.pixels.assign(size_t{count} * 3072, fill);
  return batch;
}

// Writes a list like cPickle: APPENDS in groups of 1,000, APPEND for a single remaining item.
template <typename WriteItem>
void WriteList(size_t count, PickleWriter& out, const WriteItem& write_item) {
  out.Op("]").Put();
  for (size_t first = 0; first < count; first += 1000) {
    const size_t end = first + 1000 < count ? first + 1000 : count;
    out.Op(end - first > 1 ? "(" : "");
    for (size_t i = first; i < end; ++i) {
      write_item(i);
    }
    out.Op(end - first > 1 ? "e" : "a");
  }
}

inline void WriteArray(const SmallBatch& batch, PickleWriter& out) {
  const uint32_t rows = batch.rows != 0 ? batch.rows : static_cast<uint32_t>(batch.labels.size());
  out.Global("numpy.core.multiarray", "_reconstruct").Global("numpy", "ndarray");
  out.Int(0).Op("\x85").Str("b").Op("\x87").Op("R").Put();
  out.Op("(").Int(1).Int(rows).Int(batch.columns).Op("\x86");
  out.Global("numpy", "dtype").Str(batch.dtype).Int(0).Int(1).Op("\x87").Op("R").Put();
  out.Op("(").Int(3).Str("|").Op("NNN").MinusOne().MinusOne().Int(0).Op("tb");
  out.Op(batch.fortran).Str(batch.pixels).Op("tb");
}

inline std::string PickleBatch(const SmallBatch& batch) {
  PickleWriter out;
  out.Op("\x80\x02}").Put().Op("(").Op(batch.extra);
  out.Str("batch_label").Put().Str("training batch 1 of 5").Put();
  out.Str(batch.labels_key).Put();
  WriteList(batch.labels.size(), out, [&](size_t i) { out.Int(batch.labels[i]); });
  out.Str("data").Put();
  WriteArray(batch, out);
  out.Str("filenames").Put();
  WriteList(batch.labels.size(), out,
            [&](size_t i) { out.Str("camion_s_000" + std::to_string(148 + i) + ".png").Put(); });
  return out.Op("u.").Done();
}

// Returns a batches.meta file.
inline std::string PickleMeta(const std::vector<std::string>& names, uint32_t num_vis = 3072) {
  PickleWriter out;
  out.Op("\x80\x02}").Put().Op("(").Str("num_cases_per_batch").Put().Int(10000);
  out.Str("label_names").Put();
  WriteList(names.size(), out, [&](size_t i) { out.Str(names[i]).Put(); });
  out.Str("num_vis").Put().Int(num_vis);
  return out.Op("u.").Done();
}

inline std::vector<std::string> CifarClassNames() {
  return {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
}

// Returns a batch of CIFAR-100, with the keys in the order of the published files. batch.labels are the fine labels.
inline std::string PickleBatch100(const SmallBatch& batch, const std::vector<uint8_t>& coarse) {
  PickleWriter out;
  out.Op("\x80\x02}").Put().Op("(");
  out.Str("filenames").Put();
  WriteList(batch.labels.size(), out, [&](size_t i) { out.Str("bos_taurus_s_00" + std::to_string(i) + ".png").Put(); });
  out.Str("batch_label").Put().Str("training batch 1 of 1").Put();
  out.Str("fine_labels").Put();
  WriteList(batch.labels.size(), out, [&](size_t i) { out.Int(batch.labels[i]); });
  out.Str("coarse_labels").Put();
  WriteList(coarse.size(), out, [&](size_t i) { out.Int(coarse[i]); });
  out.Str("data").Put();
  WriteArray(batch, out);
  return out.Op("u.").Done();
}

// Returns a file `meta` of CIFAR-100 with these names of the fine labels.
inline std::string PickleMeta100(const std::vector<std::string>& names) {
  PickleWriter out;
  out.Op("\x80\x02}").Put().Op("(").Str("fine_label_names").Put();
  WriteList(names.size(), out, [&](size_t i) { out.Str(names[i]).Put(); });
  out.Str("coarse_label_names").Put();
  WriteList(20, out, [&](size_t i) { out.Str("group_" + std::to_string(i)).Put(); });
  return out.Op("u.").Done();
}

inline std::vector<std::string> HundredNames() {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back("class_" + std::to_string(i));
  }
  return names;
}

}  // namespace lockstep::testing

#endif  // LOCKSTEP_LIB_CIFAR_SMALL_PICKLE_TESTING_H_
