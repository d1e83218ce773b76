#pragma once
// A function is compiled for each width of vector registers, and the one for the widest that the computer has is taken
// when the program starts. The results are the same: no instruction set changes what is added to what.

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TOROID_FOR_EACH_VECTOR_WIDTH [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define TOROID_FOR_EACH_VECTOR_WIDTH
#endif
