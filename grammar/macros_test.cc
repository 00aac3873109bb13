// The macro table: which row a call finds, and that every row has documentation. parse_test.cc tests the
// expansions.
#include "grammar/macros.h"

#include <gtest/gtest.h>

#include "grammar/parse.h"

namespace portcullis {
namespace {

TEST(MacroTable, FindsByNameArityAndStyle) {
  const MacroTable table(macros::standard());
  ASSERT_TRUE(table.find("map", 2, true));
  ASSERT_TRUE(table.find("map", 3, true));
  EXPECT_NE(table.find("map", 2, true), table.find("map", 3, true));
  EXPECT_FALSE(table.find("map", 4, true));
  EXPECT_FALSE(table.find("map", 2, false));
  EXPECT_TRUE(table.find("has", 1, false));
}

TEST(MacroTable, VariableArityYieldsToExact) {
  const Macro rows[] = {{"f", kVarArgs, true}, {"f", 2, true}};
  const MacroTable table(rows);
  EXPECT_EQ(table.find("f", 2, true), &rows[1]);
  EXPECT_EQ(table.find("f", 0, true), &rows[0]);
}

TEST(MacroTable, VersionsBringRows) {
  EXPECT_FALSE(MacroTable(macros::optionals(), 0).find("optFlatMap", 2, true));
  EXPECT_TRUE(MacroTable(macros::optionals(), 1).find("optFlatMap", 2, true));
  EXPECT_FALSE(MacroTable(macros::lists(), 1).find("sortBy", 2, true));
}

TEST(MacroTable, StandardEnvironmentLacksExistsOneInCamelCase) {
  EXPECT_FALSE(MacroTable(macros::standard()).find("existsOne", 2, true));
  EXPECT_TRUE(MacroTable(macros::parser()).find("existsOne", 2, true));
}

TEST(Macros, RowsHaveDocumentation) {
  for (const auto rows : {macros::parser(), macros::optionals(), macros::bindings(), macros::two_variable(),
                          macros::lists(), macros::math(), macros::protos(), macros::block()}) {
    for (const Macro& row : rows) EXPECT_FALSE(row.doc.empty()) << row.name;
  }
}

TEST(Macros, BlockMakesSlots) {
  const MacroTable table(macros::block());
  ParseOptions options;
  options.macros = &table;
  const Parsed parsed =
      parse(Source("cel.block([a, cel.index(0)], cel.iterVar(1, 2) + cel.accuVar(0, 3))"), options);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.ast.root->name, "cel.@block");
  EXPECT_EQ(parsed.ast.root->args[0]->args[1]->name, "@index0");
  EXPECT_EQ(parsed.ast.root->args[1]->args[0]->name, "@it:1:2");
  EXPECT_EQ(parsed.ast.root->args[1]->args[1]->name, "@ac:0:3");
}

}  // namespace
}  // namespace portcullis
