// No threads: the single-threaded model.
#pragma once
#include <bits/gthr-single.h>
