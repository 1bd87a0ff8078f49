// One description of an option (name, type, default, range, a line of doc) feeds the parser, the
// canonical string, `duel policies NAME`, the documents and later the Python keywords. The default
// is written once, in the struct that the policy uses.
//
//   struct RucbOptions { double alpha = 0.51; };
//   OptionTable<RucbOptions> table;
//   table.number("alpha", &RucbOptions::alpha, {.above = 0}, "width of the bounds", Shown::always);
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duel/core/call_spec.h"
#include "duel/core/numbers.h"
#include "duel/core/result.h"
#include "duel/core/spelling.h"

namespace duel {

// Whether the canonical string names an option even at its default.
enum class Shown { when_set, always };

struct OptionFact {
  std::string name;
  std::string type;           // number | count | numbers | choice | flag | text
  std::string default_value;  // as a user would write it
  std::string allowed;        // "> 0", "2 | 1 | inf", "true | false"
  std::string doc;
};

// An interval of allowed numbers; `above`/`below` exclude their end, `least`/`most` include it.
struct NumberRange {
  double above = -std::numeric_limits<double>::infinity();
  double below = std::numeric_limits<double>::infinity();
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();

  bool contains(double x) const { return x > above && x < below && x >= least && x <= most; }
  std::string to_string() const;
};

template <class Options>
class OptionTable {
 public:
  OptionTable& number(std::string name, double Options::* field, NumberRange range, std::string doc,
                      Shown shown = Shown::when_set) {
    return add(
        {name, "number", "", range.to_string(), std::move(doc)}, shown, field,
        [=](const std::string& text) { return number_in(range, text); }, format_number);
  }

  // A number that may be left to the policy: `auto` (what that means is said in `doc`).
  OptionTable& automatic_number(std::string name, std::optional<double> Options::* field,
                                NumberRange range, std::string doc, Shown shown = Shown::when_set) {
    return add(
        {name, "number", "", "auto | " + range.to_string(), std::move(doc)}, shown, field,
        [=](const std::string& text) -> Result<std::optional<double>> {
          if (text == "auto") return std::optional<double>();
          DUEL_ASSIGN(const double value, number_in(range, text));
          return std::optional(value);
        },
        [](const std::optional<double>& value) { return value ? format_number(*value) : "auto"; });
  }

  OptionTable& count(std::string name, std::uint64_t Options::* field, std::uint64_t least,
                     std::uint64_t most, std::string doc, Shown shown = Shown::when_set) {
    return add(
        {name, "count", "", fmt::format("{} .. {}", least, most), std::move(doc)}, shown, field,
        [=](const std::string& text) -> Result<std::uint64_t> {
          const auto value = parse_count(text);
          // Without parse_count's own hint, so that the option's range is named.
          if (!value.ok()) return Error(value.error()).with_hint("");
          if (*value < least || *value > most) return out_of_range(text);
          return *value;
        },
        [](std::uint64_t value) { return fmt::format("{}", value); });
  }

  // Numbers separated by slashes, `0.1/0.5/0.9` (a comma would end the option), or `auto`, an empty
  // list (what that means is said in `doc`).
  OptionTable& numbers(std::string name, std::vector<double> Options::* field, NumberRange range,
                       std::string doc, Shown shown = Shown::when_set) {
    return add(
        {name, "numbers", "", "auto | a/b/.. each " + range.to_string(), std::move(doc)}, shown,
        field,
        [=](const std::string& text) -> Result<std::vector<double>> {
          std::vector<double> values;
          for (std::size_t begin = 0; text != "auto" && begin <= text.size();) {
            const std::size_t end = std::min(text.find('/', begin), text.size());
            DUEL_ASSIGN(const double value, number_in(range, text.substr(begin, end - begin)));
            values.push_back(value);
            begin = end + 1;
          }
          return values;
        },
        [](const std::vector<double>& values) {
          std::string text;
          for (const double value : values)
            text += (text.empty() ? "" : "/") + format_number(value);
          return text.empty() ? std::string("auto") : text;
        });
  }

  // The horizon T of a policy that needs one: 0 until it is known, then the run's rounds.
  OptionTable& horizon(std::uint64_t Options::* field) {
    return add(
        {"horizon", "count", "", "1 or more", "horizon T the policy is tuned for"}, Shown::always,
        field,
        [](const std::string& text) -> Result<std::uint64_t> {
          DUEL_ASSIGN(const std::uint64_t value, parse_count(text));
          if (value < 1) return out_of_range(text);
          return value;
        },
        [](std::uint64_t value) {
          return value == 0 ? std::string("the run's rounds") : fmt::format("{}", value);
        });
  }

