#pragma once

#include "emulation/compute.h"
#include "hostdevcommon/kernel_structs.h"
