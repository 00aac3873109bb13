// What most sources of cli/ include, parsed once. The rules of std.h hold here, too.
#include "precompiled/std.h"

#include "admission/admission.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/crd.h"
#include "cli/commands.h"
#include "cli/messages/messages.h"
#include "cli/reading/input.h"
#include "interpreter/cel.h"
#include "interpreter/values/json.h"
#include "interpreter/values/member.h"
#include "manifests/resources.h"
#include "manifests/yaml.h"
