import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fs from "node:fs"
import { join } from "node:path"
import { putAside, readSmallFile, replaceSmallFile } from "../../../src/p2p/saved/small-file.ts"
import { ONION_KEY, readOnionKey, writeOnionKey } from "../../../src/p2p/tor/onion-key.ts"
import { I2P_KEY, readI2pKey, writeI2pKey } from "../../../src/p2p/transport/i2p/i2p-key.ts"
import { loadQuicKey } from "../../../src/quic/quic-key.ts"
import { diskCalls } from "../../storage/disk/disk-calls.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

const ONION = `ED25519-V3:${"A".repeat(86)}==`
/** A destination of I2P with a key of Ed25519, and its private key. */
const I2P = new Uint8Array(391 + 256 + 32)
I2P.set([5, 0, 4, 0, 7, 0, 0], 384)

const modeOf = (path: string): number => fs.statSync(path).mode & 0o777

describe("a small file of the network layer", () => {
  it.live("is on disk before it has its name, and its name after that", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const { taken } = yield* diskCalls(directory)
      const path = join(directory, "peers.json")
      assert.isUndefined(yield* replaceSmallFile(path, bytes("first")))
      assert.deepStrictEqual(taken(), ["sync peers.json.new", "rename peers.json.new peers.json", "sync ."])
      assert.deepStrictEqual(yield* readSmallFile(path), {
        bytes: bytes("first"),
        fault: undefined,
        isUnreadable: false
      })
    }))

  it.live("is written in the order of the calls, by the last one at last", () =>
    Effect.gen(function*() {
      const path = join(yield* temporaryDirectory, "peers.json")
      const texts = ["a".repeat(400_000), "b".repeat(10), "c"]
      yield* Effect.all(texts.map((text) => replaceSmallFile(path, bytes(text))), { concurrency: "unbounded" })
      assert.strictEqual(fs.readFileSync(path, "utf8"), "c")
    }))

  it.live("is written before an interruption is over: nothing is written behind a stop", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "peers.json")
      for (const text of ["a".repeat(400_000), "b".repeat(400_000)]) {
        const writing = yield* Effect.forkChild(replaceSmallFile(path, bytes(text)), { startImmediately: true })
        yield* Fiber.interrupt(writing)
        assert.deepStrictEqual(fs.readdirSync(directory), ["peers.json"])
        assert.strictEqual(fs.readFileSync(path, "utf8"), text)
      }
    }))

  it.live("that is not there is empty, and one that cannot be read is reported with its fault", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const missing = join(directory, "missing")
      assert.deepStrictEqual(yield* readSmallFile(missing), { bytes: undefined, fault: undefined, isUnreadable: false })
      assert.match((yield* readSmallFile(directory)).fault ?? "", /EISDIR/)
      assert.match((yield* replaceSmallFile(join(missing, "file"), bytes("x"))) ?? "", /ENOENT/)
      const large = join(directory, "large")
      fs.writeFileSync(large, "")
      fs.truncateSync(large, 64 * 1024 * 1024)
      assert.isUndefined((yield* readSmallFile(large)).fault)
      fs.truncateSync(large, 64 * 1024 * 1024 + 1)
      assert.deepStrictEqual(yield* readSmallFile(large), {
        bytes: undefined,
        fault: "it has 67108865 bytes",
        isUnreadable: false
      })
    }))

  it.live("is moved aside under a name that is free", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "file")
      assert.isUndefined(yield* putAside(path))
      for (const name of ["file.damaged", "file.damaged-2"]) {
        fs.writeFileSync(path, name)
        assert.strictEqual(yield* putAside(path), name)
        assert.strictEqual(fs.readFileSync(join(directory, name), "utf8"), name)
      }
    }))
})

describe("a key of an address of this node", () => {
  it.live("of I2P is synced, for its owner alone, and never replaced", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, I2P_KEY)
      const { taken } = yield* diskCalls(directory)
      assert.isUndefined(yield* readI2pKey(path))
      yield* writeI2pKey(path, I2P)
      assert.deepStrictEqual(taken(), [`sync ${I2P_KEY}`])
      assert.strictEqual(modeOf(path), 0o600)
      assert.deepStrictEqual(yield* readI2pKey(path), I2P)
      assert.match((yield* Effect.flip(writeI2pKey(path, bytes("other")))).message, /cannot be kept in .*: EEXIST/)
      assert.deepStrictEqual(new Uint8Array(fs.readFileSync(path)), I2P)
      fs.writeFileSync(path, "short")
      assert.match((yield* Effect.flip(readI2pKey(path))).message, /holds no key for I2P: restore it/)
      assert.match((yield* Effect.flip(readI2pKey(directory))).message, /cannot be read: EISDIR/)
    }))

  it.live("of an onion service is synced, for its owner alone, and never replaced", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, ONION_KEY)
      const { taken } = yield* diskCalls(directory)
      assert.isUndefined(yield* readOnionKey(path))
      yield* writeOnionKey(path, ONION)
      assert.deepStrictEqual(taken(), [`sync ${ONION_KEY}`])
      assert.strictEqual(modeOf(path), 0o600)
      assert.strictEqual(yield* readOnionKey(path), ONION)
      fs.appendFileSync(path, "\n")
      assert.strictEqual(yield* readOnionKey(path), ONION)
      assert.match((yield* Effect.flip(writeOnionKey(path, "other"))).message, /cannot be kept in .*: EEXIST/)
      for (const text of ["", ONION.slice(1), `${ONION}A`, ONION.replace("==", "A==")]) {
        fs.writeFileSync(path, text)
        assert.match((yield* Effect.flip(readOnionKey(path))).message, /holds no key of an onion service/, text)
      }
      assert.match((yield* Effect.flip(readOnionKey(directory))).message, /cannot be read: EISDIR/)
    }))

  it.live("of QUIC is synced when it is made, for its owner alone, and read after that", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const path = join(directory, "quic_key")
      const { taken } = yield* diskCalls(directory)
      const made = yield* loadQuicKey(path, () => new Uint8Array(32).fill(7))
      assert.deepStrictEqual(taken(), ["sync quic_key"])
      assert.strictEqual(modeOf(path), 0o600)
      assert.deepStrictEqual(yield* loadQuicKey(path, () => new Uint8Array(32)), made)
      assert.deepStrictEqual(taken(), [])
    }))
})
