import { muHashOf } from "@lockstep/conformance/chain/coin-set.ts"
import { createStore, type Store } from "@lockstep/conformance/chain/store.ts"
import { submitBlock } from "@lockstep/conformance/chain/submit.ts"
import { bytesOf, displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import { selectProvider } from "@lockstep/crypto/index.ts"
import { networkCalled } from "@lockstep/protocol/networks/table.ts"

const network = networkCalled("regtest")!
const selection = selectProvider()
if (!selection.ok) throw new Error("no crypto provider")
const { crypto } = selection.provider

/** Later than any block a test makes. */
const LATE = 0xffffffff

/** A clean node in memory that follows one chain. */
export interface Reference {
  /** Goes to the chain of these block hashes (display order, height 1 first), asking for blocks it has not seen. */
  readonly follow: (hashes: ReadonlyArray<string>, blockOf: (hash: string) => Promise<string>) => Promise<Store>
  /** MuHash of the coins at its tip, in display order. */
  readonly muHash: () => string
  readonly store: () => Store
}

const fresh = (): Store => createStore(network.parameters, network.genesisBlock, LATE, crypto)

/** Starts at the genesis block. Chains that leave the one before are followed from the start. */
export const reference = (): Reference => {
  let store = fresh()
  let chain: Array<string> = []

  const follow: Reference["follow"] = async (hashes, blockOf) => {
    if (!chain.every((hash, i) => hashes[i] === hash)) {
      store = fresh()
      chain = []
    }
    for (const hash of hashes.slice(chain.length)) {
      const bytes = bytesOf(await blockOf(hash))
      const { result } = submitBlock(store, () => bytes)
      if (result !== null || displayHexOf(store.tip.node.hash) !== hash) {
        throw new Error(`block ${hash} is refused by the reference: ${result}`)
      }
      chain.push(hash)
    }
    return store
  }
  return { follow, muHash: () => displayHexOf(muHashOf(store.coins, crypto)), store: () => store }
}
