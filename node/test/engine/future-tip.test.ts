import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { OPEN_ADDRESS } from "../crash/open-wallet.ts"
import { spawnNode, startNode } from "../process/node-process.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { testEngine } from "./test-engine.ts"

const NOW = 1_700_000_000
const WORDS =
  "The block database contains a block which appears to be from the future. This may be due to your computer's date and " +
  "time being set incorrectly. Only rebuild the block database if you are sure that your computer's date and time are correct"
const DAY = 86_400
const TOKEN = "future-admin"

const startAt = (directory: string, mockTime: number) => Effect.scoped(testEngine({ directory, mockTime }))

describe("a chain whose tip is from the future", () => {
  it.live("is refused more than two hours ahead, by the mocked clock where there is one, and not before", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const { call, chain } = yield* testEngine({ directory, mockTime: NOW })
        yield* call("generate", {
          script: Uint8Array.of(0x51),
          blocks: 1,
          maxTries: 1_000_000,
          transactions: [],
          submit: true
        })
        assert.strictEqual(chain.tree.tip.header.time, NOW)
        yield* call("flush", undefined)
      }))
      yield* startAt(directory, NOW - 7_200)
      const refused = yield* Effect.flip(startAt(directory, NOW - 7_201))
      assert.include(refused.message, WORDS)
      assert.include(
        refused.message,
        "at height 1, is of 2023-11-14T22:13:20.000Z, and the clock says 2023-11-14T20:13:19.000Z"
      )
      assert.include(refused.message, "run `lockstep rebuild`")
      // What was refused is as it was.
      yield* startAt(directory, NOW)
    }))

  it.live("keeps a node from starting, and the advice helps", () =>
    Effect.gen(function*() {
      const root = yield* temporaryDirectory
      const [data, config] = [join(root, "data"), join(root, "node.toml")]
      writeFileSync(config, `transport_preference = "tcponly"\n[rpc_auth]\nadmin_tokens = ["${TOKEN}"]\n`)
      const options = { token: TOKEN, args: ["--config", config] }
      const command = (name: string) =>
        spawnNode([name, "--network", "regtest", "--data-dir", data, "--config", config]).ended
      yield* Effect.promise(async () => {
        const node = await startNode(data, options)
        await node.client.call("generatetoaddress", 3, OPEN_ADDRESS)
        await node.client.call("setmocktime", Math.floor(Date.now() / 1_000) + DAY)
        await node.client.call("generatetoaddress", 2, OPEN_ADDRESS)
        await node.client.call("stop")
        await node.ended
        node.client.close()

        const refused = await command("start")
        assert.notStrictEqual(refused.exitCode, 0)
        assert.include(refused.stderr, WORDS)
        assert.strictEqual((await command("rebuild")).exitCode, 0)
        const again = await startNode(data, options)
        assert.strictEqual(await again.client.call("getblockcount"), 3)
        again.signal("SIGTERM")
        assert.strictEqual((await again.ended).exitCode, 0)
        again.client.close()
      })
    }))
})
