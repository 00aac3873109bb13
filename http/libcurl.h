// The functions of libcurl, which is loaded when the first webhook is asked.
//
// Idea: with libcurl and the libraries that it needs, each start of the program would take two thirds longer, and most
// starts ask no webhook. So the program is not linked with it: it finds the functions by their names.
// Tested by tests/http/run.py.
#pragma once

#define CURL_DISABLE_TYPECHECK  // its macros call the functions that are not linked
#include <curl/curl.h>

#include <string>

namespace portcullis::http {

struct Libcurl {
  decltype(&curl_global_init) global_init;
  decltype(&curl_version_info) version_info;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_perform) easy_perform;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
};

// Why libcurl cannot be used; empty if it can. The first call of one of these functions loads and starts it. Thread-safe.
const std::string& libcurl_error();
// The functions, if there is no error.
const Libcurl& libcurl();

}  // namespace portcullis::http
