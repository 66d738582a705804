import * as Effect from "effect/Effect"
import { assert, it } from "@effect/vitest"
import { readdirSync, readlinkSync } from "node:fs"
import { startRelay } from "../transport/udp-relay.ts"
import { insideOf } from "../hostile/node-under-attack.ts"
import { ADDRESS, coinsOf, type Place, type PlacedNode, until } from "./place.ts"

/** A transport over UDP that whole nodes are tried with. */
export interface UdpSubject {
  readonly name: "quic" | "iroh"
  /** The preference that has it alone. */
  readonly preference: string
  readonly place: Pick<Place, "start" | "stop">
  /** The token of the place. */
  readonly token: string
}

const BLOCKS = 60
const SEED = 20_261_123
const LOST = 0.05

interface Listening {
  readonly transports: ReadonlyArray<{ readonly name: string; readonly listening: ReadonlyArray<string> }>
}

/** The address of a node over a transport, as it says it. */
export const addressOver = async ({ call }: PlacedNode, name: string): Promise<string> => {
  const { transports } = await call<Listening>("getnetworkinfo")
  return transports.find((each) => each.name === name)!.listening[0]!
}

const peersOf = ({ call }: PlacedNode): Promise<ReadonlyArray<{ readonly transport_protocol_type: string }>> =>
  call("getpeerinfo")

/** Sockets that a process has open. */
const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`).startsWith("socket:")
    } catch {
      return false
    }
  }).length

const inSync = (one: PlacedNode, other: PlacedNode): Promise<void> =>
  until(
    "both have the same tip",
    async () => await one.call("getbestblockhash") === await other.call("getbestblockhash")
  )

/** Whole nodes over one transport: a bad line, and a peer that is killed. */
export const triedOverUdp = ({ name, place: { start, stop }, preference, token }: UdpSubject): void => {
  const begin = (of: string) => start(`${name}-${of}`, ["--set", `transport_preference=${preference}`])

  it.live("a chain syncs over a line that drops one datagram in twenty, to the same tip and coins", () =>
    Effect.gen(function*() {
      const [miner, other] = yield* Effect.promise(() => Promise.all([begin("lossy"), begin("behind")]))
      const address = yield* Effect.promise(() => addressOver(miner, name))
      const relay = yield* startRelay(Number(/:(\d+)$/.exec(address)![1]), LOST, SEED)
      yield* Effect.promise(async () => {
        await miner.call("generatetoaddress", BLOCKS, ADDRESS)
        await other.call("addnode", address.replace(/:\d+$/, `:${relay.port}`), "add")
        await inSync(miner, other)
        assert.strictEqual(await coinsOf(other), await coinsOf(miner))
        assert.strictEqual((await peersOf(other))[0]!.transport_protocol_type, name)
        await Promise.all([stop(other), stop(miner)])
      })
      // Iroh may leave the relay for a direct path once both sides know their addresses.
      if (name === "quic") assert.isAbove(relay.counts.dropped, 0)
      assert.isAbove(relay.counts.passed, 0)
    }).pipe(Effect.scoped))

  it.runIf(process.platform === "linux")(
    "a peer that is killed leaves no fiber, no connection and no socket with the other",
    async () => {
      const [node, killed] = await Promise.all([begin("survivor"), begin("killed")])
      const inside = () => insideOf(node.running, token)
      await inside()
      const before = socketsOf(node.running.pid)
      await killed.call("addnode", await addressOver(node, name), "add")
      await until("they are connected", async () => (await peersOf(node)).length === 1)
      const { connections, fibers } = await inside()
      assert.deepStrictEqual([connections, fibers], [1, 1])
      await stop(killed, "SIGKILL")
      await until("the peer is gone", async () => (await peersOf(node)).length === 0)
      const after = await inside()
      assert.deepStrictEqual([after.connections, after.fibers], [0, 0])
      await until("no socket is left", async () => socketsOf(node.running.pid) <= before)
      await stop(node)
    }
  )
}
