// The reader that one writes first: getline, a stringstream for each line, and a vector for each
// row. Takes well-formed lines only.
#pragma once

#include <istream>
#include <sstream>
#include <string>
#include <vector>

namespace duel {

struct LiteralDocument {
  int grade = 0;
  unsigned long long qid = 0;
  std::vector<float> features;
};

inline std::vector<LiteralDocument> read_letor_literally(std::istream& in) {
  std::vector<LiteralDocument> documents;
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line.substr(0, line.find('#')));
    LiteralDocument document;
    std::string word;
    if (!(words >> document.grade)) continue;
    while (words >> word) {
      const auto colon = word.find(':');
      const std::string key = word.substr(0, colon);
      const std::string value = word.substr(colon + 1);
      if (key == "qid") {
        document.qid = std::stoull(value);
        continue;
      }
      const auto index = static_cast<std::size_t>(std::stoul(key));
      if (document.features.size() < index) document.features.resize(index);
      document.features[index - 1] = std::stof(value);
    }
    documents.push_back(document);
  }
  return documents;
}

}  // namespace duel
