import type { EngineFailure } from "../../src/engine-client/chain.ts"
import type { EngineError } from "../../src/engine/api/engine-error.ts"
import type { Chain } from "../../src/engine-client/chain.ts"
import { bytesOfDigits, displayHash } from "../../src/hex.ts"
import * as Effect from "effect/Effect"
import { hasVectors, vectorBytes } from "../rpc/vectors.ts"

type ChainService = Chain["Service"]

interface RecordedBlock {
  readonly offset: number
  readonly size: number
}

interface RecordedIndex {
  readonly headersOnly: string
  readonly blocks: ReadonlyArray<RecordedBlock>
}

/** The time on the clock of the chain, whichever it is. */
export const MOCK_TIME = 1_700_193_573

const OP_TRUE_SCRIPT = Uint8Array.of(0x51)
const MADE_BLOCKS = 110

const recorded = (chain: ChainService) =>
  Effect.gen(function*() {
    const index = JSON.parse(vectorBytes("oracle/chain/index.json").toString()) as RecordedIndex
    const bytes = vectorBytes("oracle/chain/blocks.dat.gz")
    for (const { offset, size } of index.blocks.slice(1)) {
      yield* chain.call("submitBlock", { bytes: new Uint8Array(bytes.subarray(offset, offset + size)) })
    }
    yield* chain.call("submitHeader", { bytes: bytesOfDigits(index.headersOnly)! })
  })

const made = (chain: ChainService) =>
  chain.call("generate", {
    script: OP_TRUE_SCRIPT,
    blocks: MADE_BLOCKS,
    maxTries: 1_000_000,
    transactions: [],
    submit: true
  })

/** Feeds an empty chain: with the recorded one that the recorded calls are about, or with blocks of its own. */
export const feed = (chain: ChainService) =>
  Effect.andThen(
    chain.call("setMockTime", { time: MOCK_TIME }),
    Effect.suspend((): Effect.Effect<unknown, EngineError | EngineFailure> =>
      hasVectors ? recorded(chain) : made(chain)
    )
  )

/** Brings the chain back to where it was, whatever calls have done to it. */
export const restore = (chain: ChainService, home: { readonly hash: Uint8Array; readonly height: number }) =>
  Effect.gen(function*() {
    const isHome = (): boolean => displayHash(chain.state()!.hash) === displayHash(home.hash)
    yield* chain.call("setMockTime", { time: MOCK_TIME })
    for (let tries = 0; tries < 20 && !isHome(); tries++) {
      const above = yield* chain.call("hashAt", { height: home.height + 1 })
      const here = yield* chain.call("hashAt", { height: home.height })
      if (above !== undefined && here !== undefined && displayHash(here) === displayHash(home.hash)) {
        yield* chain.call("invalidateBlock", { hash: above })
      } else {
        yield* chain.call("reconsiderBlock", { hash: home.hash })
        yield* chain.call("preciousBlock", { hash: home.hash })
      }
    }
  })
