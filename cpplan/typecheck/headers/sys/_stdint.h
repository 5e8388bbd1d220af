// The name that newlib has for it.
#pragma once
#include <stdint.h>
