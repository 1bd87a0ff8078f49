#include "tests/golden/script.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "duel/core/rng.h"
#include "tests/support/places.h"

namespace duel::golden {
namespace {

Step step_of(int line, const std::string& text) {
  Step step;
  step.line = line;
  step.text = text;
  std::size_t at = 0;
  while (at < text.size()) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    if (!step.verb.empty() && (text[at] == '{' || text[at] == '[')) {
      step.json = text.substr(at);
      break;
    }
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    if (step.verb.empty()) {
      step.verb = std::move(word);
    } else {
      step.words.push_back(std::move(word));
    }
    at = end;
  }
  return step;
}

}  // namespace

std::string Step::value_of(std::string_view name, const std::string& otherwise) const {
  for (const std::string& word : words) {
    if (word.starts_with(name) && word.substr(name.size()).starts_with("=")) {
      return word.substr(name.size() + 1);
    }
  }
  return otherwise;
}

std::vector<Step> read_script(const std::string& file) {
  std::ifstream input(file);
  if (!input) throw std::runtime_error("cannot read " + file);
  std::vector<std::pair<int, std::string>> lines;
  std::string line;
  for (int number = 1; std::getline(input, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == ' ' && !lines.empty()) {
      lines.back().second += line.substr(line.find_first_not_of(' '));
    } else {
      lines.emplace_back(number, line);
    }
  }
  std::vector<Step> steps;
  steps.reserve(lines.size());
  for (const auto& [number, text] : lines) steps.push_back(step_of(number, text));
  return steps;
}

std::string script_file(const std::string& folder, const std::string& name) {
  return source_dir() + "/tests/golden/scripts/" + folder + "/" + name + ".script";
}

std::vector<std::string> scripts_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(source_dir() + "/tests/golden/scripts/" + folder)) {
    if (entry.path().extension() == ".script") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

long long milliseconds_of(std::string_view text) {
  std::size_t used = 0;
  const long long count = std::stoll(std::string(text), &used);
  const std::string_view unit = text.substr(used);
  if (unit == "ms") return count;
  if (unit == "s") return count * 1000;
  if (unit == "m") return count * 60'000;
  if (unit == "h") return count * 3'600'000;
  throw std::runtime_error("no unit of time: " + std::string(text));
}

Said said_about(std::string_view duel_id) {
  const std::uint64_t lot = hash_text(duel_id) % 10;
  if (lot == 0) return Said::tie;
  return lot < 9 ? Said::better : Said::worse;
}

bool is_score(std::string_view word) { return !word.empty() && word[0] >= '0' && word[0] <= '9'; }

std::string word_of(Said said) {
  if (said == Said::tie) return "tie";
  return said == Said::better ? "better" : "worse";
}

}  // namespace duel::golden
