import { bytesEqual } from "../bytes/equal.ts"
import { BIP34_IMPLIES_BIP30_LIMIT } from "../constants.ts"
import { ancestorAt, type HeaderNode } from "../chain/header-node.ts"
import type { ChainParameters } from "../parameters/chain-parameters.ts"

/**
 * Reports whether a block must not create an output that exists unspent (BIP30).
 *
 * Excluded are the two blocks, named by hash, that did so before the rule existed. It also does not apply where BIP34
 * makes repetition impossible. That is the case on top of the block that activated BIP34 on this network, up to the
 * height that some early coinbases already claim.
 *
 * @spec DEP-002 #7c827679
 */
export const forbidsOverwriting = (node: HeaderNode, parameters: ChainParameters): boolean => {
  if (node.height >= BIP34_IMPLIES_BIP30_LIMIT) return true
  const { bip34Hash, heights, repeatedCoinbases } = parameters
  if (repeatedCoinbases.some((each) => each.height === node.height && bytesEqual(each.hash, node.hash))) return false
  const activation = bip34Hash === undefined || node.parent === undefined
    ? undefined
    : ancestorAt(node.parent, heights.bip34)
  return activation === undefined || !bytesEqual(activation.hash, bip34Hash!)
}
