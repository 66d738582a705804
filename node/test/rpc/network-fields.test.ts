import { assert, describe, it } from "@effect/vitest"
import { decodeTransaction } from "@lockstep/kernel/model"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { HeaderIndexNode } from "../../src/engine/header-index/header-index-node.ts"
import { testCrypto } from "../engine/test-engine.ts"
import { caller, pass, robot } from "../p2p/connections/robot.ts"
import { testLayer } from "../p2p/connections/test-layer.ts"
import { hollowBlock, stillChain } from "../p2p/peer/still-chain.ts"
import { usualVersion } from "../p2p/peer/scripted-peer.ts"
import { unconfirmedTransaction, pooled } from "../p2p/relay/pool-transaction.ts"
import { endpoint } from "../p2p/transport/transport-suite.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { ask } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

const NOW = 1_700_193_573

/** A hollow block with the work that regtest asks for: half of all hashes will do. */
const provenBlock = (parent: HeaderIndexNode): Uint8Array => {
  for (let salt = 0;; salt++) {
    const block = hollowBlock(parent, salt)
    if (testCrypto.sha256d(block.subarray(0, 80))[31]! < 0x7f) return block
  }
}

type Fields = Readonly<Record<string, unknown>>

const place = Effect.fnUntraced(function*(options: Parameters<typeof testLayer>[0] = { target: 0 }) {
  const layer = yield* testLayer(options)
  const { address } = yield* testServer({
    directory: yield* temporaryDirectory,
    chain: fakeChain(),
    network: layer.service
  })
  const result = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.promise(async () => (await ask(address, method, params)).result as Fields)
  const error = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.promise(async () => (await ask(address, method, params)).error)
  const peers = Effect.map(result("getpeerinfo"), (all) => all as unknown as ReadonlyArray<Fields>)
  return { layer, result, error, peers }
})

