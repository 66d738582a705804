import { bytesEqual } from "../bytes/equal.ts"
import { BIP34_IMPLIES_BIP30_LIMIT } from "../constants.ts"
import { ancestorAt, type HeaderNode } from "../chain/header-node.ts"
import type { ChainParameters } from "../parameters/chain-parameters.ts"

/**
 * Whether a block must not create an output that exists unspent (BIP30).
 *
 * Not in the two blocks that did so before there was the rule, named by hash. And not where BIP34 makes it impossible:
 * on top of the block that activated it on this network, up to the height that some early coinbases already claim.
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
