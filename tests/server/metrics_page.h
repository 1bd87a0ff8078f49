// A page for Prometheus, read as its text format says.
#pragma once

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace duel {

// What is wrong with the page: each family is announced once, by HELP and then TYPE, and its
// samples follow it directly.
inline std::vector<std::string> metrics_page_errors(const std::string& page) {
  std::vector<std::string> errors;
  std::set<std::string> helped, typed, sampled;
  std::string family, type;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mark, keyword, name;
    if (line.starts_with('#')) {
      std::string rest;
      words >> mark >> keyword >> name >> rest;
      if (keyword == "HELP") {
        if (!helped.insert(name).second) errors.push_back("a second HELP: " + line);
      } else if (keyword == "TYPE") {
        if (!typed.insert(name).second) errors.push_back("a second TYPE: " + line);
        if (!helped.contains(name)) errors.push_back("a TYPE without HELP: " + line);
        family = name;
        type = rest;
      }
      if (rest.empty()) errors.push_back("an announcement that says nothing: " + line);
      continue;
    }
    name = line.substr(0, line.find_first_of("{ "));
    std::vector<std::string> own{family};
    if (type == "histogram") own = {family + "_bucket", family + "_sum", family + "_count"};
    if (type == "summary") own = {family + "_sum", family + "_count"};
    bool is_own = false;
    for (const std::string& one : own) is_own = is_own || one == name;
    if (family.empty() || !is_own) errors.push_back("a sample that was not announced: " + line);
    if (!sampled.insert(line.substr(0, line.rfind(' '))).second) {
      errors.push_back("a second sample: " + line);
    }
  }
  for (const std::string& name : helped) {
    if (!typed.contains(name)) errors.push_back("a HELP without TYPE: " + name);
  }
  if (typed.empty()) errors.emplace_back("the page announces nothing");
  return errors;
}

}  // namespace duel
