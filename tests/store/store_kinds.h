// Every kind of store that the conformance tests run against: a new one is an entry here.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "duel/store/log_file.h"
#include "duel/store/store.h"
#include "tests/store/faulty_disk.h"
#include "tests/study/temporary_directory.h"

namespace duel {

struct StoreKind {
  std::string name;
  // Opens what is kept in the directory; twice, as two processes would.
  std::function<std::unique_ptr<Store>(const TemporaryDirectory&)> open;

  friend void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }
};

inline std::vector<StoreKind> store_kinds() {
  return {
      {"log_files",
       [](const TemporaryDirectory& directory) {
         return std::make_unique<LogFiles>(directory.path());
       }},
      // The store of the tests with faults, as long as there is none.
      {"log_files_on_a_faulty_disk",
       [](const TemporaryDirectory& directory) {
         static FaultyDisk disk;
         return std::make_unique<LogFiles>(directory.path(), disk);
       }},
  };
}

}  // namespace duel
