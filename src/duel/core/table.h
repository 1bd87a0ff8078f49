// A table of columns, which people read aligned or as Markdown and programs as CSV.
//
//   Table table;
//   table.column("policy", Align::left).column("mean").column("trials");
//   table.row({policy, Cell(mean, 2), trials});
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "duel/core/json.h"

namespace duel {

// Text, a number, a flag, or nothing, which null and an undefined number (NaN) are as well.
// Nothing is an empty field in CSV, `-` in aligned text and `–` in Markdown.
class Cell {
 public:
  Cell() = default;
  template <class T>
    requires(std::convertible_to<T, Json> && !std::same_as<std::remove_cvref_t<T>, Cell>)
  Cell(T&& value)  // NOLINT(google-explicit-constructor): a cell is what it holds
      : value_(std::forward<T>(value)) {}
  // People see so many decimals, programs all digits.
  Cell(double number, int decimals) : value_(number), decimals_(decimals) {}

  std::string for_programs() const;  // all digits; empty where it is nothing
  std::string for_people(std::string_view nothing = "-") const;

 private:
  bool is_number() const { return value_.same_kind(0.0); }  // whole ones are a kind of their own
  bool is_nothing() const;

  Json value_;
  int decimals_ = -1;  // all digits
};

enum class Align { left, right };

// What a column does where the table would be wider than its reader's terminal.
enum class Fold {
  never,
  words,  // what does not fit continues below
  above,  // what does not fit stands whole on a line of its own, above the rest of its row
};

class Table {
 public:
  Table() = default;
  // The names of the columns, separated by commas.
  explicit Table(std::string_view names, Align align = Align::right);

  // Adds a column; call before the first row.
  Table& column(std::string name, Align align = Align::right, Fold fold = Fold::never);
  // Fewer cells than columns leave the rest empty.
  Table& row(std::vector<Cell> cells);
  template <std::same_as<std::string> Text>
  Table& row(const std::vector<Text>& texts) {
    return row(std::vector<Cell>(texts.begin(), texts.end()));
  }
  // Each cell is the member that bears its column's name, of the first object that has one.
  // REQUIRES: one has.
  Table& row_of(std::initializer_list<const Json*> objects);

  std::size_t num_columns() const { return columns_.size(); }
  std::size_t num_rows() const { return rows_.size(); }

  // Aligned, with two spaces between columns, no rules, no spaces at line ends.
  std::string to_string() const;
  // The same in at most `width` columns of the terminal, if folding can do it.
  std::string to_string(std::size_t width) const;
  // The least that folding can do.
  std::size_t least_width() const;
  // The width of its widest line, as a terminal shows it.
  std::size_t width() const;
  // Bars in cells are escaped, line breaks become spaces.
  std::string to_markdown() const;
  std::string to_csv() const;

 private:
  struct Column {
    std::string name;
    Align align;
    Fold fold = Fold::never;
  };

  // The names, then the rows.
  std::vector<std::vector<std::string>> lines(std::string (*text_of)(const Cell&)) const;
  // Widths of the columns that make the table `width` wide, from those of their longest cells.
  std::vector<std::size_t> folded_widths(std::vector<std::size_t> widths, std::size_t width) const;
  void add_row(std::string& out, const std::vector<std::string>& cells,
               const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace duel
