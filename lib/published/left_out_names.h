// Names of columns and rows of printed tables that are not understood, and whose numbers are not read.
#ifndef LOCKSTEP_LIB_PUBLISHED_LEFT_OUT_NAMES_H_
#define LOCKSTEP_LIB_PUBLISHED_LEFT_OUT_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "lib/proto/published.pb.h"

namespace lockstep {

// Largest number of names that one file may leave out. It bounds the time that the search for misspellings takes.
inline constexpr size_t kMaxLeftOutNames = 100;

// Names that a file leaves out. Not thread-safe.
class LeftOutNames {
 public:
  // Adds a column or row with `numbers` numbers. Returns false, and adds nothing, if the name must stay an error:
  // - a word of the name is probably a misspelling of a known word (lib/base/nearest_word.h): the person who typed the
  //   table expects that this column is read;
  // - the name contradicts itself ("loss accuracy"), or a number in it is not understood;
  // - the file already leaves out kMaxLeftOutNames names.
  bool Add(absl::string_view name, uint32_t numbers);

  // Returns "; did you mean 'epoch'?" if a word of the name is probably a misspelling; otherwise an empty text.
  std::string Suggestion(absl::string_view name);

  // Returns the names since the last call, in order.
  std::vector<proto::LeftOutName> Take();

 private:
  std::vector<proto::LeftOutName> names_;
  size_t searches_ = 0;
};

// Returns "'Comm Overhead' (9 numbers), 'Init' (1 number)": the names of all tables, at most 20 of them. Returns an
// empty text if no name is left out.
std::string LeftOutText(const proto::PublishedTables& tables);

}  // namespace lockstep

#endif  // LOCKSTEP_LIB_PUBLISHED_LEFT_OUT_NAMES_H_
