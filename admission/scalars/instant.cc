#include "admission/scalars/instant.h"

#include <fmt/format.h>

#include <chrono>

namespace portcullis {
namespace {

constexpr std::string_view kLayout = "2006-01-02T15:04:05Z07:00";

bool is_digit(std::string_view s, size_t i) { return i < s.size() && s[i] >= '0' && s[i] <= '9'; }

// Go's time.quote: ASCII as it is, everything else byte by byte.
std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    auto u = static_cast<unsigned char>(c);
    if (u >= 0x80 || u < ' ') {
      out += fmt::format("\\x{:02x}", u);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

// Walks over `text` element by element.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text), rest_(text) {}

  std::string error;

  // Literal text of the layout.
  bool literal(std::string_view l) {
    for (size_t i = 0; i < l.size(); i++) {
      if (rest_.empty() || rest_[0] != l[i]) return bad(l, rest_);
      rest_.remove_prefix(1);
    }
    return true;
  }
  bool year(int& out) {
    if (rest_.size() < 4) return bad("2006", rest_);
    for (size_t i = 0; i < 4; i++) {
      if (!is_digit(rest_, i)) return bad("2006", rest_);
    }
    out = std::stoi(std::string(rest_.substr(0, 4)));
    rest_.remove_prefix(4);
    return true;
  }
  // One or two digits (two if `fixed`), then a check of the range.
  bool number(std::string_view element, bool fixed, int low, int high, std::string_view what, int& out) {
    std::string_view hold = rest_;
    if (!two_digits(fixed, out)) return bad(element, hold);
    return (out >= low && out <= high) || out_of_range(what);
  }
  void fraction(int32_t& nanos) {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_, 1)) return;
    size_t n = 1;
    int32_t unit = 100'000'000;
    for (; is_digit(rest_, n); n++, unit /= 10) nanos += (rest_[n] - '0') * unit;
    rest_.remove_prefix(n);
  }
  bool zone(int& offset_seconds) {
    std::string_view hold = rest_;
    if (!rest_.empty() && rest_[0] == 'Z') {
      rest_.remove_prefix(1);
      return true;
    }
    if (rest_.size() < 6 || rest_[3] != ':') return bad("Z07:00", hold);
    for (size_t i : {1, 2, 4, 5}) {
      if (!is_digit(rest_, i)) return bad("Z07:00", hold);
    }
    int hours = (rest_[1] - '0') * 10 + rest_[2] - '0', minutes = (rest_[4] - '0') * 10 + rest_[5] - '0';
    char sign = rest_[0];
    rest_.remove_prefix(6);
    if (sign != '+' && sign != '-') return bad("Z07:00", hold);
    if (minutes > 60) return out_of_range("time zone offset minute");
    if (hours > 24) return out_of_range("time zone offset hour");
    offset_seconds = (hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
    return true;
  }
  bool end() {
    if (rest_.empty()) return true;
    error = fmt::format("parsing time {}: extra text: {}", quote(text_), quote(rest_));
    return false;
  }
  bool out_of_range(std::string_view what) {
    error = fmt::format("parsing time {}: {} out of range", quote(text_), what);
    return false;
  }

 private:
  bool two_digits(bool fixed, int& out) {
    if (!is_digit(rest_, 0)) return false;
    if (!is_digit(rest_, 1)) {
      if (fixed) return false;
      out = rest_[0] - '0';
      rest_.remove_prefix(1);
      return true;
    }
    out = (rest_[0] - '0') * 10 + rest_[1] - '0';
    rest_.remove_prefix(2);
    return true;
  }
  bool bad(std::string_view element, std::string_view at) {
    error = fmt::format("parsing time {} as {}: cannot parse {} as {}", quote(text_), quote(kLayout),
                        quote(at), quote(element));
    return false;
  }

  std::string_view text_, rest_;
};

}  // namespace

std::string parse_instant(std::string_view text, Instant& out) {
  Walk w(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset = 0;
  int32_t nanos = 0;
  bool ok = w.year(year) && w.literal("-") && w.number("01", true, 1, 12, "month", month) && w.literal("-") &&
            w.number("02", true, -1, 100, "day", day) && w.literal("T") &&
            w.number("15", false, 0, 23, "hour", hour) && w.literal(":") &&
            w.number("04", true, 0, 59, "minute", minute) && w.literal(":") &&
            w.number("05", true, 0, 59, "second", second);
  if (!ok) return w.error;
  w.fraction(nanos);
  if (!w.zone(offset) || !w.end()) return w.error;
  std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return w.out_of_range("day"), w.error;
  auto days = std::chrono::sys_days(date).time_since_epoch().count();
  out.seconds = int64_t{days} * 86400 + int64_t{hour} * 3600 + int64_t{minute} * 60 + second - offset;
  out.nanos = nanos;
  return {};
}

std::string format_instant(Instant at) {
  int64_t days = at.seconds / 86400, rest = at.seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    days--;
  }
  std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), rest / 3600,
                     rest / 60 % 60, rest % 60);
}

}  // namespace portcullis
