import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { captureMessages } from "../../../src/p2p/peer/message-capture.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"

const place = Effect.map(temporaryDirectory, (directory) => {
  const failures: Array<string> = []
  const clock = { now: 1_700_000_000_123_456n }
  const capture = captureMessages({
    directory,
    now: () => clock.now++,
    failed: (reason) => void failures.push(reason)
  })
  return { capture, directory, failures }
})

describe("messages that are kept", () => {
  it.effect("are appended to a file of their peer and direction: time, command, length, payload", () =>
    Effect.gen(function*() {
      const { capture, directory, failures } = yield* place
      capture("received", "[2a01::1]:8333", "getblocktxn", Uint8Array.of(1, 2, 3))
      capture("received", "[2a01::1]:8333", "ping", new Uint8Array(0))
      capture("sent", "1.2.3.4:8333", "pong", Uint8Array.of(9))
      assert.sameMembers(readdirSync(directory), ["[2a01__1]_8333", "1.2.3.4_8333"])
      const received = readFileSync(join(directory, "[2a01__1]_8333", "msgs_recv.dat"))
      assert.lengthOf(received, 27 + 24)
      assert.strictEqual(received.readBigInt64LE(0), 1_700_000_000_123_456n)
      assert.strictEqual(received.toString("latin1", 8, 20), "getblocktxn\0")
      assert.strictEqual(received.readUInt32LE(20), 3)
      assert.deepStrictEqual([...received.subarray(24, 27)], [1, 2, 3])
      assert.strictEqual(received.readBigInt64LE(27), 1_700_000_000_123_457n)
      assert.strictEqual(received.toString("latin1", 35, 47), "ping".padEnd(12, "\0"))
      assert.strictEqual(received.readUInt32LE(47), 0)
      const sent = readFileSync(join(directory, "1.2.3.4_8333", "msgs_sent.dat"))
      assert.deepStrictEqual([sent.length, sent.at(-1)], [25, 9])
      assert.deepStrictEqual(failures, [])
    }).pipe(Effect.scoped))

  it.effect("are none any more after one that could not be kept, which is reported once", () =>
    Effect.gen(function*() {
      const { capture, directory, failures } = yield* place
      writeFileSync(join(directory, "1.2.3.4_1"), "a file")
      capture("sent", "1.2.3.4:1", "ping", new Uint8Array(0))
      capture("sent", "1.2.3.4:1", "ping", new Uint8Array(0))
      capture("sent", "1.2.3.4:2", "ping", new Uint8Array(0))
      assert.lengthOf(failures, 1)
      assert.match(failures[0]!, /^Error: EEXIST/)
      assert.deepStrictEqual(readdirSync(directory), ["1.2.3.4_1"])
    }).pipe(Effect.scoped))
})
