import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { plantChain, type Planned, plantedRoot, PLANTED_AT } from "./planted-blocks.ts"
import { closeSession, openSession, reopen, type Session } from "./session.ts"

const [first, second, third] = [1, 11, 21].map((tag) => plantChain(plantedRoot(), 3, tag))
const BRANCHES = [first!, second!, third!]

const endOf = (branch: ReadonlyArray<Planned>): Uint8Array => branch.at(-1)!.node.hash

const tipOf = ({ engine }: Session): number =>
  BRANCHES.findIndex((branch) => Buffer.compare(endOf(branch), engine.chain.tree.tip.hash) === 0)

const submit = ({ engine }: Session, branch: ReadonlyArray<Planned>) =>
  Effect.forEach(branch, ({ bytes }) => engine.call("submitBlock", { bytes: bytes.slice() }))

/** Three branches of equal work, of which this one is active when the engine stops and starts again. */
const restartedOn = Effect.fnUntraced(function*(active: number) {
  const session = yield* openSession({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
  for (const branch of BRANCHES) yield* submit(session, branch)
  assert.strictEqual(tipOf(session), 0, "the one that came first")
  if (active !== 0) yield* session.engine.call("preciousBlock", { hash: endOf(BRANCHES[active]!).slice() })
  assert.strictEqual(tipOf(session), active)
  yield* session.engine.call("flush", undefined)
  yield* reopen(session, PLANTED_AT)
  return session
})

describe("branches of equal work after a restart", () => {
  for (const active of [0, 1, 2]) {
    it.live(`the active one stays, and is taken for the one that came first: branch ${active}`, () =>
      Effect.gen(function*() {
        const session = yield* restartedOn(active)
        const { call } = session.engine
        assert.strictEqual(tipOf(session), active)
        const { hash } = BRANCHES[active]![2]!.node
        yield* call("invalidateBlock", { hash: hash.slice() })
        assert.notStrictEqual(tipOf(session), active)
        yield* call("reconsiderBlock", { hash: hash.slice() })
        assert.strictEqual(tipOf(session), active)
        // One that is new is later than all of them.
        const late = plantChain(plantedRoot(), 3, 31)
        yield* submit(session, late)
        assert.strictEqual(tipOf(session), active)
        yield* closeSession(session)
      }))
  }
})

describe("a branch of as much work that is asked for", () => {
  it.live("stays away while it counts as invalid", () =>
    Effect.gen(function*() {
      const session = yield* openSession({ directory: yield* temporaryDirectory, mockTime: PLANTED_AT })
      const { call } = session.engine
      for (const branch of BRANCHES) yield* submit(session, branch)
      yield* call("invalidateBlock", { hash: endOf(BRANCHES[1]!).slice() })
      yield* call("preciousBlock", { hash: endOf(BRANCHES[1]!).slice() })
      assert.strictEqual(tipOf(session), 0)
      yield* call("reconsiderBlock", { hash: endOf(BRANCHES[1]!).slice() })
      yield* call("preciousBlock", { hash: endOf(BRANCHES[1]!).slice() })
      assert.strictEqual(tipOf(session), 1)
      yield* closeSession(session)
    }))
})
