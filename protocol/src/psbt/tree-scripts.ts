import type { TreeScript } from "./psbt.ts"
import { fail, left, type PsbtStream, streamOn, takeSized, takeUint8 } from "./psbt-stream.ts"

const MAX_DEPTH = 128
const LEAF_MASK = 0xfe

/**
 * Adds a leaf to the depths of the branches that lack their second half, the deepest last. A leaf at an impossible
 * depth leaves branches incomplete, so that the tree is never complete.
 */
const hang = (open: Array<number>, depth: number): void => {
  let at = depth
  while (open.at(-1) === at && at > 0) {
    open.pop()
    at--
  }
  open.push(at)
}

/** Reads the scripts of a taproot tree (BIP371), which must form one complete tree. */
export const readTree = (value: Uint8Array, stream: PsbtStream): ReadonlyArray<TreeScript> => {
  const inside = streamOn(value)
  const scripts: Array<TreeScript> = []
  const open: Array<number> = []
  if (value.length === 0) fail(stream, "Output Taproot tree must not be empty")
  while (left(inside) > 0) {
    const depth = takeUint8(inside)
    const version = takeUint8(inside)
    const script = takeSized(inside)
    if (inside.fault !== undefined) fail(stream, inside.fault)
    if (depth > MAX_DEPTH) fail(stream, "Output Taproot tree has as leaf greater than Taproot maximum depth")
    if ((version & ~LEAF_MASK) !== 0) fail(stream, "Output Taproot tree has a leaf with an invalid leaf version")
    if (stream.fault !== undefined) return []
    scripts.push({ depth, version, script })
    hang(open, depth)
  }
  if (open.length !== 1 || open[0] !== 0) fail(stream, "Output Taproot tree is malformed")
  return scripts
}
