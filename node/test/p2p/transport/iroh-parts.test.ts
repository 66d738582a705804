import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parseEndpoint } from "../../../src/net/endpoint-text.ts"
import type { IrohConnection, IrohStream } from "../../../src/p2p/transport/iroh/iroh-binding.ts"
import { irohPackages, loadIrohBinding } from "../../../src/p2p/transport/iroh/iroh-binding.ts"
import { libraryFault, isOtherIdentity } from "../../../src/p2p/transport/iroh/iroh-fault.ts"
import { placesFor } from "../../../src/p2p/transport/iroh/iroh-sockets.ts"
import { ownerOf, streamOf } from "../../../src/p2p/transport/iroh/iroh-stream.ts"
import { startIroh } from "../../../src/p2p/transport/iroh/start-iroh.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"

describe("the binding for Iroh", () => {
  it("has a package for each platform, by Node.js's names", () => {
    assert.deepStrictEqual(irohPackages("linux", "x64"), [
      "@number0/iroh-linux-x64-gnu",
      "@number0/iroh-linux-x64-musl"
    ])
    assert.deepStrictEqual(irohPackages("win32", "arm64"), ["@number0/iroh-win32-arm64-msvc"])
    assert.deepStrictEqual(irohPackages("darwin", "arm64"), ["@number0/iroh-darwin-arm64"])
  })

  it.effect("a machine without the binary is refused with the package to install", () =>
    Effect.gen(function*() {
      const loaded = loadIrohBinding(() => {
        throw new Error("Cannot find module")
      }, ["@number0/iroh-plan9-x64"])
      const { message } = yield* Effect.flip(startIroh("unused", seededRandom(1), 1_000, loaded))
      assert.strictEqual(
        message,
        "transport_preference allows Iroh, and its binary for this machine cannot be loaded: install " +
          "@number0/iroh-plan9-x64@1.1.0, or set transport_preference = \"tcponly\" (Cannot find module)"
      )
    }))

  it("a fault is the innermost cause, without places in the library's source", () => {
    const fault = new Error(
      "ConnectError::Connecting (/root/iroh/endpoint.rs:1060:20)\nCaused by:\n    ConnectingError (/rust/poll.rs:2:3)\n" +
        "    the cryptographic handshake failed: error 48: invalid peer certificate: UnknownIssuer\n\n" +
        "Stack backtrace:\n   0: anyhow::msg\n"
    )
    assert.strictEqual(
      libraryFault(fault),
      "the cryptographic handshake failed: error 48: invalid peer certificate: UnknownIssuer"
    )
    assert.isTrue(isOtherIdentity(fault))
    assert.strictEqual(libraryFault(new Error("timed out")), "timed out")
    assert.isFalse(isOtherIdentity(new Error("timed out")))
  })
})

describe("sockets of Iroh", () => {
  it("stay on the loopback interface in both families beside a place there", () => {
    assert.strictEqual(placesFor(parseEndpoint("127.0.0.1:9", 0)!)[0], "127.0.0.1:9")
    assert.isTrue(
      placesFor(parseEndpoint("127.0.0.1:9", 0)!).every((place) => /^127\.0\.0\.1:9$|^\[::1\]:0$/.test(place))
    )
    assert.deepStrictEqual(placesFor(parseEndpoint("[::1]:9", 0)!), ["[::1]:9", "127.0.0.1:0"])
    assert.deepStrictEqual(placesFor(parseEndpoint("192.0.2.1:9", 0)!), ["192.0.2.1:9"])
  })
})

describe("a stream of Iroh", () => {
  it("crosses the binding in pieces of 64 KiB, and ends with a read of nothing", async () => {
    const written: Array<ReadonlyArray<number>> = []
    const asked: Array<number> = []
    const answers: Array<ReadonlyArray<number>> = [[7, 8], []]
    const stream: IrohStream = {
      send: { writeAll: async (bytes) => void written.push(bytes) },
      recv: {
        read: async (most) => {
          asked.push(most)
          return answers.shift()!
        }
      }
    }
    const { read, write } = streamOf(stream)
    await write(new Uint8Array(140_000).fill(5))
    assert.deepStrictEqual(written.map(({ length }) => length), [65_536, 65_536, 8_928])
    assert.isTrue(written.every((bytes) => Array.isArray(bytes) && bytes.every((byte) => byte === 5)))
    assert.deepStrictEqual(await read(1_000_000), Uint8Array.of(7, 8))
    assert.strictEqual(await read(100), null)
    assert.deepStrictEqual(asked, [65_536, 100])
  })

  it("is closed by the peer only where the library says so", async () => {
    const owner = (words: string) =>
      ownerOf({ closed: async () => words, close: () => undefined } as unknown as IrohConnection)
    for (const [words, frames] of [["closed by peer: bye (code 0)", 1], ["timed out", 0]] as const) {
      const made = owner(words)
      await made.closed()
      assert.strictEqual(made.stats().frameRxConnectionClose, frames)
    }
  })
})
