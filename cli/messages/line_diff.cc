#include "cli/messages/line_diff.h"

#include <algorithm>
#include <vector>

#include "cli/messages/lists.h"
#include "cli/messages/messages.h"

namespace portcullis {
namespace {

constexpr size_t kAround = 3;  // unchanged lines around a change

struct Line {
  char mark;  // ' ', '-' or '+'
  std::string_view text;
};

// Keeps a longest common subsequence of lines; in a change, removed lines come before added ones.
std::vector<Line> edit_script(std::string_view before, std::string_view after) {
  std::vector<std::string_view> a = lines_of(before), b = lines_of(after);
  size_t first = 0, rest = 0;  // equal lines at both ends
  while (first < std::min(a.size(), b.size()) && a[first] == b[first]) first++;
  while (rest < std::min(a.size(), b.size()) - first && a.end()[-1 - rest] == b.end()[-1 - rest]) rest++;
  size_t rows = a.size() - first - rest, columns = b.size() - first - rest;
  if (rows != 0 && columns > kMaxDiffSteps / rows) rows = columns = 0;
  std::vector<uint32_t> common((rows + 1) * (columns + 1), 0);
  auto at = [&](size_t i, size_t j) -> uint32_t& { return common[i * (columns + 1) + j]; };
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;)
      at(i, j) = a[first + i] == b[first + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  std::vector<Line> out;
  size_t i = 0, j = 0;
  while (i < first) out.push_back({' ', a[i++]}), j++;
  while (i < a.size() - rest || j < b.size() - rest) {
    bool inside = i - first < rows && j - first < columns;
    if (inside && a[i] == b[j]) {
      out.push_back({' ', a[i++]}), j++;
    } else if (i < a.size() - rest &&
               (!inside || at(i - first + 1, j - first) >= at(i - first, j - first + 1))) {
      out.push_back({'-', a[i++]});
    } else {
      out.push_back({'+', b[j++]});
    }
  }
  while (i < a.size()) out.push_back({' ', a[i++]});
  return out;
}

void write_diff_line(std::string& out, std::string_view line, char mark, const Paint& p) {
  std::string_view colour = mark == '-' ? p.red : mark == '+' ? p.green : std::string_view();
  out.append(colour).append(line);
  if (!colour.empty()) out.append(p.reset);
  out += '\n';
}

// "12,3": the first line of a hunk and its number of lines; for an empty hunk, the line before it.
std::string range(size_t first, size_t count) {
  std::string out = std::to_string(count == 0 ? first : first + 1);
  return count == 1 ? out : out + "," + std::to_string(count);
}

}  // namespace

std::string marked_lines(std::string_view before, std::string_view after, bool colour) {
  std::string out;
  for (const Line& l : edit_script(before, after))
    write_diff_line(out, std::string(1, l.mark) + " " + std::string(l.text), l.mark, paint(colour));
  return out;
}

std::string unified_diff(std::string_view before, std::string_view after, std::string_view old_name,
                         std::string_view new_name, bool colour) {
  const Paint& p = paint(colour);
  std::vector<Line> lines = edit_script(before, after);
  std::string out;
  size_t old_line = 0, new_line = 0;  // lines before `at`
  for (size_t at = 0; at < lines.size();) {
    auto changed = [](const Line& l) { return l.mark != ' '; };
    size_t first = std::find_if(lines.begin() + at, lines.end(), changed) - lines.begin();
    if (first == lines.size()) break;
    // The hunk ends before more unchanged lines than two hunks would show.
    size_t last = first, end = first;
    for (; end < lines.size() && end - last <= 2 * kAround; end++) {
      if (changed(lines[end])) last = end;
    }
    size_t begin = std::max(at, first - std::min(first, kAround));
    end = std::min(lines.size(), last + 1 + kAround);
    old_line += begin - at, new_line += begin - at;
    size_t gone = std::count_if(lines.begin() + begin, lines.begin() + end,
                                [](const Line& l) { return l.mark != '+'; });
    size_t come = std::count_if(lines.begin() + begin, lines.begin() + end,
                                [](const Line& l) { return l.mark != '-'; });
    if (out.empty()) {
      write_diff_line(out, "--- " + std::string(old_name), ' ', p);
      write_diff_line(out, "+++ " + std::string(new_name), ' ', p);
    }
    write_diff_line(out, "@@ -" + range(old_line, gone) + " +" + range(new_line, come) + " @@", ' ', p);
    for (size_t i = begin; i < end; i++)
      write_diff_line(out, std::string(1, lines[i].mark) + std::string(lines[i].text), lines[i].mark, p);
    old_line += gone, new_line += come;
    at = end;
  }
  return out;
}

}  // namespace portcullis
