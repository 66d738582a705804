/**
 * Whether `key` has one of the two forms of the seam: 33 bytes from 02 or 03, or 65 from 04. The libraries would also
 * take the hybrid forms 06 and 07, which the kernel has turned into 04 before.
 */
export const hasKeyForm = (key: Uint8Array): boolean =>
  key.length === 33 ? key[0] === 2 || key[0] === 3 : key.length === 65 && key[0] === 4
