import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bytesOfDigits, hexOf } from "../../src/hex.ts"
import { until } from "../bitcoind/bitcoind-process.ts"
import { connectPeer } from "../p2p/sockets/wire-peer.ts"
import { patience } from "../process/patience.ts"
import { coreDaemon, type Daemon, startDaemon } from "./core-daemon.ts"
import {
  bothViews,
  type Coin,
  connected,
  join,
  type Made,
  mine,
  part,
  payment,
  peersOf,
  poolOf,
  rebuiltLine,
  rewardOf,
  sameTip,
  tipOf
} from "./two-daemons.ts"

/** How often a daemon held something against a peer, by its log. Knots has words of its own for it. */
const blamesOf = ({ log }: Daemon): number => log().match(/Misbehaving: peer=|peer=\d+ got DoS score/g)?.length ?? 0

/** Lines of a log that tell of trouble between nodes. */
const ODD = /Misbehaving|DoS score|timeout|violation|unsolicited|already syncing|stalling|Un(known|supported) message/

/** Announcements go out at once to peers with this permission. */
const OPTIONS = ["-whitelist=noban,in,out@127.0.0.1", "-blockfilterindex", "-peerblockfilters", "-peerbloomfilters"]

const TRANSACTIONS = 1_000

describe.runIf(coreDaemon !== undefined)("Bitcoin Core's daemon as a peer, and this node as its", () => {
  let ours: Daemon
  let theirs: Daemon
  let coins: Array<Coin> = []

  beforeAll(async () => {
    ours = await startDaemon("ours", ...OPTIONS)
    theirs = await startDaemon("theirs", ...OPTIONS)
  }, patience(120_000))

  afterAll(async () => {
    await ours?.stop()
    await theirs?.stop()
  }, patience(120_000))

  /** Each of the two in turn, with the other. */
  const eachFirst = (): ReadonlyArray<readonly [Daemon, Daemon, string]> => [
    [ours, theirs, "ours first"],
    [theirs, ours, "theirs first"]
  ]

  const samePool = (): Promise<void> =>
    until("both have the same transactions", async () => String(await poolOf(ours)) === String(await poolOf(theirs)))

  const nextCoin = (): Coin => coins.pop()!

  it("over v1 and v2, inbound and outbound: the same session id, and the chain syncs in both directions", async () => {
    for (const isV2 of [false, true]) {
      for (const [from, to, name] of eachFirst()) {
        // The first blocks of the chain are there before the two meet.
        const mined = await mine(from, 20)
        await join(from, to, isV2)
        const views = await bothViews(from, to)
        for (const view of views) assert.strictEqual(view.transport_protocol_type, isV2 ? "v2" : "v1", name)
        assert.strictEqual(views[0].session_id, views[1].session_id)
        assert.strictEqual(views[0].session_id.length, isV2 ? 64 : 0)
        assert.deepStrictEqual(views.map(({ inbound }) => inbound), [false, true])
        await sameTip(ours, theirs)
        const more = await mine(to, 20)
        await sameTip(ours, theirs)
        for (const hash of [mined[0]!, more[0]!]) coins.push(await rewardOf(from, hash))
        await part(from, to)
      }
    }
    await mine(ours, 100)
    await join(ours, theirs)
    await sameTip(ours, theirs)
  })

  it("a thousand transactions reach the other, and the block of them is put together from the mempool alone", async () => {
    for (const [from, to, name] of eachFirst()) {
      const many = payment(nextCoin(), { count: TRANSACTIONS, fee: 1_000_000n })
      await from.call("sendrawtransaction", many.hex)
      await samePool()
      await mine(from, 1)
      await sameTip(ours, theirs)
      for (const [i, coin] of many.coins.entries()) {
        await (i % 2 === 0 ? from : to).call("sendrawtransaction", payment(coin).hex)
      }
      await samePool()
      assert.strictEqual((await poolOf(to)).length, TRANSACTIONS)
      const requests = (await peersOf(to))[0]!.bytessent_per_msg["getblocktxn"]
      const [hash] = await mine(from, 1)
      await sameTip(ours, theirs)
      assert.deepStrictEqual(await poolOf(ours), [])
      await until(`${name}: the log says how`, () => rebuiltLine(to, hash!) !== undefined)
      assert.include(rebuiltLine(to, hash!), `1 txn prefilled, ${TRANSACTIONS} txn from mempool`)
      assert.strictEqual((await peersOf(to))[0]!.bytessent_per_msg["getblocktxn"], requests)
    }
    for (const view of await bothViews(ours, theirs)) {
      assert.deepInclude(view, { bip152_hb_to: true, bip152_hb_from: true })
    }
  })

  it("what the mempool lacks of a block is requested, and nothing else", async () => {
    for (const [from, to, name] of eachFirst()) {
      await part(from, to)
      const alone: Made = payment(nextCoin())
      await from.call("sendrawtransaction", alone.hex)
      await join(from, to)
      const shared = payment(nextCoin())
      await to.call("sendrawtransaction", shared.hex)
      await until("it came", async () => (await poolOf(from)).includes(shared.txid))
      assert.notInclude(await poolOf(to), alone.txid)
      // It is announced by its header, and requested as a compact block.
      const [hash] = await mine(from, 1)
      await sameTip(ours, theirs)
      await until(`${name}: the log says how`, () => rebuiltLine(to, hash!) !== undefined)
      assert.match(
        rebuiltLine(to, hash!)!,
        /1 txn prefilled, 1 txn from mempool \(.*\) and 1 txn (\(\d+ bytes\) )?requested/,
        name
      )
    }
  })

  it("a child pays for a parent that would not be relayed alone", async () => {
    for (const [from, to, name] of eachFirst()) {
      const parent = payment(nextCoin(), { fee: 0n, version: 3 })
      const child = payment(parent.coins[0]!, { fee: 5_000n, version: 3 })
      const answer = await from.call<{ readonly package_msg: string }>("submitpackage", [parent.hex, child.hex])
      assert.strictEqual(answer.package_msg, "success", name)
      await until(`${name}: both came`, async () => (await poolOf(to)).length === 2)
      await mine(from, 1)
      await sameTip(ours, theirs)
    }
  })

  it("filters are the same, by RPC and as light clients get them", async () => {
    const height = await ours.call<number>("getblockcount")
    const stop = bytesOfDigits(await tipOf(ours))!.toReversed()
    const requests: ReadonlyArray<Message> = [
      { command: "getcfilters", filterType: 0, startHeight: Math.max(0, height - 900), stop },
      { command: "getcfheaders", filterType: 0, startHeight: 1, stop },
      { command: "getcfcheckpt", filterType: 0, stop }
    ]
    const answersOf = async ({ p2pPort, call }: Daemon): Promise<ReadonlyArray<string>> => {
      await until("the filters are there", async () => {
        const { synced } = (await call<Readonly<Record<string, { readonly synced: boolean }>>>("getindexinfo"))[
          "basic block filter index"
        ]!
        return synced
      })
      const peer = await connectPeer(p2pPort)
      await until("the handshake is over", () => peer.commands().includes("verack"))
      peer.say(...requests)
      await until("all came", () => peer.commands().includes("cfcheckpt"))
      peer.end()
      return peer.received
        .filter(({ command }) => command.startsWith("cf"))
        .map((message) =>
          JSON.stringify(message, (_, value: unknown) => value instanceof Uint8Array ? hexOf(value) : value)
        )
    }
    const [fromUs, fromThem] = [await answersOf(ours), await answersOf(theirs)]
    assert.isAbove(fromUs.length, height < 900 ? height : 900)
    assert.deepStrictEqual(fromUs, fromThem)
    for (const at of [0, 1, 101, height]) {
      const hash = await ours.call("getblockhash", at)
      assert.deepStrictEqual(await ours.call("getblockfilter", hash), await theirs.call("getblockfilter", hash))
    }
  })

  it("reorganisations of depth 1 to 100, found by either", async () => {
    await part(ours, theirs)
    for (const depth of [1, 2, 7, 20, 100]) {
      for (const [winner, loser, name] of eachFirst()) {
        await mine(loser, depth)
        await mine(winner, depth + 1)
        const won = await tipOf(winner)
        await (depth % 2 === 0 ? join(ours, theirs) : join(theirs, ours))
        await until(`depth ${depth}, ${name}`, async () => await tipOf(loser) === won)
        await part(ours, theirs)
      }
    }
  })

  it("connections of every kind, made by either", async () => {
    for (const [from, to, name] of eachFirst()) {
      for (const kind of ["outbound-full-relay", "block-relay-only", "addr-fetch"]) {
        await from.call("addconnection", to.address, kind, true)
        await connected(from, to)
        const [view, seen] = await bothViews(from, to)
        assert.deepInclude(view, { connection_type: kind, transport_protocol_type: "v2" }, name)
        assert.strictEqual(view.session_id, seen.session_id)
        const isForBlocks = kind === "block-relay-only"
        assert.strictEqual(seen.relaytxes, !isForBlocks, `${name}: ${kind}`)
        assert.strictEqual(view.addr_relay_enabled, !isForBlocks, `${name}: ${kind}`)
        for (const miner of [to, from]) {
          await mine(miner, 1)
          await sameTip(ours, theirs)
        }
        await part(from, to)
      }
      await from.call("addconnection", to.address, "feeler", true)
      await until(`${name}: a feeler went out`, () => from.log().includes("feeler connection completed"))
      await until(
        `${name}: the feeler is over`,
        async () => (await peersOf(from)).length + (await peersOf(to)).length === 0
      )
    }
  })

  it("neither has anything to hold against the other, and no message is unknown", () => {
    for (const { log } of [ours, theirs]) {
      const odd = log().split("\n").filter((line) => ODD.test(line))
      assert.deepStrictEqual(odd, [])
    }
  })

  it("a block that one declares invalid is held against the other, and keeps it on its own branch until it is taken back", async () => {
    for (const [sceptic, other, name] of eachFirst()) {
      const [before, ofOther] = [blamesOf(sceptic), blamesOf(other)]
      await join(sceptic, other)
      await mine(other, 10)
      await sameTip(ours, theirs)
      const height = await sceptic.call<number>("getblockcount")
      const doubted = await sceptic.call<string>("getblockhash", height - 3)
      await sceptic.call("invalidateblock", doubted)
      await mine(other, 1)
      await until(`${name}: the header is held against the other`, () => blamesOf(sceptic) > before)
      await mine(sceptic, 1)
      assert.notStrictEqual(await tipOf(sceptic), await tipOf(other), name)
      assert.strictEqual(blamesOf(other), ofOther, name)
      await sceptic.call("reconsiderblock", doubted)
      await mine(other, 1)
      await sameTip(ours, theirs)
      await part(ours, theirs)
    }
  })
})
