/** Decodes hexadecimal digits. Precondition: `digits` is a constant of this package, so well-formed. */
export const bytesOfHex = (digits: string): Uint8Array => {
  const bytes = new Uint8Array(digits.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16)
  return bytes
}

/** Decodes a hash in display order to wire order. */
export const hashOfDigits = (digits: string): Uint8Array => bytesOfHex(digits).reverse()

/** Decodes a number from hexadecimal digits. */
export const numberOfDigits = (digits: string): bigint => BigInt(`0x${digits}`)
