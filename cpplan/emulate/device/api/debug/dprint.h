#pragma once

#include "emulation/kernel.h"

#define DPRINT(...)
