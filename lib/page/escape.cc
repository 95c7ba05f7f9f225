#include "lib/page/escape.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/readable_line.h"

namespace lockstep {
namespace {

// Returns true inside a word, as in E_1 or batch_size, where an underscore is not markup.
bool WithinWord(absl::string_view text, size_t i) {
  return i > 0 && i + 1 < text.size() && absl::ascii_isalnum(static_cast<unsigned char>(text[i - 1])) &&
         absl::ascii_isalnum(static_cast<unsigned char>(text[i + 1]));
}

// Returns true for a bracket that is markup: "](" and "][" make links, "]:" defines a link. Other brackets are literal.
bool EndsLinkText(absl::string_view text, size_t i) {
  return text[i] == ']' && i + 1 < text.size() && absl::string_view("([:").find(text[i + 1]) != absl::string_view::npos;
}

}  // namespace

std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(ReadableText(text),
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

std::string EscapeMarkdown(absl::string_view any_text) {
  const std::string text = ReadableText(any_text);
  std::string escaped;
  for (size_t i = 0; i < text.size(); ++i) {
    const char& c = text[i];
    if (c == '&' || c == '<' || c == '>') {
      escaped += EscapeHtml(absl::string_view(&c, 1));
    } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      escaped += ' ';
    } else if (absl::string_view("\\|*`~").find(c) != absl::string_view::npos || (c == '_' && !WithinWord(text, i)) ||
               EndsLinkText(text, i)) {
      absl::StrAppend(&escaped, "\\", absl::string_view(&c, 1));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string MarkdownCode(absl::string_view text) {
  std::string code;
  for (const char c : ReadableText(text)) {
    code += c == '`' ? '\'' : absl::ascii_iscntrl(static_cast<unsigned char>(c)) ? ' ' : c;
  }
  return absl::StrCat("`", code, "`");
}

std::string MarkdownTarget(absl::string_view path) {
  std::string target;
  for (const char c : path) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || absl::string_view("-._~/+,=@").find(c) != absl::string_view::npos) {
      target += c;
    } else {
      absl::StrAppend(&target, "%", absl::AsciiStrToUpper(absl::StrCat(absl::Hex(byte, absl::kZeroPad2))));
    }
  }
  return target;
}

}  // namespace lockstep
