import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Chain } from "../../src/engine-client/chain.ts"
import { startChain } from "../../src/engine-client/start-chain.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { vectorBytes } from "./vectors.ts"

interface RecordedBlock {
  readonly offset: number
  readonly size: number
  readonly height: number
  readonly submitblock: string | null
  readonly onBestChain: boolean
}

interface RecordedIndex {
  readonly mocktime: number
  readonly headersOnly: string
  readonly blocks: ReadonlyArray<RecordedBlock>
}

/** What went otherwise than recorded while the blocks were handed in. */
export interface Loaded {
  readonly directory: string
  readonly chain: Chain["Service"]
  readonly differences: ReadonlyArray<string>
}

/**
 * The recorded chain in an engine of its own thread with the indexes that Bitcoin Core has as well, and more if asked,
 * handed in block by block as it was recorded.
 */
export const recordedChainWith = Effect.fnUntraced(function*(
  more: Partial<EngineOptions>
): Effect.fn.Return<Loaded, unknown, Scope.Scope> {
  const index = JSON.parse(vectorBytes("oracle/chain/index.json").toString()) as RecordedIndex
  const bytes = vectorBytes("oracle/chain/blocks.dat.gz")
  const directory = yield* temporaryDirectory
  const indexes = { transactionIndex: true, coinStatisticsIndex: true, blockFilterIndex: true }
  const chain = yield* startChain({ ...regtestOptions(directory), ...indexes, ...more })
  yield* chain.ready
  yield* chain.call("setMockTime", { time: index.mocktime })
  const differences: Array<string> = []
  const blockAt = ({ offset, size }: RecordedBlock): Uint8Array => new Uint8Array(bytes.subarray(offset, offset + size))
  for (const block of index.blocks.slice(1)) {
    const { result = null } = yield* chain.call("submitBlock", { bytes: blockAt(block) })
    if (result === block.submitblock) continue
    differences.push(`block at height ${block.height}: ${result} instead of ${block.submitblock}`)
  }
  yield* chain.call("submitHeader", { bytes: new Uint8Array(Buffer.from(index.headersOnly, "hex")) })
  return { directory, chain, differences }
})

export const recordedChain = recordedChainWith({})
