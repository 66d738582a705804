import { join, sameBytes } from "./byte-string.ts"
import { sha256d } from "./hash.ts"

/**
 * The root over `leaves`, and whether any level holds an identical pair that the tree did not make itself by doubling
 * an odd last node. No leaves: 32 zero bytes.
 */
export const merkleRoot = (
  leaves: ReadonlyArray<Uint8Array>
): { readonly root: Uint8Array; readonly mutated: boolean } => {
  if (leaves.length === 0) return { root: new Uint8Array(32), mutated: false }
  if (leaves.length === 1) return { root: leaves[0]!, mutated: false }
  const pairs = leaves.flatMap((left, i) => (i % 2 === 0 ? [[left, leaves[i + 1]] as const] : []))
  const twins = pairs.some(([left, right]) => right !== undefined && sameBytes(left, right))
  const above = merkleRoot(pairs.map(([left, right]) => sha256d(join(left, right ?? left))))
  return { root: above.root, mutated: twins || above.mutated }
}
