import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Scope from "effect/Scope"
import { Chain } from "../../src/chain/chain.ts"
import type { ChainState } from "../../src/engine/calls/chain-state.ts"
import type { RunningEngine } from "../../src/engine/engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "../engine/test-engine.ts"
import { vectorBytes } from "./vectors.ts"

interface RecordedIndex {
  readonly mocktime: number
  readonly headersOnly: string
  readonly blocks: ReadonlyArray<{ readonly offset: number; readonly size: number; readonly height: number; readonly submitblock: string | null; readonly onBestChain: boolean }>
}

/** What went otherwise than recorded while the blocks were handed in. */
export interface Loaded {
  readonly directory: string
  readonly chain: Chain["Service"]
  readonly differences: ReadonlyArray<string>
  /** Blocks that once were the tip, those of the active chain last and in order. */
  readonly connectedBlocks: ReadonlyArray<Uint8Array>
}

const chainOver = (engine: RunningEngine, state: () => ChainState | undefined): Chain["Service"] =>
  Chain.of({ ready: Effect.void, call: engine.call, state, states: Stream.empty, news: Stream.empty })

/** The recorded chain in an engine on disk, handed in block by block as it was recorded. */
export const recordedChain = Effect.gen(function*(): Effect.fn.Return<Loaded, unknown, Scope.Scope> {
  const index = JSON.parse(vectorBytes("oracle/chain/index.json").toString()) as RecordedIndex
  const bytes = vectorBytes("oracle/chain/blocks.dat.gz")
  const directory = yield* temporaryDirectory
  let state: ChainState | undefined
  const engine = yield* testEngine({
    directory,
    mockTime: index.mocktime,
    news: (news) => {
      if (news._tag === "State") state = news.state
    }
  })
  const differences: Array<string> = []
  const blockAt = (offset: number, size: number): Uint8Array => new Uint8Array(bytes.subarray(offset, offset + size))
  for (const { height, offset, size, submitblock } of index.blocks.slice(1)) {
    const { result = null } = yield* engine.call("submitBlock", { bytes: blockAt(offset, size) })
    if (result !== submitblock) differences.push(`block at height ${height}: ${result} instead of ${submitblock}`)
  }
  yield* engine.call("submitHeader", { bytes: new Uint8Array(Buffer.from(index.headersOnly, "hex")) })
  const connected = index.blocks.filter(({ submitblock }) => submitblock === null)
    .toSorted((a, b) => Number(a.onBestChain) - Number(b.onBestChain))
  const connectedBlocks = connected.map(({ offset, size }) => blockAt(offset, size))
  return { directory, chain: chainOver(engine, () => state), differences, connectedBlocks }
})
