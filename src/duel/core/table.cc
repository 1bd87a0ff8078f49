#include "duel/core/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "duel/core/check.h"
#include "duel/core/csv.h"
#include "duel/core/display_width.h"
#include "duel/core/numbers.h"

namespace duel {
namespace {

constexpr std::string_view kSpace = "  ";  // between columns of aligned text

std::string csv_text(const Cell& cell) { return cell.for_programs(); }
std::string aligned_text(const Cell& cell) { return cell.for_people(); }
std::string markdown_text(const Cell& cell) {
  std::string escaped;
  for (const char c : cell.for_people("–")) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

constexpr std::size_t kLeastFolded = 10;  // of a column that folds

// `text` at spaces, in lines of at most `width`; a longer word is cut where it must be.
std::vector<std::string> folded_words(const std::string& text, std::size_t width) {
  std::vector<std::string> parts;
  const std::string filled = wrapped(text, width);
  for (std::size_t at = 0; at <= filled.size();) {
    const std::size_t end = std::min(filled.find('\n', at), filled.size());
    std::string line = filled.substr(at, end - at);
    while (display_width(line) > width) {
      std::size_t bytes = 0;
      while (bytes < line.size()) {
        std::size_t next = bytes + 1;
        while (next < line.size() && (static_cast<unsigned char>(line[next]) & 0xc0) == 0x80)
          ++next;
        if (bytes > 0 && display_width(line.substr(0, next)) > width) break;
        bytes = next;
      }
      parts.push_back(line.substr(0, bytes));
      line.erase(0, bytes);
    }
    parts.push_back(std::move(line));
    at = end + 1;
  }
  return parts;
}

// Of a line with columns of these widths.
std::size_t line_width(const std::vector<std::size_t>& widths) {
  const std::size_t spaces = widths.empty() ? 0 : kSpace.size() * (widths.size() - 1);
  return std::accumulate(widths.begin(), widths.end(), spaces);
}

std::vector<std::size_t> widths_of(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(line[i]));
    }
  }
  return widths;
}

}  // namespace

bool Cell::is_nothing() const {
  return value_.is_null() || (is_number() && std::isnan(value_.get<double>()));
}

std::string Cell::for_programs() const {
  if (is_nothing()) return "";
  if (value_.is_string()) return value_.get<std::string>();
  return is_number() ? format_number(value_.get<double>()) : value_.dump();
}

std::string Cell::for_people(std::string_view nothing) const {
  if (is_nothing()) return std::string(nothing);
  if (!is_number() || decimals_ < 0) return for_programs();
  return fmt::format("{:.{}f}", value_.get<double>(), decimals_);
}

Table::Table(std::string_view names, Align align) {
  for (std::string& name : split_at_commas(names)) column(std::move(name), align);
}

Table& Table::column(std::string name, Align align, Fold fold) {
  DUEL_CHECK(rows_.empty());
  columns_.push_back({std::move(name), align, fold});
  return *this;
}

Table& Table::row(std::vector<Cell> cells) {
  DUEL_CHECK(cells.size() <= columns_.size());
  cells.resize(columns_.size(), "");
  rows_.push_back(std::move(cells));
  return *this;
}

Table& Table::row_of(std::initializer_list<const Json*> objects) {
  std::vector<Cell> cells;
  for (const Column& column : columns_) {
    const auto object =
        std::ranges::find_if(objects, [&](const Json* one) { return one->contains(column.name); });
    DUEL_CHECK(object != objects.end());
    cells.emplace_back((*object)->at(column.name));
  }
  return row(std::move(cells));
}

std::vector<std::vector<std::string>> Table::lines(std::string (*text_of)(const Cell&)) const {
  std::vector<std::vector<std::string>> all(1);
  for (const Column& column : columns_) all[0].push_back(text_of(column.name));
  for (const auto& row : rows_) {
    std::ranges::transform(row, std::back_inserter(all.emplace_back()), text_of);
  }
  return all;
}

std::string Table::to_csv() const {
  std::string out;
  for (const auto& line : lines(csv_text)) out += csv_line(line);
  return out;
}

std::string Table::to_markdown() const {
  std::string out;
  for (const auto& line : lines(markdown_text)) {
    const bool header = out.empty();
    out += "|";
    for (const std::string& text : line) out += header && text.empty() ? " |" : " " + text + " |";
    out += "\n";
    if (!header) continue;
    out += "|";
    for (const Column& column : columns_) out += column.align == Align::left ? "---|" : "--:|";
    out += "\n";
  }
  return out;
}

std::string Table::to_string() const { return to_string(std::string::npos); }

std::vector<std::size_t> Table::folded_widths(std::vector<std::size_t> widths,
                                              std::size_t width) const {
  const auto least_of = [&](std::size_t i) {
    return std::max(kLeastFolded, display_width(columns_[i].name));
  };
  // The widest column that folds gives way, one column of the terminal at a time.
  while (line_width(widths) > width) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (columns_[i].fold == Fold::never || widths[i] <= least_of(i)) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
  }
  return widths;
}

void Table::add_row(std::string& out, const std::vector<std::string>& cells,
                    const std::vector<std::size_t>& widths) const {
  // Each cell as lines; the first line of a cell that stands above the row is empty.
  std::vector<std::vector<std::string>> parts(cells.size());
  std::size_t above = cells.size();
  std::size_t height = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (display_width(cells[i]) <= widths[i]) {
      parts[i] = {cells[i]};
    } else if (columns_[i].fold == Fold::above) {
      above = i;
      parts[i] = {""};
    } else {
      parts[i] = folded_words(cells[i], widths[i]);
    }
    height = std::max(height, parts[i].size());
  }
  const auto add_line = [&](std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  if (above < cells.size()) {
    std::string text;
    for (std::size_t i = 0; i < above; ++i) text += std::string(widths[i] + kSpace.size(), ' ');
    add_line(text + cells[above]);
  }
  for (std::size_t k = 0; k < height; ++k) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string part = k < parts[i].size() ? parts[i][k] : "";
      const std::string fill(widths[i] - std::min(widths[i], display_width(part)), ' ');
      if (i > 0) text += kSpace;
      text += columns_[i].align == Align::left ? part + fill : fill + part;
    }
    add_line(std::move(text));
  }
}

std::string Table::to_string(std::size_t width) const {
  const auto all = lines(aligned_text);
  const auto widths = folded_widths(widths_of(all), width);
  std::string out;
  for (const auto& line : all) add_row(out, line, widths);
  return out;
}

std::size_t Table::least_width() const {
  return line_width(folded_widths(widths_of(lines(aligned_text)), 0));
}

std::size_t Table::width() const { return line_width(widths_of(lines(aligned_text))); }

}  // namespace duel
