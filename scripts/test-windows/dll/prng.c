/* Wine 8 has no bcryptprimitives.dll, from which Go takes its random numbers. */
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	return RtlGenRandom(data, (ULONG)size);
}
