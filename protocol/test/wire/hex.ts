export const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, "hex"))
export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
