import { afterAll, assert, describe, it } from "@effect/vitest"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import { endpointText, parseEndpoint } from "../../../src/net/endpoint-text.ts"
import { onionText } from "../../../src/net/onion.ts"
import { i2pEndpoint, startSam } from "../i2p/sam-server.ts"
import { framed, framedPayload } from "../sockets/regtest-wire.ts"
import {
  type Answer,
  connectPeer,
  politeness,
  waitForNode,
  type WaitingPeer,
  type WirePeer
} from "../sockets/wire-peer.ts"
import { startProxy } from "../transport/proxy-server.ts"
import { pause, place, type PlacedNode, until } from "./place.ts"
import { ADDRESS, minedCoins, type Signed, spend } from "./spent-coins.ts"

const nodes = place("private-broadcast")

afterAll(nodes.clear)

const ONION = Array.from({ length: 12 }, (_, i) => onionText(new Uint8Array(32).fill(i + 1)))

interface Info {
  readonly transactions: ReadonlyArray<{
    readonly txid: string
    readonly wtxid: string
    readonly hex: string
    readonly time_added: number
    readonly peers: ReadonlyArray<{ readonly address: string; readonly sent: number; readonly received?: number }>
  }>
}

const settings = (values: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(values).flatMap(([key, value]) => ["--set", `${key}=${value}`])

const rawHash = (id: string): Uint8Array => Uint8Array.from(Buffer.from(id, "hex").reverse())

/** Requests what is offered, and answers pings. */
const taking: Answer = (message, say) => {
  politeness(message, say)
  if (message.command === "inv") say({ command: "getdata", inventory: message.inventory })
}

/** Takes the transaction and never says so. */
const swallowing: Answer = (message, say) => {
  if (message.command === "inv") say({ command: "getdata", inventory: message.inventory })
}

const infoOf = ({ call }: PlacedNode): Promise<Info> => call<Info>("getprivatebroadcastinfo")

const poolOf = ({ call }: PlacedNode): Promise<ReadonlyArray<string>> => call("getrawmempool")

const errorOf = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(() => "no error", (error: unknown) => error instanceof Error ? error.message : String(error))

const atOf = ({ port }: WaitingPeer) => parseEndpoint(`127.0.0.1:${port}`, 0)!

const finished = ({ links }: WaitingPeer, count: number): boolean =>
  links.length >= count && links.slice(0, count).every(({ isClosed }) => isClosed())

/** A transaction comes from a peer that announces it. */
const comeBack = async (node: PlacedNode, { hex, txid }: Signed): Promise<WirePeer> => {
  const peer = await connectPeer(node.p2pPort, (message, say) => {
    politeness(message, say)
    if (message.command === "getdata") peer.sayPayload("tx", Buffer.from(hex, "hex"))
  })
  await until("it is connected", async () => peer.commands().includes("verack"))
  peer.say({ command: "inv", inventory: [{ type: InventoryType.TX, hash: rawHash(txid) }] })
  return peer
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** What the node says on a private connection, byte for byte but for the random numbers. */
const assertConversation = (link: WirePeer, { hex, txid }: Signed): void => {
  assert.deepStrictEqual(link.commands(), ["version", "verack", "inv", "tx", "ping"])
  const [version, , , , ping] = link.received
  if (version?.command !== "version" || ping?.command !== "ping") assert.fail("no version and no ping")
  const nonce = Buffer.alloc(8)
  nonce.writeBigUInt64LE(version.sender!.nonce)
  const nowhere = new Uint8Array(26)
  const payload = Buffer.concat([
    Buffer.from("80110100", "hex"),
    new Uint8Array(16),
    nowhere,
    nowhere,
    nonce,
    Buffer.from("\x0e/pynode:0.0.1/"),
    new Uint8Array(5)
  ])
  assert.notStrictEqual(ping.nonce, 0n)
  assert.strictEqual(
    hexOf(link.bytes()),
    hexOf(Buffer.concat([
      framedPayload("version", payload),
      framedPayload("verack", new Uint8Array()),
      framedPayload("inv", Buffer.concat([Buffer.from("0101000000", "hex"), rawHash(txid)])),
      framedPayload("tx", Buffer.from(hex, "hex")),
      framed(ping)
    ]))
  )
}

/** No connections but private ones and those of tests. */
const NO_OTHERS = ["--target-peer-count", "0"]

/** A node that sends its own transactions through the proxy alone, and knows nodes behind it. */
const startPrivate = async (
  name: string,
  proxy: { readonly at: Parameters<typeof endpointText>[0] },
  more: Readonly<Record<string, string>> = {}
): Promise<PlacedNode> => {
  const node = await nodes.start(name, [
    ...settings({
      "connections.onion_proxy": endpointText(proxy.at),
      "relay.private_broadcast": "true",
      ...more
    }),
    ...NO_OTHERS
  ])
  for (const address of ONION) await node.call("addpeeraddress", address, 8_333)
  return node
}

describe("private broadcast, in a node as an operator runs it", () => {
  it.live("sends a transaction to three peers behind Tor, and keeps it out of the mempool until it comes back", () =>
    Effect.gen(function*() {
      const receiver = yield* Effect.promise(() => waitForNode(taking))
      const proxy = yield* startProxy({ to: atOf(receiver), login: true })
      yield* Effect.promise(async () => {
        const node = await startPrivate("sends", proxy)
        try {
          const [coin] = await minedCoins(node, 1)
          const signed = await spend(node, coin!)
          const bystander = await connectPeer(node.p2pPort)
          assert.deepStrictEqual(await infoOf(node), { transactions: [] })
          assert.strictEqual(await node.call("sendrawtransaction", signed.hex), signed.txid)
          await until("three peers have got it", async () => finished(receiver, 3))
          for (const link of receiver.links) assertConversation(link, signed)

          // Each has a path of its own through Tor, and another peer at its end.
          assert.strictEqual(new Set(proxy.asked.map(({ username }) => username)).size, 3)
          assert.strictEqual(new Set(proxy.asked.map(({ host }) => host)).size, 3)
          assert.includeMembers([...ONION], proxy.asked.map(({ host }) => host))

          const { transactions: [queued, ...others] } = await infoOf(node)
          assert.deepStrictEqual(others, [])
          const { peers, time_added: added, ...rest } = queued!
          assert.deepStrictEqual(rest, { txid: signed.txid, wtxid: signed.wtxid, hex: signed.hex })
          assert.closeTo(added, Date.now() / 1_000, 600)
          assert.sameMembers(peers.map(({ address }) => address), proxy.asked.map(({ host }) => `${host}:8333`))
          for (const { received, sent } of peers) assert.isAtLeast(received!, sent)
          assert.deepStrictEqual(await poolOf(node), [])
          assert.deepStrictEqual(await node.call("sendrawtransaction", signed.hex), signed.txid)
          await pause(1_000)
          assert.lengthOf(receiver.links, 3, "it is scheduled already")

          const other = await comeBack(node, signed)
          await until("it is in the mempool", async () => (await poolOf(node)).includes(signed.txid))
          assert.deepStrictEqual(await infoOf(node), { transactions: [] })
          await until("others learn of it as of any", async () => bystander.commands().includes("inv"))
          await pause(1_000)
          assert.lengthOf(receiver.links, 3)

          // One that is in the mempool is broadcast privately all the same.
          await node.call("sendrawtransaction", signed.hex)
          await until("three more have got it", async () => finished(receiver, 6))
          for (const link of receiver.links) assertConversation(link, signed)
          other.end()
          bystander.end()
        } finally {
          await nodes.stop(node)
          receiver.end()
        }
      })
    }))

  it.live("finds another peer for one that swallows the transaction or has no use for it, and shows the connections", () =>
    Effect.gen(function*() {
      let isSwallowing = true
      const receiver = yield* Effect.promise(() =>
        waitForNode((message, say) => (isSwallowing ? swallowing : taking)(message, say))
      )
      const proxy = yield* startProxy({ to: atOf(receiver) })
      yield* Effect.promise(async () => {
        const node = await startPrivate("again", proxy)
        try {
          const [coin] = await minedCoins(node, 1)
          const signed = await spend(node, coin!)
          await node.call("sendrawtransaction", signed.hex)
          const sent = () => receiver.links.filter((link) => link.commands().includes("ping"))
          await until("three peers have swallowed it", async () => sent().length === 3)
          const shown = await node.call<
            ReadonlyArray<{ readonly connection_type: string; readonly network: string; readonly inbound: boolean }>
          >("getpeerinfo")
          assert.deepStrictEqual(
            shown.map(({ connection_type: type, inbound, network }) => ({ type, inbound, network })),
            Array.from({ length: 3 }, () => ({ type: "private-broadcast", inbound: false, network: "onion" }))
          )
          const { transactions: [queued] } = await infoOf(node)
          assert.deepStrictEqual(queued!.peers.map(({ received }) => received), [undefined, undefined, undefined])
          isSwallowing = false
          // One that closes, one that asks for something else, and one that answers after all.
          const [closes, asks, answers] = receiver.links
          closes!.end()
          asks!.say({ command: "getdata", inventory: [{ type: InventoryType.WTX, hash: rawHash(signed.wtxid) }] })
          const ping = answers!.received.at(-1)!
          if (ping.command === "ping") answers!.say({ command: "pong", nonce: ping.nonce! })
          await until("two others have got it", async () => finished(receiver, 5))
          assert.lengthOf(receiver.links, 5)
          for (const link of receiver.links) assertConversation(link, signed)
          const { transactions: [again] } = await infoOf(node)
          assert.strictEqual(again!.peers.filter(({ received }) => received !== undefined).length, 3)
        } finally {
          await nodes.stop(node)
          receiver.end()
        }
      })
    }))

  it.live("sends one that does not come back again, as long as it is valid", () =>
    Effect.gen(function*() {
      const receiver = yield* Effect.promise(() => waitForNode(taking))
      const proxy = yield* startProxy({ to: atOf(receiver) })
      yield* Effect.promise(async () => {
        const node = await startPrivate("stale", proxy)
        try {
          const [coin] = await minedCoins(node, 1)
          const signed = await spend(node, coin!)
          await node.call("sendrawtransaction", signed.hex)
          await until("three peers have got it", async () => finished(receiver, 3))
          // The clock goes on for what is stale, and the scheduler for the sweep.
          await node.call("setmocktime", Math.floor(Date.now() / 1_000) + 120)
          await node.call("mockscheduler", 200)
          await until("a fourth has got it", async () => finished(receiver, 4))
          assertConversation(receiver.links[3]!, signed)
          assert.lengthOf((await infoOf(node)).transactions[0]!.peers, 4)

          // A block with it ends it.
          await node.call("generateblock", ADDRESS, [signed.hex])
          await node.call("setmocktime", Math.floor(Date.now() / 1_000) + 240)
          await node.call("mockscheduler", 200)
          await until("it is given up", async () => (await infoOf(node)).transactions.length === 0)
          assert.lengthOf(receiver.links, 4)
        } finally {
          await nodes.stop(node)
          receiver.end()
        }
      })
    }))

  it.live("ends by abortprivatebroadcast, and says so as Bitcoin Core does", () =>
    Effect.gen(function*() {
      const receiver = yield* Effect.promise(() => waitForNode(swallowing))
      const proxy = yield* startProxy({ to: atOf(receiver) })
      yield* Effect.promise(async () => {
        const node = await startPrivate("aborts", proxy)
        const plain = await nodes.start("plain")
        try {
          const coins = await minedCoins(node, 2)
          const [one, two] = [await spend(node, coins[0]!), await spend(node, coins[1]!)]
          await node.call("sendrawtransaction", one.hex)
          await node.call("sendrawtransaction", two.hex)
          assert.lengthOf((await infoOf(node)).transactions, 2)
          assert.deepStrictEqual(await node.call("abortprivatebroadcast", one.txid), {
            removed_transactions: [{ txid: one.txid, wtxid: one.wtxid, hex: one.hex }]
          })
          assert.deepStrictEqual(await node.call("abortprivatebroadcast", two.wtxid), {
            removed_transactions: [{ txid: two.txid, wtxid: two.wtxid, hex: two.hex }]
          })
          assert.deepStrictEqual(await infoOf(node), { transactions: [] })
          assert.include(
            await errorOf(node.call("abortprivatebroadcast", one.txid)),
            "Transaction not in private broadcast queue. Check getprivatebroadcastinfo."
          )
          assert.include(await errorOf(node.call("sendrawtransaction", "00")), "TX decode failed")
          const off = "Private broadcast is not enabled. Ensure you're running Bitcoin Core with -privatebroadcast=1."
          assert.include(await errorOf(plain.call("getprivatebroadcastinfo")), off)
          assert.include(await errorOf(plain.call("abortprivatebroadcast", one.txid)), off)
        } finally {
          await nodes.stop(node)
          await nodes.stop(plain)
          receiver.end()
        }
      })
    }))

  it.live("goes into I2P from an address that is used once", () =>
    Effect.gen(function*() {
      const receiver = yield* Effect.promise(() => waitForNode(taking))
      const router = yield* startSam({ to: atOf(receiver) })
      yield* Effect.promise(async () => {
        const node = await nodes.start("i2p", [
          ...settings({
            "connections.i2p_sam": endpointText(router.at),
            "connections.i2p_accept_incoming": "true",
            "relay.private_broadcast": "true"
          }),
          ...NO_OTHERS
        ])
        try {
          for (let i = 1; i <= 6; i++) {
            const [host] = endpointText(i2pEndpoint(i)).split(":")
            await node.call("addpeeraddress", host, 0)
          }
          const [coin] = await minedCoins(node, 1)
          const signed = await spend(node, coin!)
          await node.call("sendrawtransaction", signed.hex)
          await until("three peers have got it", async () => finished(receiver, 3))
          for (const link of receiver.links) assertConversation(link, signed)
          const sessions = router.commands.filter((each) => each.includes("DESTINATION=TRANSIENT"))
          assert.lengthOf(sessions, 3)
          assert.deepStrictEqual(await poolOf(node), [])
        } finally {
          await nodes.stop(node)
          receiver.end()
        }
      })
    }))
})
