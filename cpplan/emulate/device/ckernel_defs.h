#pragma once

#include "ckernel.h"
