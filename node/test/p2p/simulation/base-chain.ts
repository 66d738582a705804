import { testCrypto } from "../../engine/test-engine.ts"
import { genesis, makeBlock, type MadeBlock } from "./made-block.ts"

/** When the simulation begins, in Unix seconds; the blocks that are there by then are ten minutes apart. */
export const START = 1_700_000_000
const SPACING = 600

/** Anyone can spend it. */
export const OP_TRUE_SCRIPT = Uint8Array.of(0x51)
/** No input can spend it. */
export const OP_FALSE_SCRIPT = Uint8Array.of(0x00)
/** The witness program of OP_TRUE: anyone who shows the script can spend it. */
export const P2WSH_OP_TRUE = Uint8Array.of(0x00, 0x20, ...testCrypto.sha256(OP_TRUE_SCRIPT))

/** Who may spend the coinbase of a block of the base chain. */
export const coinbaseScript = (height: number): Uint8Array =>
  [OP_FALSE_SCRIPT, P2WSH_OP_TRUE, OP_TRUE_SCRIPT][height % 3]!

const made = new Map<number, ReadonlyArray<MadeBlock>>()

/** The chain that everybody honest has at the start, genesis first. Made once for each length. */
export const baseChain = (length: number): ReadonlyArray<MadeBlock> => {
  const found = made.get(length)
  if (found !== undefined) return found
  const chain = [genesis()]
  for (let height = 1; height <= length; height++) {
    const time = START - (length - height + 1) * SPACING
    chain.push(makeBlock({ parent: chain.at(-1)!, tag: 0, time, script: coinbaseScript(height) }))
  }
  made.set(length, chain)
  return chain
}
