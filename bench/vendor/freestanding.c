// What clang may call on its own account where there is no C library, and data for the loader, which wants some.
void* memcpy(void* to, const void* from, unsigned bytes) {
    volatile char* out = to;
    const char* in = from;
    while (bytes--) *out++ = *in++;
    return to;
}

void* memset(void* to, int value, unsigned bytes) {
    volatile char* out = to;
    while (bytes--) *out++ = (char)value;
    return to;
}

int some_data = 1;
