// Of the 32-bit C library only its headers are used.