describe("fields of getpeerinfo", () => {
  it.effect("of an inbound peer follow what it says and does", () =>
    Effect.gen(function*() {
      const chain = stillChain()
      for (let i = 0; i < 3; i++) chain.extend(provenBlock(chain.tree.tip))
      const trusts = ({ bytes }: { readonly bytes: Uint8Array }): boolean => bytes[0] === 21
      const { layer, peers } = yield* place({ target: 0, chain, options: { trusts } })
      const { links } = yield* caller(layer, endpoint("21.1.1.1:7"), { isSilent: true })
      yield* pass(layer, 500)
      const other = links[0]!
      const [before] = yield* peers
      assert.deepInclude(before!, {
        version: 0,
        subver: "",
        services: "0000000000000000",
        lastrecv: 0,
        bytesrecv: 0,
        connection_type: "inbound"
      })
      assert.deepInclude(before!, {
        addr_relay_enabled: false,
        relaytxes: false,
        synced_headers: -1,
        synced_blocks: -1,
        presynced_headers: -1
      })
      assert.isUndefined(before!["pingtime"])

      other.say({
        ...usualVersion,
        time: BigInt(NOW + 100),
        receiver: { ...usualVersion.receiver, ...endpoint("99.1.2.3:18444") }
      })
      other.say({ command: "verack" })
      yield* pass(layer, 2_000)
      const [waiting] = yield* peers
      assert.isAtLeast(Number(waiting!["pingwait"]), 1)
      const ping = other.received.findLast((message) => message.command === "ping")
      if (ping?.command === "ping") other.say({ command: "pong", nonce: ping.nonce! })
      other.say({ command: "sendcmpct", announce: true, version: 2n })
      other.say({ command: "feefilter", feerate: 12_345n })
      other.say({
        command: "addr",
        addresses: Array.from({ length: 3 }, (_, i) => ({ ...endpoint(`4${i}.1.1.1:8333`), services: 9n, time: NOW }))
      })
      other.say({ command: "headers", headers: [chain.tree.nodes[3]!.header] })
      yield* pass(layer, 1_000)
      const [now] = yield* peers
      assert.deepInclude(now!, {
        addr: layer.service.peers.get(0)!.name,
        addrbind: "1.0.0.1:18444",
        addrlocal: "99.1.2.3:18444",
        network: "ipv4",
        version: 70_016,
        subver: "/scripted/",
        services: "0000000000000009",
        inbound: true,
        relaytxes: true,
        bip152_hb_from: true,
        bip152_hb_to: false,
        minfeefilter: 0.000_123_45,
        addr_relay_enabled: true,
        addr_processed: 1,
        addr_rate_limited: 2,
        synced_headers: 3,
        synced_blocks: 3,
        permissions: ["noban", "relay", "mempool", "download"],
        transport_protocol_type: "v1",
        compact_blocks: { received: 0, rebuilt: 0, requested: 0, failed: 0, announced: 0 },
        filters: { bloom: false, merkleblock: 0, cfilter: 0, cfheaders: 0, cfcheckpt: 0 }
      })
      assert.approximately(Number(now!["timeoffset"]), 99, 2)
      assert.isAbove(Number(now!["pingtime"]), 1)
      assert.strictEqual(now!["minping"], now!["pingtime"])
      assert.isUndefined(now!["pingwait"])
      assert.approximately(Number(now!["lastrecv"]), NOW + 3, 2)
      assert.approximately(Number(now!["lastsend"]), NOW + 3, 2)
      assert.approximately(Number(now!["conntime"]), NOW, 1)

      // What waits to be reported is counted, and the number of the pool moves on when it has been.
      other.say({ command: "feefilter", feerate: 0n })
      yield* pass(layer, 500)
      const own = pooled(unconfirmedTransaction(1))
      const sequence = Number((yield* peers)[0]!["last_inv_sequence"])
      chain.pool(own)
      chain.notify("transactionAdded", own, true)
      assert.strictEqual((yield* peers)[0]!["inv_to_send"], 1)
      yield* pass(layer, 500)
      const [observed] = yield* peers
      assert.strictEqual(observed!["inv_to_send"], 0)
      assert.isAbove(Number(observed!["last_inv_sequence"]), sequence)

      // A transaction of it that was new.
      assert.strictEqual(observed!["last_transaction"], 0)
      chain.judge((bytes) => ({ _tag: "Accepted", transaction: pooled(bytes) }))
      const another = pooled(unconfirmedTransaction(2))
      other.say({ command: "inv", inventory: [{ type: InventoryType.TX, hash: another.txid }] })
      yield* pass(layer, 500)
      assert.isTrue(other.received.some((message) => message.command === "getdata"))
    }))

  it.effect("of an outbound peer for blocks alone", () =>
    Effect.gen(function*() {
      const { layer, peers } = yield* place({ maximum: 12, target: 10 })
      for (let i = 0; i < 20; i++) {
        const at = endpoint(`${20 + i}.1.0.1:18444`)
        yield* robot(layer, at, { services: 0x409n })
        layer.service.book.add([{ ...at, services: 0x409n, time: NOW }], at.address)
      }
      yield* pass(layer, 10_000)
      const all = yield* peers
      assert.sameMembers([...new Set(all.map(({ connection_type: type }) => type))], [
        "outbound-full-relay",
        "block-relay-only"
      ])
      for (const { addr_relay_enabled: addresses, connection_type: type, relaytxes } of all) {
        assert.deepStrictEqual([addresses, relaytxes], type === "block-relay-only" ? [false, false] : [true, true])
      }
    }))
})

