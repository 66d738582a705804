import type { Cursor } from "@lockstep/kernel/bytes"

const READERS: Readonly<Record<number, (view: DataView, at: number) => bigint>> = {
  0xfd: (view, at) => BigInt(view.getUint16(at, true)),
  0xfe: (view, at) => BigInt(view.getUint32(at, true)),
  0xff: (view, at) => view.getBigUint64(at, true)
}

const LEAST: Readonly<Record<number, bigint>> = { 0xfd: 0xfdn, 0xfe: 0x1_0000n, 0xff: 0x1_0000_0000n }

/**
 * Returns Bitcoin Core's error for a length at `offset` that SER-001 refuses, or `undefined` if the bytes end within
 * it.
 */
export const compactSizeFault = ({ bytes, view }: Cursor, offset: number): string | undefined => {
  const prefix = bytes[offset]!
  const value = READERS[prefix]?.(view, offset + 1)
  if (value === undefined) return undefined
  return value < LEAST[prefix]! ? "non-canonical ReadCompactSize()" : "ReadCompactSize(): size too large"
}
