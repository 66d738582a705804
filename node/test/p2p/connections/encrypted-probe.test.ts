import { assert, describe, it } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { frameOf } from "@lockstep/protocol/wire/frame.ts"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { systemEnvironment } from "../../../src/p2p/basics/system-environment.ts"
import { tcpTransport } from "../../../src/p2p/transport/tcp/tcp-transport.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { usualVersion } from "../peer/scripted-peer.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { testLayer } from "./test-layer.ts"
import { patience } from "../../process/patience.ts"

interface Line {
  /** What the node sent before the line ended, or `most` bytes of it. */
  readonly received: Uint8Array
  readonly ended: boolean
}

/**
 * Sends pieces one after another and listens until the node ends the connection, has sent `most` bytes, or a time is
 * over.
 */
const talk = (
  port: number,
  pieces: ReadonlyArray<Uint8Array>,
  most = Infinity,
  milliseconds = patience(10_000)
): Effect.Effect<Line> =>
  Effect.callback<Line>((resume) => {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true })
    const received: Array<Buffer> = []
    let ended = false
    const done = (): void => {
      clearTimeout(timer)
      socket.destroy()
      resume(Effect.succeed({ received: new Uint8Array(Buffer.concat(received)), ended }))
    }
    const timer = setTimeout(done, milliseconds)
    const ends = (): void => {
      ended = true
      done()
    }
    socket.on("error", ends).on("close", ends)
    socket.on("data", (bytes) => {
      received.push(bytes)
      if (received.reduce((sum, { length }) => sum + length, 0) >= most) done()
    })
    socket.on("connect", () => {
      for (const piece of pieces) socket.write(piece)
    })
    return Effect.sync(done)
  })

/** The public key that opens an encrypted connection (BIP324), and garbage behind it: nothing distinguishes it from chance. */
const keyAndGarbage = seededRandom(20_261_124).bytes(64 + 100)

const VERSION = frameOf(REGTEST.magic, usualVersion, testCrypto)

const listening = Effect.flatMap(systemEnvironment, (environment) =>
  Effect.map(
    testLayer({ target: 0, options: { environment, transport: tcpTransport, listen: endpoint("127.0.0.1:0") } }),
    ({ service }) => service
  ))

describe("a peer that would rather speak encrypted, at a node that speaks v1 alone", () => {
  it.live(
    "gets no answer and is disconnected at once, so that it reconnects unencrypted",
    () =>
      Effect.gen(function*() {
        const service = yield* listening
        const { port } = service.listening[0]!
        assert.deepStrictEqual(yield* talk(port, [keyAndGarbage]), { received: new Uint8Array(0), ended: true })
        const plain = yield* talk(port, [VERSION], VERSION.length)
        assert.isFalse(plain.ended)
        assert.deepStrictEqual(plain.received.slice(0, 4), REGTEST.magic)
        assert.isFalse(service.reputation.discouraged.has(endpoint("127.0.0.1:1").address), "it did nothing wrong")
      })
  )

  it.live("is known by its first four bytes, however they come", () =>
    Effect.gen(function*() {
      const service = yield* listening
      const pieces = [...keyAndGarbage.subarray(0, 4)].map((byte) => Uint8Array.of(byte))
      assert.deepStrictEqual(yield* talk(service.listening[0]!.port, pieces), {
        received: new Uint8Array(0),
        ended: true
      })
    }))

  it.live("is waited for while it has said too little to be known", () =>
    Effect.gen(function*() {
      const service = yield* listening
      assert.deepStrictEqual(yield* talk(service.listening[0]!.port, [REGTEST.magic.subarray(0, 3)], 1, 500), {
        received: new Uint8Array(0),
        ended: false
      })
    }))
})
