// language: runs the language tests (tests/language/*.cel, see notation.h), or rewrites their statements.
//
// usage: language [--rebase] FILE...
// Prints each failing line with the stated and the actual result, then `N passed, N failed, N skipped`
// (expressions).
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "interpreter/cel.h"
#include "tests/fields.h"
#include "tests/notation.h"
#include "tests/tally.h"
#include "typecheck/environment.h"

namespace portcullis::tests {
namespace {

class File {
 public:
  File(std::string path, bool rebase, Tally& tally)
      : path_(std::move(path)), rebase_(rebase), tally_(tally) {}

  void run() {
    std::ifstream in(path_);
    if (!in) return tally_.fail(path_, "a file", "cannot be read");
    while (std::getline(in, line_)) {
      ++number_;
      take(line_);
    }
    finish();
    if (rebase_) write();
  }

 private:
  void take(const std::string& line) {
    std::string_view statement;
    if (is_statement(line, statement)) {
      example_.statements.emplace_back(statement);
      return;
    }
    if (!example_.expression.empty() && (line.starts_with("  ") || line.starts_with("\t")))
      return go_on(line);
    finish();
    if (line.starts_with("using ")) {
      libraries_ = line.substr(6) == "kubernetes" ? "" : line.substr(6);
      out_.push_back(line);
    } else if (line.starts_with("given ")) {
      give(line.substr(6));
      out_.push_back(line);
    } else if (line.empty() || line.starts_with("//")) {
      out_.push_back(line);
    } else {
      begin(line);
    }
  }

  void begin(const std::string& line) {
    example_.line = number_;
    std::string statement;
    split_line(line, example_.expression, statement);
    inline_ = !statement.empty();
    lines_ = {example_.expression};
    if (inline_) example_.statements.push_back(statement);
  }

  void go_on(const std::string& line) {
    std::string rest, statement;
    split_line(line, rest, statement);
    example_.expression += "\n" + rest;
    lines_.push_back(line.substr(0, line.find(rest)) + rest);
    if (!statement.empty()) {
      inline_ = true;
      example_.statements.push_back(statement);
    }
  }

  // Judges the expression that was read.
  void finish() {
    if (example_.expression.empty()) return;
    Result<std::shared_ptr<const Environment>> environment = environment_of(libraries_, given_);
    std::string id = path_ + ":" + std::to_string(example_.line);
    if (!environment.ok()) {
      tally_.fail(id, "an environment", environment.error().text);
    } else {
      Seen seen = observe(example_.expression, *environment, given_);
      if (example_.statements.empty()) example_.statements.push_back("=>");
      std::string wrong, actual;
      for (std::string& statement : example_.statements) {
        const std::string& is = seen.of(statement);
        if (seen.fulfils(statement, *environment, given_)) continue;
        wrong += (wrong.empty() ? "" : " and ") + statement;
        actual += (actual.empty() ? "" : " and ") + is;
        if (rebase_) statement = is;
      }
      wrong.empty() || rebase_ ? tally_.pass(id)
                               : tally_.fail(id, example_.expression + "  " + wrong, actual);
    }
    print();
    example_ = {};
  }

  void print() {
    size_t first = 0;
    if (inline_) {
      lines_.back() += "  // " + example_.statements[0];
      first = 1;
    }
    for (const std::string& line : lines_) out_.push_back(line);
    for (size_t i = first; i < example_.statements.size(); ++i)
      out_.push_back("// " + example_.statements[i]);
  }

  // Reads `name = expression`.
  void give(const std::string& text) {
    size_t at = text.find(" = ");
    std::string name = text.substr(0, at);
    Result<std::shared_ptr<const Environment>> environment = environment_of(libraries_, given_);
    Result<ExpressionPtr> expression = at == std::string::npos ? Error{"want name = expression"}
                                       : environment.ok()      ? compile(text.substr(at + 3), *environment)
                                                               : Result<ExpressionPtr>(environment.error());
    Result<ProgramPtr> program =
        expression.ok() ? make_program(*expression) : Result<ProgramPtr>(expression.error());
    if (!program.ok()) return tally_.fail(path_ + ":" + std::to_string(number_), text, program.error().text);
    keep_.push_back({*expression, *program, std::make_unique<Context>()});
    Activation activation((*program)->paths());
    for (const Given& variable : given_) activation.set(variable.name, variable.value);
    Value value = evaluate(**program, activation, *keep_.back().context).value;
    std::erase_if(given_, [&](const Given& variable) { return variable.name == name; });
    given_.push_back({name, (*expression)->output_type(), value});
  }

  void write() {
    std::ofstream out(path_);
    for (const std::string& line : out_) out << line << '\n';
  }

  // What the types and values of `given_` refer to.
  struct Kept {
    ExpressionPtr expression;
    ProgramPtr program;
    std::unique_ptr<Context> context;
  };
  std::string path_, line_, libraries_;
  bool rebase_, inline_ = false;
  Tally& tally_;
  int number_ = 0;
  Example example_;
  std::vector<std::string> lines_, out_;
  std::vector<Given> given_;
  std::vector<Kept> keep_;
};

}  // namespace
}  // namespace portcullis::tests

int main(int argc, char** argv) {
  portcullis::tests::Tally tally;
  bool rebase = std::getenv("REBASE") != nullptr;
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (arg == "--rebase") {
      rebase = true;
      continue;
    }
    ++files;
    portcullis::tests::File(arg, rebase, tally).run();
  }
  if (files == 0) {
    std::fprintf(stderr, "usage: language [--rebase] FILE...\n");
    return 2;
  }
  return tally.finish();
}
