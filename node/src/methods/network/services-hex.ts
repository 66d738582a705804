/** Returns service bits as 16 hexadecimal digits. */
export const servicesHex = (services: bigint): string => services.toString(16).padStart(16, "0")
