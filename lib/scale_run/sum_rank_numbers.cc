#include "lib/scale_run/sum_rank_numbers.h"

#include <cstring>

#include "absl/strings/str_cat.h"

namespace lockstep {

std::string EncodeRankNumbers(const std::vector<RankNumber>& numbers) {
  std::string bytes;
  for (const RankNumber& number : numbers) {
    bytes.append(reinterpret_cast<const char*>(&number.value), sizeof(number.value));
  }
  return bytes;
}

absl::StatusOr<std::vector<double>> SumRankNumbers(const std::vector<RankNumber>& numbers,
                                                   const std::vector<std::string>& of_rank) {
  const size_t bytes = numbers.size() * sizeof(double);
  std::vector<double> sum(numbers.size());
  for (size_t rank = 0; rank < of_rank.size(); ++rank) {
    if (of_rank[rank].size() != bytes) {
      return absl::InternalError(absl::StrCat("expected ", bytes, " bytes of numbers from rank ", rank, ", found ",
                                              of_rank[rank].size(), "; this is a fault of that rank"));
    }
    for (size_t i = 0; i < numbers.size(); ++i) {
      double value = 0;
      std::memcpy(&value, &of_rank[rank][i * sizeof(double)], sizeof(double));
      if (numbers[i].checked && !(value >= numbers[i].min && value <= numbers[i].max)) {  // NaN is out of range, too
        return absl::InternalError(absl::StrCat("expected a ", numbers[i].name, " of ", numbers[i].min, " to ",
                                                numbers[i].max, " from rank ", rank, ", found ", value,
                                                "; this is a fault of that rank"));
      }
      sum[i] += value;
    }
  }
  return sum;
}

}  // namespace lockstep
