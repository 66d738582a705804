import type { HeaderIndexNode } from "../header-index/header-index-node.ts"

/**
 * Blocks whose scripts were verified since the start and are valid: a bit for each header of the index, by index.
 *
 * The input of script verification never changes. A block's header commits to its transactions with their witnesses
 * and, through them, to the coins they spend; its rules are those of its position in the chain. So a node that returns
 * from another branch need not verify them again (docs/decisions/0013).
 */
export interface VerifiedScripts {
  bits: Uint8Array
}

/** Makes an empty set. */
export const verifiedScripts = (): VerifiedScripts => ({ bits: new Uint8Array(128) })

/** Reports whether the scripts of this block were verified and are valid. */
export const scriptsVerified = ({ bits }: VerifiedScripts, { index }: HeaderIndexNode): boolean =>
  ((bits[index >> 3] ?? 0) >> (index & 7) & 1) === 1

/** Marks the scripts of this block as verified and valid. */
export const markScriptsVerified = (judged: VerifiedScripts, { index }: HeaderIndexNode): void => {
  const at = index >> 3
  if (at >= judged.bits.length) {
    const larger = new Uint8Array(Math.max(judged.bits.length * 2, at + 1))
    larger.set(judged.bits)
    judged.bits = larger
  }
  judged.bits[at]! |= 1 << (index & 7)
}
