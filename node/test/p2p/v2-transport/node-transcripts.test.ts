import { assert, describe, it } from "@effect/vitest"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { crypted } from "@lockstep/protocol/wire/v2-transport/packet-cipher.ts"
import * as Effect from "effect/Effect"
import { type RawEnd, rawEnd } from "./raw-end.ts"
import { acceptRaw, connectRaw, type RawSocket, until } from "./raw-socket.ts"
import { bytesOf, hexOf, type Scenario, scenarios, type TranscriptRow } from "./transcripts.ts"
import { testTransportCrypto } from "./transport-crypto.ts"
import { socketNode } from "./socket-node.ts"

const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => i === at ? byte ^ 1 : byte)

/** What a recorded row sends, with the keys of the connection at hand in place of the recorded ones. */
const rebuilt = (row: TranscriptRow, end: RawEnd): Uint8Array => {
  const { aad = "", contents, ignore, s, what = "" } = row
  const keys = end.keys()!
  if (what === "garbage terminator") return keys.ownTerminator
  if (what === "wrong terminator") return flipped(keys.ownTerminator, 3)
  if (what === "length field") {
    const length = Number(s.replace("len_", ""))
    return crypted(keys.sending, Uint8Array.of(length, length >>> 8, length >>> 16))
  }
  if (contents === undefined) return bytesOf(row.hex!)
  const plain = contents === null ? new Uint8Array(row.hex!.length / 2 - 20) : bytesOf(contents)
  const sealed = end.seal(plain, { isDecoy: ignore === true, aad: bytesOf(aad) })
  if (!what.includes("damaged")) return sealed
  return flipped(sealed, what.includes("length") ? 0 : sealed.length - 1)
}

/** Rows that go out as they were recorded: the start of a connection. */
const isPlain = ({ what = "" }: TranscriptRow): boolean =>
  what === "public key and garbage" || what === "part of the key" || what.startsWith("v1 ") || what === "text"

const endFor = ({ head, name }: Scenario): RawEnd =>
  rawEnd({
    crypto: testTransportCrypto,
    // That peer is of another network, and speaks v2 with ours.
    magic: (name === "bad_other_network" ? MAINNET : REGTEST).magic,
    privateKey: bytesOf(head.ourPrivateKey!),
    encoded: bytesOf(head.ourEllswift!),
    isInitiator: head.role === "responder"
  })

/** Plays the recorded peer on a socket; answers what the node's packets were. */
const play = async (scenario: Scenario, socket: RawSocket): Promise<RawEnd> => {
  const end = endFor(scenario)
  socket.listen((bytes) => {
    if (scenario.name !== "bad_other_network" && !scenario.name.startsWith("v1_")) end.receive(bytes)
    else if (end.keys() === undefined && scenario.name === "bad_other_network") end.receive(bytes.subarray(0, 64))
  })
  for (const row of scenario.rows) {
    if (row.d !== "send") continue
    if (isPlain(row)) socket.send(bytesOf(row.hex!))
    else {
      await until("the key of the node", () => socket.isClosed() || end.keys() !== undefined)
      if (end.keys() !== undefined) socket.send(rebuilt(row, end))
    }
  }
  return end
}

/** Contents of pongs: short id 19, or the long form, and the number. */
const pongsIn = (packets: ReadonlyArray<string>): ReadonlyArray<string> =>
  packets.filter((contents) => contents.startsWith("13") && contents.length === 18).toSorted()

const typesIn = (packets: ReadonlyArray<string>): ReadonlyArray<string> =>
  packets.filter((contents) => contents.startsWith("00")).map((contents) => contents.slice(2, 26)).toSorted()

const isDetecting = ({ effect }: Scenario): boolean => effect.peers![0]?.transport_protocol_type === "detecting"

const all = scenarios()
const inbound = all.filter(({ head }) => head.role === "responder")
const outbound = all.filter(({ head, name }) => head.role === "initiator" && !name.includes("reconnect"))

