import * as Effect from "effect/Effect"
import { statfs } from "node:fs/promises"
import type { Chain } from "../chain/chain.ts"
import type { ChainState } from "../engine/calls/chain-state.ts"
import type { EngineFigures } from "../engine/calls/engine-calls.ts"
import type { ThreadFigures } from "./thread-figures.ts"

/** What the engine answered when it was asked how it is doing. */
export type EngineAnswer =
  | { readonly _tag: "Answered"; readonly milliseconds: number; readonly figures: EngineFigures }
  /** It is busy, or still starting. */
  | { readonly _tag: "Late"; readonly milliseconds: number }
  | { readonly _tag: "Gone"; readonly message: string }

/** The node at one moment, as health and metrics see it. */
export interface NodeFacts {
  /** None before the engine has started. */
  readonly chain: ChainState | undefined
  readonly engine: EngineAnswer
  readonly main: ThreadFigures
  /** None: the file system does not answer. */
  readonly disk: { readonly free: number; readonly total: number } | undefined
}

/** How long a look at the node waits for the engine. */
const PATIENCE_MS = 2_000

const askEngine = (chain: Chain["Service"]): Effect.Effect<EngineAnswer> =>
  Effect.suspend(() => {
    const asked = performance.now()
    const milliseconds = (): number => performance.now() - asked
    return chain.call("figures", undefined).pipe(
      Effect.map((figures): EngineAnswer => ({ _tag: "Answered", milliseconds: milliseconds(), figures })),
      Effect.catch(({ message }) => Effect.succeed<EngineAnswer>({ _tag: "Gone", message })),
      Effect.timeoutOption(PATIENCE_MS),
      Effect.map((answer) => answer._tag === "Some" ? answer.value : { _tag: "Late" as const, milliseconds: milliseconds() })
    )
  })

const spaceAt = (directory: string): Effect.Effect<NodeFacts["disk"]> =>
  Effect.tryPromise(() => statfs(directory)).pipe(
    Effect.map(({ bavail, blocks, bsize }) => ({ free: bavail * bsize, total: blocks * bsize })),
    Effect.orElseSucceed(() => undefined)
  )

/** Looks at the node now; takes two seconds at the longest. */
export const lookAt = (chain: Chain["Service"], directory: string, main: () => ThreadFigures): Effect.Effect<NodeFacts> =>
  Effect.map(Effect.all([askEngine(chain), spaceAt(directory)], { concurrency: 2 }), ([engine, disk]) =>
    ({ chain: chain.state(), engine, main: main(), disk }))
