import type { Milliseconds } from "../quantities.ts"
import * as Effect from "effect/Effect"
import { statfs } from "node:fs/promises"
import { type ReadClock } from "../clock.ts"
import { type Chain, failureText } from "../engine-client/chain.ts"
import type { ChainState } from "../engine/api/chain-state.ts"
import type { EngineFigures } from "../engine/api/engine-calls.ts"
import type { MempoolFigures } from "../engine/api/mempool-calls.ts"
import type { ThreadFigures } from "../figures/thread-figures.ts"

/** The engine's answer to the call `figures`. */
export type EngineAnswer =
  | { readonly _tag: "Answered"; readonly milliseconds: Milliseconds; readonly figures: EngineFigures }
  /** The engine is busy or still starting. `milliseconds` is the time since its last answer. */
  | { readonly _tag: "Late"; readonly milliseconds: Milliseconds }
  | { readonly _tag: "Gone"; readonly message: string }

/** The state of the node at one moment, for health and metrics. */
export interface NodeFacts {
  /** `undefined` before the engine has started. */
  readonly chain: ChainState | undefined
  readonly engine: EngineAnswer
  /** `undefined` if the engine has not answered in time. */
  readonly mempool: MempoolFigures | undefined
  readonly main: ThreadFigures
  /** `undefined` if the file system does not respond. */
  readonly disk: { readonly free: number; readonly total: number } | undefined
}

/** Milliseconds for which a check of the node waits for the engine. */
const PATIENCE_MS = 2_000

const asking = (chain: Chain["Service"], now: ReadClock): Effect.Effect<EngineAnswer> => {
  let answered = now()
  return Effect.suspend(() => {
    const asked = now()
    return chain.call("figures", undefined).pipe(
      Effect.map((figures): EngineAnswer => {
        answered = now()
        return { _tag: "Answered", milliseconds: answered - asked, figures }
      }),
      Effect.catch((failure) => Effect.succeed<EngineAnswer>({ _tag: "Gone", message: failureText(failure) })),
      Effect.timeoutOption(PATIENCE_MS),
      Effect.map((answer) =>
        answer._tag === "Some" ? answer.value : { _tag: "Late" as const, milliseconds: now() - answered }
      )
    )
  })
}

const askingMempool = (chain: Chain["Service"]): Effect.Effect<MempoolFigures | undefined> =>
  chain.call("mempoolFigures", undefined).pipe(
    Effect.timeout(PATIENCE_MS),
    Effect.orElseSucceed(() => undefined)
  )

const spaceAt = (directory: string): Effect.Effect<NodeFacts["disk"]> =>
  Effect.tryPromise(() => statfs(directory)).pipe(
    Effect.map(({ bavail, blocks, bsize }) => ({ free: bavail * bsize, total: blocks * bsize })),
    Effect.orElseSucceed(() => undefined)
  )

/** Checks the node; takes at most two seconds. */
export const lookingAt = (
  chain: Chain["Service"],
  directory: string,
  main: () => ThreadFigures,
  now: ReadClock
): Effect.Effect<NodeFacts> => {
  const engine = asking(chain, now)
  return Effect.map(
    Effect.all([engine, askingMempool(chain), spaceAt(directory)], { concurrency: 3 }),
    ([answer, mempool, disk]) => ({ chain: chain.state(), engine: answer, mempool, main: main(), disk })
  )
}
