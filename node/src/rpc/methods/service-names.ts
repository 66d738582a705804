import { ServiceFlag, serviceNames } from "@lockstep/protocol/wire/services.ts"

const KNOWN = Object.values(ServiceFlag).reduce((all, flag) => all | flag, 0n)

/** Service bits as 16 hexadecimal digits. */
export const servicesHex = (services: bigint): string => services.toString(16).padStart(16, "0")

/** The names of service bits, the lowest first; a bit without a name is told by its place. */
export const namesOfServices = (services: bigint): ReadonlyArray<string> => {
  const unknown = Array.from({ length: 64 }, (_, i) => i).filter((i) => ((services & ~KNOWN) >> BigInt(i) & 1n) === 1n)
  return [...serviceNames(services), ...unknown.map((i) => `UNKNOWN[2^${i}]`)]
}
