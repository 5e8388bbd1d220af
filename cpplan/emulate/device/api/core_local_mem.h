#pragma once

#include "emulation/kernel.h"

template <typename T, typename AddressType = uintptr_t>
class CoreLocalMem {
public:
    CoreLocalMem(AddressType address) : address_(address) {}
    CoreLocalMem(T* pointer) : address_(reinterpret_cast<AddressType>(pointer)) {}
    T* get_unsafe_ptr() const { return reinterpret_cast<T*>(address_); }
    AddressType get_address() const { return address_; }
    T& operator[](uint32_t index) const { return get_unsafe_ptr()[index]; }
    T& operator*() const { return *get_unsafe_ptr(); }
    T* operator->() const { return get_unsafe_ptr(); }

private:
    AddressType address_;
};
