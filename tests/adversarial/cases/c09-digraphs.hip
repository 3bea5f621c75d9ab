__global__ void NAME(made)(float* out, int n) <%
  const int i = INDEX;
  if (i < n) out<:i:> *= 0.5f;
%>