describe("fields of getnetworkinfo and getnettotals", () => {
  it.effect("the clock of the machine is compared with those of nodes that we chose", () =>
    Effect.gen(function*() {
      const { layer, result } = yield* place({ target: 0 })
      const greet = (from: string, ahead: number) =>
        Effect.gen(function*() {
          const { links } = yield* caller(layer, endpoint(from), { isSilent: true })
          yield* pass(layer, 200)
          links[0]!.say({ ...usualVersion, time: BigInt(NOW + ahead) })
        })
      for (let i = 0; i < 6; i++) yield* greet(`21.1.1.${i}:7`, 5_000)
      yield* pass(layer, 200)
      assert.isTrue([...layer.service.peers.values()].every(({ hello }) => hello!.timeOffset > 4_990))
      assert.strictEqual((yield* result("getnetworkinfo"))["timeoffset"], 0)
      const chosen = [-2_000, -1_000, -900, 0, 50]
      for (const [i, ahead] of chosen.entries()) {
        yield* robot(layer, endpoint(`3${i}.1.1.1:18444`), { ahead })
        layer.connections.manual.add(`3${i}.1.1.1`)
      }
      yield* pass(layer, 5_000)
      const info = yield* result("getnetworkinfo")
      assert.approximately(Number(info["timeoffset"]), -900, 6)
      assert.isTrue((info["warnings"] as ReadonlyArray<string>).some((line) => line.includes("10 minutes out of sync")))
      assert.deepStrictEqual((yield* result("getblockchaininfo"))["warnings"], info["warnings"])
      // Clients compare it with releases of Bitcoin Core: `bitcoin-cli -netinfo` needs 209900.
      assert.strictEqual(info["version"], 319_900)
      assert.match(String(info["subversion"]), /^\/Lockstep:\d+\.\d+\.\d+\/$/)
      assert.isTrue(layer.lines.some(({ what }) => what.includes("clock seems to be wrong")))
      assert.deepInclude(info, {
        networkactive: true,
        localrelay: true,
        relayfee: 0.000_001,
        incrementalfee: 0.000_001,
        connections_out: 5,
        protocolversion: 70_017
      })
      yield* result("setnetworkactive", false)
      assert.strictEqual((yield* result("getnetworkinfo"))["networkactive"], false)
    }))

  it.effect("what may still be sent today", () =>
    Effect.gen(function*() {
      const { layer, result } = yield* place({ target: 0, options: { uploadTarget: 1_000_000_000 } })
      const idle = (yield* result("getnettotals"))["uploadtarget"] as Fields
      assert.deepStrictEqual(idle, {
        timeframe: 86_400,
        target: 1_000_000_000,
        target_reached: false,
        serve_historical_blocks: true,
        bytes_left_in_cycle: 1_000_000_000,
        time_left_in_cycle: 86_400
      })
      yield* caller(layer, endpoint("21.1.1.1:7"))
      yield* pass(layer, 2_000)
      const totals = yield* result("getnettotals")
      const after = totals["uploadtarget"] as Fields
      assert.strictEqual(after["bytes_left_in_cycle"], 1_000_000_000 - Number(totals["totalbytessent"]))
      assert.strictEqual(after["time_left_in_cycle"], 86_398)
      assert.isAbove(Number(totals["totalbytesrecv"]), 100)
      assert.strictEqual(totals["timemillis"], NOW * 1_000 + 2_000)
      const small = yield* place({ target: 0, options: { uploadTarget: 100 } })
      yield* caller(small.layer, endpoint("21.1.1.1:7"))
      yield* pass(small.layer, 2_000)
      const reached = (yield* small.result("getnettotals"))["uploadtarget"] as Fields
      assert.deepInclude(reached, { target_reached: true, serve_historical_blocks: false, bytes_left_in_cycle: 0 })
    }))
})

describe("getorphantxs", () => {
  it.effect("lists the orphanage in raw order of wtxids, with as much as is asked for", () =>
    Effect.gen(function*() {
      const chain = stillChain()
      const { layer, result } = yield* place({ target: 0, chain })
      const listed = (...level: ReadonlyArray<number>): Effect.Effect<unknown> => result("getorphantxs", ...level)
      assert.deepStrictEqual(yield* listed(), [])
      chain.judge((bytes) => ({ _tag: "MissingInputs", parents: [bytes.slice(7, 39)] }))
      const { links } = yield* caller(layer, endpoint("21.1.1.1:7"))
      yield* pass(layer, 500)
      const orphans = [1, 2, 3].map((salt) => pooled(unconfirmedTransaction(salt)))
      for (const { bytes } of orphans) {
        links[0]!.say({ command: "tx", transaction: Result.getOrThrow(decodeTransaction(bytes)) })
      }
      yield* pass(layer, 500)
      const inOrder = orphans.toSorted((a, b) => Buffer.compare(a.wtxid, b.wtxid))
      const shown = (bytes: Uint8Array): string => Buffer.from(bytes).reverse().toString("hex")
      const infos = inOrder.map(({ bytes, txid, virtualSize, wtxid }) => ({
        txid: shown(txid),
        wtxid: shown(wtxid),
        bytes: bytes.length,
        vsize: virtualSize,
        weight: 4 * bytes.length - 3 * 5,
        from: [0]
      }))
      assert.deepStrictEqual(yield* listed(0), inOrder.map(({ txid }) => shown(txid)))
      assert.deepStrictEqual(yield* listed(1), infos)
      assert.deepStrictEqual(
        yield* listed(2),
        infos.map((info, i) => ({ ...info, hex: Buffer.from(inOrder[i]!.bytes).toString("hex") }))
      )
    }))

  it.effect.each<readonly [given: unknown, code: number, message: string]>([
    [-1, -8, "Invalid verbosity value -1"],
    [3, -8, "Invalid verbosity value 3"],
    [true, -3, "Verbosity was boolean but only integer allowed"]
  ])("%s is no verbosity", ([given, code, message]) =>
    Effect.gen(function*() {
      const { error } = yield* place()
      assert.deepStrictEqual(yield* error("getorphantxs", given), { code, message })
    }))
})
