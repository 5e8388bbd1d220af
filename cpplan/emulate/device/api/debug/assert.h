#pragma once

#include "emulation/kernel.h"
