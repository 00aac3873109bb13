// What many sources of admission/ include, parsed once. The rules of std.h hold here, too.
#include "precompiled/std.h"

#include <cmath>
#include <deque>
#include <list>
#include <mutex>
#include <unordered_set>
#include <variant>

#include "admission/builtin/decode.h"
#include "admission/builtin/object.h"
#include "admission/builtin/types.h"
#include "admission/crd/schema.h"
#include "admission/expressions/environment.h"
#include "grammar/result.h"
#include "interpreter/cel.h"
#include "interpreter/values/builder.h"
#include "interpreter/values/json.h"
#include "interpreter/values/map.h"
#include "interpreter/values/value.h"
#include "typecheck/validate.h"
