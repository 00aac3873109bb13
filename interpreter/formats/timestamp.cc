#include "interpreter/formats/timestamp.h"

#include <cstdlib>

#include "grammar/ascii.h"
#include "interpreter/formats/number.h"

namespace portcullis {
namespace {

constexpr int64_t kSecondsPerDay = 86400;

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int days_in_month(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Days since 1970-01-01. Years begin in March here, so that the leap day is the last day; an era is 400
// years.
int64_t days_from_civil(int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  int64_t era = floor_div(year, 400);
  int64_t year_of_era = year - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

void civil_from_days(int64_t days, Civil& c) {
  days += 719468;
  int64_t era = floor_div(days, 146097);
  int64_t day_of_era = days - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month = (5 * day_of_year + 2) / 153;
  c.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  c.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  c.year = year_of_era + era * 400 + (c.month <= 2 ? 1 : 0);
}

bool digit_at(std::string_view text, size_t i) { return i < text.size() && is_digit(text[i]); }

// Reads exactly `digits` digits.
bool take_number(std::string_view& text, int digits, int& value) {
  value = 0;
  for (int i = 0; i < digits; ++i) {
    if (!digit_at(text, static_cast<size_t>(i))) return false;
    value = value * 10 + (text[static_cast<size_t>(i)] - '0');
  }
  text.remove_prefix(static_cast<size_t>(digits));
  return true;
}

bool take_char(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

// Reads ".123" or ",123"; at most nine digits count.
void take_fraction(std::string_view& text, uint32_t& nanos) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !digit_at(text, 1)) return;
  text.remove_prefix(1);
  uint32_t scale = 100'000'000;
  for (; digit_at(text, 0); text.remove_prefix(1), scale /= 10)
    nanos += scale * static_cast<uint32_t>(text[0] - '0');
}

bool take_offset(std::string_view& text, int& minutes) {
  minutes = 0;
  if (take_char(text, 'Z')) return true;
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return false;
  int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  int h, m;
  if (!take_number(text, 2, h) || !take_char(text, ':') || !take_number(text, 2, m)) return false;
  minutes = sign * (h * 60 + m);
  return h <= 24 && m <= 60;
}

void append_padded(TextBuilder& out, int64_t value, size_t width) {
  if (value < 0) out.append('-');
  uint64_t u = static_cast<uint64_t>(std::llabs(value));
  size_t digits = 1;
  for (uint64_t rest = u; rest >= 10; rest /= 10) ++digits;
  if (digits < width) out.append(width - digits, '0');
  append_uint(out, u);
}

void append_date_time(TextBuilder& out, const Timestamp& t, char separator) {
  Civil c = civil_time(t.seconds + t.offset_minutes * 60);
  append_padded(out, c.year, 4);
  out.append('-');
  append_padded(out, c.month, 2);
  out.append('-');
  append_padded(out, c.day, 2);
  out.append(separator);
  append_padded(out, c.hour, 2);
  out.append(':');
  append_padded(out, c.minute, 2);
  out.append(':');
  append_padded(out, c.second, 2);
  if (t.nanos == 0) return;
  out.append('.');
  uint32_t scale = 100'000'000;
  for (uint32_t rest = t.nanos; rest != 0; scale /= 10) {
    out.append(static_cast<char>('0' + rest / scale));
    rest %= scale;
  }
}

void append_offset(TextBuilder& out, int minutes, std::string_view separator) {
  out.append(minutes < 0 ? '-' : '+');
  append_padded(out, std::abs(minutes) / 60, 2);
  out.append(separator);
  append_padded(out, std::abs(minutes) % 60, 2);
}

}  // namespace

Civil civil_time(int64_t seconds) {
  int64_t days = floor_div(seconds, kSecondsPerDay);
  int rest = static_cast<int>(seconds - days * kSecondsPerDay);
  Civil c;
  civil_from_days(days, c);
  c.hour = rest / 3600;
  c.minute = rest / 60 % 60;
  c.second = rest % 60;
  c.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);  // 1970-01-01 was a Thursday
  c.year_day = static_cast<int>(days - days_from_civil(c.year, 1, 1));
  return c;
}

int64_t unix_seconds(int64_t year, int month, int day, int hour, int minute, int second) {
  return days_from_civil(year, month, day) * kSecondsPerDay + hour * 3600 + minute * 60 + second;
}

std::optional<Timestamp> parse_rfc3339(std::string_view text) {
  int year, month, day, hour, minute, second, offset;
  Timestamp t;
  if (!take_number(text, 4, year) || !take_char(text, '-') || !take_number(text, 2, month) ||
      !take_char(text, '-') || !take_number(text, 2, day) || !take_char(text, 'T')) {
    return std::nullopt;
  }
  if (!take_number(text, digit_at(text, 1) ? 2 : 1, hour) || !take_char(text, ':') ||
      !take_number(text, 2, minute) || !take_char(text, ':') || !take_number(text, 2, second)) {
    return std::nullopt;
  }
  take_fraction(text, t.nanos);
  if (!take_offset(text, offset) || !text.empty()) return std::nullopt;
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month) || hour > 23 || minute > 59 ||
      second > 59) {
    return std::nullopt;
  }
  t.seconds = unix_seconds(year, month, day, hour, minute, second) - int64_t{offset} * 60;
  t.offset_minutes = static_cast<int16_t>(offset);
  return t;
}

void append_rfc3339(TextBuilder& out, const Timestamp& t) {
  append_date_time(out, t, 'T');
  if (t.offset_minutes == 0) return out.append('Z');
  append_offset(out, t.offset_minutes, ":");
}

void append_go_time(TextBuilder& out, const Timestamp& t) {
  append_date_time(out, t, ' ');
  out.append(' ');
  append_offset(out, t.offset_minutes, "");
  out.append(' ');
  if (t.offset_minutes == 0) return out.append("UTC");
  append_offset(out, t.offset_minutes, "");
}

}  // namespace portcullis
