#include "lib/plot/svg_writer.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/page/escape.h"

namespace lockstep {
namespace {

// Returns the coordinate with at most one decimal. Positions that no drawing has become 0.
std::string Place(double value) {
  constexpr double kMaxPlace = 1e6;
  if (!(std::abs(value) < kMaxPlace)) {
    return "0";
  }
  const auto tenths = static_cast<long>(std::lround(value * 10));
  const long whole = std::labs(tenths) / 10, rest = std::labs(tenths) % 10;
  return absl::StrCat(tenths < 0 ? "-" : "", whole, rest == 0 ? "" : absl::StrCat(".", rest));
}

std::string Attribute(absl::string_view name, double value) {
  return absl::StrCat(" ", name, "=\"", Place(value), "\"");
}

std::string ClassAttribute(absl::string_view classes) {
  return classes.empty() ? "" : absl::StrCat(" class=\"", classes, "\"");
}

std::string OneLine(absl::string_view text) {
  return EscapeHtml(absl::StrReplaceAll(text, {{"\r\n", " "}, {"\n", " "}, {"\r", " "}, {"\t", " "}}));
}

}  // namespace

void SvgWriter::Line(double x1, double y1, double x2, double y2, absl::string_view classes) {
  absl::StrAppend(&body_, "<line", Attribute("x1", x1), Attribute("y1", y1), Attribute("x2", x2), Attribute("y2", y2),
                  ClassAttribute(classes), "/>\n");
}

void SvgWriter::Rect(double left, double top, double width, double height, absl::string_view classes) {
  absl::StrAppend(&body_, "<rect", Attribute("x", left), Attribute("y", top), Attribute("width", width),
                  Attribute("height", height), ClassAttribute(classes), "/>\n");
}

void SvgWriter::Circle(double x, double y, double radius, absl::string_view classes) {
  absl::StrAppend(&body_, "<circle", Attribute("cx", x), Attribute("cy", y), Attribute("r", radius),
                  ClassAttribute(classes), "/>\n");
}

void SvgWriter::Path(const Points& points, absl::string_view classes, Ends ends) {
  if (points.empty()) {
    return;
  }
  absl::StrAppend(&body_, "<path d=\"");
  for (size_t i = 0; i < points.size(); ++i) {
    absl::StrAppend(&body_, i == 0 ? "M" : "L", Place(points[i].first), " ", Place(points[i].second));
  }
  absl::StrAppend(&body_, ends == Ends::kClosed ? "Z" : "", "\"", ClassAttribute(classes), "/>\n");
}

void SvgWriter::Text(double x, double y, absl::string_view text, absl::string_view classes, Anchor anchor) {
  absl::StrAppend(&body_, "<text", Attribute("x", x), Attribute("y", y), ClassAttribute(classes),
                  anchor == Anchor::kMiddle ? " text-anchor=\"middle\""
                  : anchor == Anchor::kEnd  ? " text-anchor=\"end\""
                                            : "",
                  ">", OneLine(text), "</text>\n");
}

void SvgWriter::TurnedText(double x, double y, absl::string_view text, absl::string_view classes) {
  absl::StrAppend(&body_, "<text", Attribute("x", x), Attribute("y", y), ClassAttribute(classes),
                  " text-anchor=\"end\" transform=\"rotate(-90 ", Place(x), " ", Place(y), ")\">", OneLine(text),
                  "</text>\n");
}

void SvgWriter::Open(absl::string_view title) {
  absl::StrAppend(&body_, "<g><title>", EscapeHtml(title), "</title>\n");
}

void SvgWriter::Close() { absl::StrAppend(&body_, "</g>\n"); }

std::string SvgWriter::Element(double width, double height, absl::string_view title,
                               absl::string_view description) const {
  // A label is used, because older HTML rules allow no id on a <title>.
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", Place(width), " ", Place(height),
                      "\" class=\"plot\" role=\"img\" aria-label=\"", OneLine(title), ". ", OneLine(description),
                      "\">\n<title>", OneLine(title), "</title>\n<desc>", OneLine(description), "</desc>\n", body_,
                      "</svg>\n");
}

}  // namespace lockstep
