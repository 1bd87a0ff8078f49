// Families of metrics in the text format of Prometheus: each is announced once, with what it means,
// and its samples follow.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

namespace duel {

// `type` is counter, gauge, histogram or summary; `help` is a sentence on one line.
inline void announce_family(std::string& out, std::string_view name, std::string_view type,
                            std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

// A family of one sample without labels.
template <class Number>
void write_metric(std::string& out, std::string_view name, std::string_view type,
                  std::string_view help, Number value) {
  announce_family(out, name, type, help);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
}

}  // namespace duel
