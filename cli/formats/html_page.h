// The frame of a page for people: one file without a network, light and dark as the reader's system is, readable on a
// narrow screen, usable by keyboard.
//
// Idea: the page is complete without its script, which only filters. Style and script lie in html_style.inc and
// html_script.inc; a policy in the head forbids the page to fetch anything. Every text from elsewhere passes xml().
// Tested by tests/cli/formats.txt.
#pragma once

#include <string>
#include <string_view>

namespace portcullis::formats {

// A page with this title and body. `body` is markup.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace portcullis::formats
