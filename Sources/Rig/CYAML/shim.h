// The YAML parser of libyaml.
#pragma once
#include <yaml.h>
