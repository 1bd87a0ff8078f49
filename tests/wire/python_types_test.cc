// The types that Python has for results are those of the structs that the JSON is written from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "duel/core/described_json.h"
#include "duel/study/plan.h"
#include "duel/verdict/certificate_file.h"
#include "duel/verdict/experiment_result.h"
#include "duel/verdict/timeline.h"
#include "tests/support/places.h"
#include "tests/support/temporary_directory.h"

namespace duel {
namespace {

std::string type_of(const Json& schema);

std::string either(std::span<const Json> schemas) {
  std::string text;
  for (const Json& one : schemas) text += (text.empty() ? "" : " | ") + type_of(one);
  return text;
}

std::string type_named(const std::string& type, const Json& schema) {
  if (type == "null") return "None";
  if (type == "boolean") return "bool";
  if (type == "integer") return "int";
  if (type == "number") return "float";
  if (type == "string") return "str";
  if (type == "array") return fmt::format("list[{}]", type_of(schema.at("items")));
  EXPECT_EQ(type, "object");
  const Json& others = schema.at("additionalProperties");
  return fmt::format("dict[str, {}]", others.is_object() ? type_of(others) : "Any");
}

// As a Python annotation. An object that has no name is a dict of anything.
std::string type_of(const Json& schema) {
  if (const Json* name = schema.find("$ref")) {
    const std::string text = name->get<std::string>();
    return text.substr(text.rfind('/') + 1);
  }
  if (const Json* any = schema.find("anyOf")) return either(any->items());
  if (const Json* words = schema.find("enum")) {
    std::string text;
    for (const Json& word : words->items()) text += (text.empty() ? "" : ", ") + word.dump();
    return fmt::format("Literal[{}]", text);
  }
  const Json* type = schema.find("type");
  if (type == nullptr) return "Any";
  if (type->is_string()) return type_named(type->get<std::string>(), schema);
  std::string text;
  for (const Json& one : type->items()) {
    text += (text.empty() ? "" : " | ") + type_named(one.get<std::string>(), schema);
  }
  return text;
}

std::string class_of(const std::string& name, const Json& schema) {
  std::set<std::string> required;
  if (const Json* all = schema.find("required")) {
    for (const Json& one : all->items()) required.insert(one.get<std::string>());
  }
  std::string text = fmt::format("\nclass {}(TypedDict):\n", name);
  for (const auto& [field, property] : schema.at("properties").members()) {
    const std::string type = type_of(property);
    text += fmt::format("    {}: {}\n", field,
                        required.contains(field) ? type : fmt::format("NotRequired[{}]", type));
  }
  return text;
}

// `DUEL_WRITE_DOCS=1 ctest -R PythonTypes` writes them.
TEST(PythonTypes, are_those_of_the_described_structs) {
  SchemaSet schemas;
  schemas.of<ExperimentResult>(Shape::given);
  schemas.of<Health>(Shape::given);
  schemas.of<TimelineSeries>(Shape::given);
  schemas.of<Certificate>(Shape::given);
  schemas.of<PlanResults>(Shape::given);
  std::string wanted =
      "\"\"\"What results, certificates and plans hold. Written from the structs that their JSON "
      "is written\nfrom, by tests/wire/python_types_test.cc; do not edit.\"\"\"\n\n"
      "from typing import Any, Literal, TypedDict\n\nfrom typing_extensions import NotRequired\n";
  for (const auto& [name, schema] : schemas.named()) wanted += class_of(name, schema);
  const std::string file = source_dir() + "/python/duel/_shapes.pyi";
  if (std::getenv("DUEL_WRITE_DOCS") != nullptr) write_content(file, wanted);
  EXPECT_TRUE(content_of(file) == wanted) << "run it with DUEL_WRITE_DOCS=1 to write the file";
}

}  // namespace
}  // namespace duel