/** What the node must do, as Bitcoin Core did. */
const judge = async (
  scenario: Scenario,
  socket: RawSocket,
  end: RawEnd,
  peer: () => { kind: () => string; sessionId: () => Uint8Array | undefined } | undefined
): Promise<void> => {
  const { effect } = scenario
  if (effect.disconnected === true) {
    return until("the node disconnects", () => socket.isClosed() || scenario.name === "out_close_after_key")
  }
  if (isDetecting(scenario)) {
    await until("the key of the node", () => socket.received().length >= 64)
    assert.strictEqual(peer()?.kind(), "detecting")
    return
  }
  const wanted = effect.packetsFromNode!.map(({ contents }) => contents)
  const received = (): ReadonlyArray<string> => end.packets.slice(1).map(hexOf)
  await until("its pongs", () => pongsIn(received()).length >= pongsIn(wanted).length)
  assert.deepStrictEqual(pongsIn(received()), pongsIn(wanted))
  for (const type of typesIn(wanted)) assert.include(typesIn(received()), type)
  assert.strictEqual(peer()?.kind(), effect.peers![0]!.transport_protocol_type)
  if (peer()?.kind() === "v2") assert.strictEqual(hexOf(peer()!.sessionId()!), hexOf(end.keys()!.sessionId))
  assert.isFalse(socket.isClosed())
}

describe.skipIf(all.length === 0)("a node does what Bitcoin Core did with a v2 peer", () => {
  it.live.each(inbound.map((scenario) => [scenario.name, scenario] as const))(
    "%s",
    ([, scenario]) =>
      Effect.gen(function*() {
        const { service } = yield* socketNode()
        const socket = yield* Effect.promise(() => connectRaw(service.listening[0]!.port))
        const end = yield* Effect.promise(() => play(scenario, socket))
        if (scenario.name === "v1_fallback") {
          yield* Effect.promise(() => until("its version", () => socket.received().length >= 16))
          assert.strictEqual(hexOf(socket.received().subarray(0, 16)), "fabfb5da76657273696f6e0000000000")
        }
        yield* Effect.promise(() => judge(scenario, socket, end, () => [...service.peers.values()][0]?.transport))
        if (scenario.name === "v1_other_magic") assert.strictEqual(socket.received().length, 0)
        socket.close()
      })
  )

  it.live.each(outbound.map((scenario) => [scenario.name, scenario] as const))(
    "%s",
    ([, scenario]) =>
      Effect.gen(function*() {
        const { service } = yield* socketNode()
        const server = yield* Effect.promise(acceptRaw)
        service.connections.manual.once(`127.0.0.1:${server.port}`)
        yield* Effect.promise(() => until("it connects", () => server.accepted.length > 0))
        const socket = server.accepted[0]!
        const end = yield* Effect.promise(() => play(scenario, socket))
        if (scenario.name === "out_close_after_key") {
          // The node has read our key once its own terminator is there.
          yield* Effect.promise(() => until("its answer", () => end.packets.length > 0))
          socket.close()
          yield* Effect.promise(() => until("it has noticed", () => service.peers.size === 0))
          yield* Effect.sleep(700)
          assert.strictEqual(server.accepted.length, 1)
        }
        yield* Effect.promise(() => judge(scenario, socket, end, () => [...service.peers.values()][0]?.transport))
        server.close()
      })
  )

  it.live("out_reconnect_v1", () =>
    Effect.gen(function*() {
      const { service } = yield* socketNode()
      const server = yield* Effect.promise(acceptRaw)
      service.connections.manual.once(`127.0.0.1:${server.port}`)
      yield* Effect.promise(() => until("its key", () => (server.accepted[0]?.received().length ?? 0) >= 64))
      server.accepted[0]!.close()
      yield* Effect.promise(() => until("its version", () => (server.accepted[1]?.received().length ?? 0) >= 24))
      assert.strictEqual(
        hexOf(server.accepted[1]!.received().subarray(0, 16)),
        "fabfb5da76657273696f6e0000000000"
      )
      assert.strictEqual([...service.peers.values()].at(-1)?.transport.kind(), "v1")
      server.close()
    }))
})
