#include "cli/formats/html_page.h"

#include "cli/formats/xml.h"

namespace portcullis::formats {
namespace {

constexpr std::string_view kStyle =
#include "cli/formats/html_style.inc"
    ;
constexpr std::string_view kScript =
#include "cli/formats/html_script.inc"
    ;

}  // namespace

std::string html_page(std::string_view title, std::string_view body) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>";
  out.append(xml(title)).append("</title>\n<style>").append(kStyle).append("</style>\n</head>\n<body>\n");
  out.append(body).append("<script>").append(kScript).append("</script>\n</body>\n</html>\n");
  return out;
}

}  // namespace portcullis::formats
