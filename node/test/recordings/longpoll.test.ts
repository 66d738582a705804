import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { regtestServer, type Shown } from "../rpc/regtest-server.ts"
import { recordingsFolder } from "./conversation.ts"

/** A request with a `longpollid`, what happened to the node meanwhile, and what Bitcoin Core answered. */
interface Case {
  readonly case: string
  readonly longpollid: string | number
  readonly answeredBeforeEvent: boolean
  readonly newPreviousblock?: boolean
  readonly longpollidChanged?: boolean
  readonly error?: { readonly code: number; readonly message: string }
}

const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
/** Milliseconds after which a request that is not answered yet waits. */
const SOON = 300

const folder = recordingsFolder("template")
const file = folder === undefined ? "" : join(folder, "longpoll.json")
const isPlayed = ({ case: name }: Case): boolean =>
  // It takes a minute: `rpc/template-wait.test.ts` has it with another clock.
  name !== undefined && !name.includes("a transaction arrives")
const cases: ReadonlyArray<Case> = existsSync(file)
  ? JSON.parse(readFileSync(file, "utf8")).cases.filter(isPlayed)
  : []

/** The recorded id with the tip of this node. */
const idHere = ({ case: name, longpollid }: Case, { longpollid: current, previousblockhash: tip }: Shown): unknown => {
  if (longpollid === "<current>") return current
  return /tip with|of the tip/.test(name) ? `${tip}${String(longpollid).slice(64)}` : longpollid
}

const play = (each: Case) =>
  Effect.gen(function*() {
    const { call, show, shutdown } = yield* regtestServer()
    yield* call("generatetoaddress", 2, ADDRESS)
    const before: Shown = yield* show("getblocktemplate", { rules: ["segwit"] })
    const longpollid = idHere(each, before)
    const asked = yield* Effect.forkChild(call("getblocktemplate", { rules: ["segwit"], longpollid }), {
      startImmediately: true
    })
    if (!each.answeredBeforeEvent) {
      yield* Effect.sleep(SOON)
      assert.isUndefined(asked.pollUnsafe(), "it waits")
      if (each.case.includes("invalidated")) yield* call("invalidateblock", before.previousblockhash)
      else if (each.case.includes("stops")) yield* shutdown.request("rpc")
      else yield* call("generatetoaddress", 1, ADDRESS)
    }
    const { error, result } = yield* Fiber.join(asked)
    return { before, error, result: result as Shown }
  })

describe.skipIf(cases.length === 0)("a long poll as recorded from Bitcoin Core", () => {
  for (const each of cases) {
    it.live(each.case, () =>
      Effect.gen(function*() {
        const { before, error, result } = yield* play(each)
        if (each.error !== undefined) return assert.deepStrictEqual(error, each.error)
        assert.isUndefined(error)
        assert.isDefined(result)
        if (each.newPreviousblock !== undefined) {
          assert.strictEqual(result.previousblockhash !== before.previousblockhash, each.newPreviousblock)
          assert.strictEqual(result.longpollid !== before.longpollid, each.longpollidChanged)
        }
      }))
  }
})
