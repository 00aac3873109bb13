// Finds suites and reads them: members are checked against the table (members.h), files are resolved relative to the
// suite, and the defaults of the suite are put into each case. Tested by tests/cli/test.txt.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/suites/suite.h"

namespace portcullis::suites {

// The suite files at the paths, each once: files as they are, and below directories those with the name of a suite.
// False if a path has none, which is an error and printed. What may be or hold suites and is left out is added to
// `left_out`, and noted: files whose names nearly are those of suites, links to directories.
bool find_suites(const std::vector<std::string>& paths, const ReadOptions& options,
                 std::vector<std::string>& files, std::vector<LeftOut>& left_out);

// Reads a file: a suite of each document. False if anything of it cannot be read, which is printed.
bool read_suites(const std::string& file, std::vector<std::unique_ptr<Suite>>& out);

}  // namespace portcullis::suites
