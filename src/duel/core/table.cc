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

Table& Table::column(std::string name, Align align) {
  DUEL_CHECK(rows_.empty());
  columns_.push_back({std::move(name), align});
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

std::string Table::to_string() const {
  const auto all = lines(aligned_text);
  const auto widths = widths_of(all);
  std::string out;
  for (const auto& line : all) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string fill(widths[i] - display_width(line[i]), ' ');
      if (i > 0) text += kSpace;
      text += columns_[i].align == Align::left ? line[i] + fill : fill + line[i];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::size_t Table::width() const {
  const auto widths = widths_of(lines(aligned_text));
  const std::size_t spaces = widths.empty() ? 0 : kSpace.size() * (widths.size() - 1);
  return std::accumulate(widths.begin(), widths.end(), spaces);
}

}  // namespace duel
