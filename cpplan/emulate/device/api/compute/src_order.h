#pragma once

#include "emulation/compute.h"
