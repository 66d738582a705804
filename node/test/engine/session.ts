import { displayHexOf } from "@lockstep/conformance/formats/hex.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { ConnectError } from "../../src/engine/chainstate/connect-error.ts"
import type { CallsWith } from "../../src/engine/chainstate/extension.ts"
import type { RunningEngine } from "../../src/engine/host/engine.ts"
import { isActive } from "../../src/engine/header-index/active-chain.ts"
import { HeaderStatus } from "../../src/engine/header-index/header-status.ts"
import { has, type HeaderIndex, isLinked } from "../../src/engine/header-index/header-index.ts"
import { chainTips } from "../../src/engine/queries/chain-tips.ts"
import type { View } from "./model.ts"
import { type Extensions, testEngine, type TestEngineOptions } from "./test-engine.ts"

/** An engine that is stopped and started again on the same directory. */
export interface Session<E extends Extensions = readonly []> {
  options: TestEngineOptions<E>
  engine: RunningEngine<CallsWith<E>>
  scope: Scope.Closeable
}

export const openSession = Effect.fnUntraced(
  function*<const E extends Extensions = readonly []>(
    options: TestEngineOptions<E>
  ): Effect.fn.Return<Session<E>, ConnectError> {
    const scope = yield* Scope.make()
    const engine = yield* Scope.provide(testEngine(options), scope)
    return { options, engine, scope }
  }
)

/** Stops the engine as a kill does, and starts it again, perhaps with other options. */
export const reopen = Effect.fnUntraced(function*<E extends Extensions>(
  session: Session<E>,
  mockTime: number,
  changes: Partial<TestEngineOptions<E>> = {}
): Effect.fn.Return<void, ConnectError> {
  yield* Scope.close(session.scope, Exit.void)
  session.options = { ...session.options, ...changes, mockTime }
  const next = yield* openSession(session.options)
  session.engine = next.engine
  session.scope = next.scope
})

export const closeSession = ({ scope }: Pick<Session, "scope">): Effect.Effect<void> => Scope.close(scope, Exit.void)

/** The chain as its calls answer it. */
export const viewOf = ({ chain }: RunningEngine): View => ({
  tip: displayHexOf(chain.tree.tip.hash),
  headers: chain.tree.bestHeader.height,
  tips: chainTips(chain.tree).map((tip) => `${tip.height} ${displayHexOf(tip.hash)} ${tip.branchLength} ${tip.status}`)
    .toSorted().join("; ")
})

/** Numbers from 0 to 1 that depend on the seed alone. */
export const randomFrom = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * Whether a restart leaves open which of two branches was seen first, or which of two blocks that wait for a parent:
 * Bitcoin Core then goes by their place in memory.
 */
export const forgetsAnOrder = (tree: HeaderIndex): boolean => {
  const off = tree.nodes.filter((node) => isLinked(tree, node) && !isActive(tree, node)).map(({ height }) => height)
  const waiting = tree.nodes.filter((node) => has(tree, node, HeaderStatus.STORED) && !isLinked(tree, node))
  return new Set(off).size < off.length || new Set(waiting.map(({ parent }) => parent)).size < waiting.length
}
