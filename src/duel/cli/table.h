// A small table for people: aligned columns, two spaces between, no rules. Widths count what a
// terminal shows, so that `±` and `é` take one column and colours none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace duel::cli {

enum class Align { left, right };

// Columns a terminal uses for UTF-8 text: escape sequences none, combining marks none, East Asian
// wide characters two, other characters one. A broken byte counts one.
std::size_t display_width(std::string_view text);

// `text` cut to at most `width` columns, the last of which is then `…`.
std::string shortened(std::string_view text, std::size_t width);

// Words filled into lines of at most `width` columns, each but the first after `indent` spaces.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

class Table {
 public:
  // Adds a column; call before the first row.
  Table& column(std::string title, Align align = Align::right);
  // Fewer cells than columns leave the rest empty.
  Table& row(std::vector<std::string> cells);

  std::size_t num_columns() const { return columns_.size(); }
  std::size_t num_rows() const { return rows_.size(); }
  // Columns of the widest line.
  std::size_t width() const;
  // Header line and rows, each ended by a newline, no spaces at line ends.
  std::string to_string() const;

 private:
  struct Column {
    std::string title;
    Align align;
    std::size_t width;
  };

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace duel::cli
