// The database of a store of several nodes on PostgreSQL: the statements of database.h in SQL.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "duel/core/result.h"
#include "duel/store/database.h"

namespace duel {

class PostgresDatabase final : public Database {
 public:
  // `answer_limit`: a statement that takes longer is given up. `lease`: no session may be idle in a
  // transaction for half as long.
  PostgresDatabase(std::string location, std::chrono::milliseconds answer_limit,
                   std::chrono::milliseconds lease);

  Result<std::unique_ptr<DatabaseSession>> connect(SessionUse use) override;
  const std::string& where() const override { return where_; }

 private:
  std::string settings_for(SessionUse use) const;

  const std::string location_;
  const std::string where_;
  const std::chrono::milliseconds answer_limit_;
  const std::chrono::milliseconds lease_;
};

}  // namespace duel