  // Any text but the empty one; what it means is checked where it is used.
  OptionTable& text(std::string name, std::string Options::* field, std::string doc,
                    Shown shown = Shown::when_set) {
    return add(
        {name, "text", "", "any", std::move(doc)}, shown, field,
        [](const std::string& text) -> Result<std::string> {
          if (text.empty()) return Error::invalid_argument("is empty");
          return text;
        },
        [](const std::string& text) { return text; });
  }

  template <class Enum>
  OptionTable& choice(std::string name, Enum Options::* field,
                      std::vector<std::pair<std::string, Enum>> values, std::string doc,
                      Shown shown = Shown::when_set) {
    std::string allowed;
    std::vector<std::string> known;
    for (const auto& [word, value] : values) {
      allowed += (allowed.empty() ? "" : " | ") + word;
      known.push_back(word);
    }
    return add(
        {name, "choice", "", allowed, std::move(doc)}, shown, field,
        [=](const std::string& text) -> Result<Enum> {
          for (const auto& [word, value] : values) {
            if (word == text) return value;
          }
          return Error::invalid_argument(fmt::format("'{}' is not a known value", text))
              .with_hint(spelling_hint(text, known));
        },
        [=](Enum given) {
          for (const auto& [word, value] : values) {
            if (given == value) return word;
          }
          return std::string();
        });
  }

  OptionTable& flag(std::string name, bool Options::* field, std::string doc,
                    Shown shown = Shown::when_set) {
    return choice<bool>(std::move(name), field, {{"true", true}, {"false", false}}, std::move(doc),
                        shown);
  }

  // Sets what `call` names, starting from `options`. `kind` is the noun for messages ("policy").
  Result<Options> parse(const CallSpec& call, Options options, std::string_view kind) const {
    std::vector<std::string> known;
    for (const Entry& entry : entries_) known.push_back(entry.fact.name);
    for (const auto& [key, text] : call.arguments) {
      const Entry* found = nullptr;
      for (const Entry& entry : entries_) {
        if (entry.fact.name == key) found = &entry;
      }
      if (found == nullptr) {
        return Error::invalid_argument(
                   fmt::format("{} '{}' has no option '{}'", kind, call.name, key))
            .with_hint(known.empty() ? "it has no options" : spelling_hint(key, known));
      }
      if (const Status status = found->read(options, text); !status.ok()) {
        Error error = status.error();
        error.where = fmt::format("option '{}' of {} '{}'", key, kind, call.name);
        if (error.hint.empty()) error.hint = "allowed: " + found->fact.allowed;
        return error;
      }
    }
    return options;
  }

  // `name(option=value,..)` with what is always shown and what differs from the default.
  std::string canonical(const std::string& name, const Options& options) const {
    const Options defaults{};
    CallSpec call{name, {}};
    for (const Entry& entry : entries_) {
      const std::string text = entry.write(options);
      if (entry.shown == Shown::always || text != entry.write(defaults)) {
        call.arguments.emplace_back(entry.fact.name, text);
      }
    }
    return to_string(call);
  }

  std::vector<OptionFact> facts() const {
    std::vector<OptionFact> facts;
    for (const Entry& entry : entries_) {
      facts.push_back(entry.fact);
      facts.back().default_value = entry.write(Options{});
    }
    return facts;
  }

 private:
  struct Entry {
    OptionFact fact;
    Shown shown;
    std::function<Status(Options&, const std::string&)> read;
    std::function<std::string(const Options&)> write;
  };

  // An option whose text `parse` makes a value of `field`, which `format` writes.
  template <class Value, class Parse, class Format>
  OptionTable& add(OptionFact fact, Shown shown, Value Options::* field, Parse parse,
                   Format format) {
    entries_.push_back({std::move(fact), shown,
                        [=](Options& options, const std::string& text) -> Status {
                          DUEL_ASSIGN(options.*field, parse(text));
                          return Done{};
                        },
                        [=](const Options& options) { return format(options.*field); }});
    return *this;
  }

  static Error out_of_range(const std::string& text) {
    return Error::invalid_argument(fmt::format("{} is out of range", text));
  }

  static Result<double> number_in(const NumberRange& range, const std::string& text) {
    DUEL_ASSIGN(const double value, parse_number(text));
    if (!range.contains(value)) return out_of_range(text);
    return value;
  }

  std::vector<Entry> entries_;
};

}  // namespace duel
