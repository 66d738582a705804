import type { FilterHeader } from "../../engine/api/index-calls.ts"

const HASH_SIZE = 32

/** The entry of a block's filter, without the filter. */
export type FilterEntry = Pick<FilterHeader, "filterHash" | "header">

/** Header, then hash. */
export const encodeFilterEntry = ({ filterHash, header }: FilterEntry): Uint8Array => {
  const bytes = new Uint8Array(2 * HASH_SIZE)
  bytes.set(header)
  bytes.set(filterHash, HASH_SIZE)
  return bytes
}

/** None: these bytes are no entry. */
export const decodeFilterEntry = (bytes: Uint8Array): FilterEntry | undefined =>
  bytes.length === 2 * HASH_SIZE ? { header: bytes.slice(0, HASH_SIZE), filterHash: bytes.slice(HASH_SIZE) } : undefined
