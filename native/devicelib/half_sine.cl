// The sine of half precision. In the library that Debian ships (5.2) __ocml_sin_f16 selects NaN for
// every finite argument; the sine that it computes beside the cosine is right.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

half __ocml_sincos_f16(half x, __private half* cosine);

__attribute__((pure)) half __ocml_sin_f16(half x) {
  half cosine;
  return __ocml_sincos_f16(x, &cosine);
}
// The library's own pair would call the library's own sine.
__attribute__((pure)) half2 __ocml_sin_2f16(half2 x) {
  return (half2)(__ocml_sin_f16(x.x), __ocml_sin_f16(x.y));
}
