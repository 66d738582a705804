import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parseAddress } from "../../../src/net/endpoint-text.ts"
import { hashOf, methodNode, shownHash } from "../method-node.ts"

/** A node whose network layer has these members. */
const withNetwork = (network: object, more: object = {}) => methodNode({ more: { peers: () => network, ...more } })

const DISABLED = "-31 Error: Peer-to-peer functionality missing or disabled"

describe("getnettotals", () => {
  const uploadTarget = (target: number) => ({
    bytesLeft: () => 40,
    reached: () => false,
    servesHistoricalBlocks: () => true,
    target,
    timeLeft: () => 5_999,
    window: 86_400_000
  })
  const network = {
    environment: { now: () => 1, machine: () => 1_700_000_000_123 },
    totals: { received: 10, sent: 20 }
  }

  it.effect("has the seconds of the time for which a target holds, and none left where there is no target", () =>
    Effect.gen(function*() {
      const upload = (target: number) =>
        Effect.map(
          withNetwork({ ...network, uploadTarget: uploadTarget(target) }).show("getnettotals"),
          (shown) => shown
        )
      const shown = yield* upload(1)
      assert.deepStrictEqual(shown, {
        totalbytesrecv: 10,
        totalbytessent: 20,
        timemillis: 1_700_000_000_123,
        uploadtarget: {
          timeframe: 86_400,
          target: 1,
          target_reached: false,
          serve_historical_blocks: true,
          bytes_left_in_cycle: 40,
          time_left_in_cycle: 5
        }
      })
      assert.strictEqual((yield* upload(0)).uploadtarget.time_left_in_cycle, 0)
      assert.strictEqual(yield* methodNode().text("getnettotals"), DISABLED)
    }))
})

describe("bans", () => {
  const banning = (parts: { readonly held?: boolean; readonly inSubnet?: boolean; readonly isFull?: boolean } = {}) => {
    const done: Array<unknown> = []
    const network = {
      time: () => 1_700_000_000_999,
      banSeconds: 86_400,
      keepBans: Effect.sync(() => void done.push("kept")),
      disconnectBanned: () => void done.push("disconnected"),
      reputation: {
        bans: {
          has: () => parts.held ?? false,
          isBanned: () => parts.inSubnet ?? false,
          list: (now: number) => {
            done.push(now)
            return [{
              subnet: { address: parseAddress("10.0.0.0"), bits: 8 },
              created: 1_699_999_990,
              until: 1_700_000_010
            }]
          }
        },
        ban: ({ created, until }: { readonly created: number; readonly until: number }) => {
          if (parts.isFull === true) return false
          done.push([created, until])
          return true
        },
        unban: () => parts.held ?? false,
        clear: () => void done.push("cleared")
      }
    }
    return { done, ...withNetwork(network) }
  }

  it.effect("last for a day, for so long, or until a time, and are kept when those concerned are disconnected", () =>
    Effect.gen(function*() {
      const now = 1_700_000_000
      const cases: ReadonlyArray<readonly [params: ReadonlyArray<unknown>, until: number]> = [
        [[], now + 86_400],
        [[0], now + 86_400],
        [[-5], now + 86_400],
        [[1], now + 1],
        [[60, false], now + 60],
        [[now + 60, true], now + 60],
        [[now, true], now]
      ]
      for (const [params, until] of cases) {
        const { done, text } = banning()
        assert.strictEqual(yield* text("setban", "10.0.0.1", "add", ...params), "null")
        assert.deepStrictEqual(done, [[now, until], "disconnected", "kept"], JSON.stringify(params))
      }
      const { done, text } = banning()
      const past = "-8 Error: Absolute timestamp is in the past"
      for (const time of [now - 1, 0]) assert.strictEqual(yield* text("setban", "10.0.0.1", "add", time, true), past)
      assert.deepStrictEqual(done, [])
    }))

  it.effect("are of an address that no subnet holds yet, or of a subnet that is none yet", () =>
    Effect.gen(function*() {
      const already = "-23 Error: IP/Subnet already banned"
      assert.strictEqual(yield* banning({ inSubnet: true }).text("setban", "10.0.0.1", "add"), already)
      assert.strictEqual(yield* banning({ held: true }).text("setban", "10.0.0.0/8", "add"), already)
      assert.strictEqual(yield* banning({ held: true }).text("setban", "10.0.0.1", "add"), "null")
      assert.strictEqual(yield* banning({ inSubnet: true }).text("setban", "10.0.0.0/8", "add"), "null")
      assert.match(
        yield* banning({ isFull: true }).text("setban", "10.0.0.1", "add"),
        /^-1 Error: The ban list is full/
      )
      for (const wrong of ["x", "10.0.0.0/33", "0.0.0.0"]) {
        assert.strictEqual(yield* banning().text("setban", wrong, "add"), "-30 Error: Invalid IP/Subnet", wrong)
      }
      assert.strictEqual(yield* banning().text("setban", "0.0.0.0/0", "add"), "null")
      assert.match(yield* banning().text("setban", "10.0.0.1", "x"), /^-1 setban "subnet" "command"/)
    }))

  it.effect("are removed, listed and cleared", () =>
    Effect.gen(function*() {
      const { done, show, text } = banning({ held: true })
      assert.strictEqual(yield* text("setban", "10.0.0.1", "remove"), "null")
      assert.strictEqual(yield* text("clearbanned"), "null")
      assert.deepStrictEqual(done, ["kept", "cleared", "kept"])
      assert.deepStrictEqual(yield* show("listbanned"), [{
        address: "10.0.0.0/8",
        ban_created: 1_699_999_990,
        banned_until: 1_700_000_010,
        ban_duration: 20,
        time_remaining: 10
      }])
      assert.strictEqual(done.at(-1), 1_700_000_000)
      assert.match(yield* banning().text("setban", "10.0.0.1", "remove"), /^-30 Error: Unban failed\./)
    }))
})

describe("what the network layer knows", () => {
  it.effect("are addresses of a network, one unless more are wanted", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      const sample = (...given: ReadonlyArray<unknown>) => {
        asked.push(given)
        return [{ address: parseAddress("10.0.0.1")!, port: 8_333, services: 2n ** 63n + 1n, time: 5 }]
      }
      const { text } = withNetwork({ book: { sample } })
      const shown =
        "[{\"time\":5,\"services\":9223372036854775809,\"address\":\"10.0.0.1\",\"port\":8333,\"network\":\"ipv4\"}]"
      for (const params of [[], [0], [8, "IPV6"]]) assert.strictEqual(yield* text("getnodeaddresses", ...params), shown)
      assert.deepStrictEqual(asked, [[1, 0, undefined], [0, 0, undefined], [8, 0, new Set(["ipv6"])]])
      assert.strictEqual(yield* text("getnodeaddresses", -1), "-8 Address count out of range")
      assert.strictEqual(yield* text("getnodeaddresses", 1, "x"), "-8 Network not recognized: x")
    }))

  it.effect("are orphans: ids, or what is known of them", () =>
    Effect.gen(function*() {
      const transaction = { txid: hashOf(1), wtxid: hashOf(2), bytes: Uint8Array.of(1, 2, 3), weight: 9 }
      const { show, text } = withNetwork({ orphans: () => [{ announcers: new Set([10, 9]), transaction }] })
      const known = { txid: shownHash(1), wtxid: shownHash(2), bytes: 3, vsize: 3, weight: 9, from: [9, 10] }
      for (const params of [[], [0]]) assert.deepStrictEqual(yield* show("getorphantxs", ...params), [shownHash(1)])
      assert.deepStrictEqual(yield* show("getorphantxs", 1), [known])
      assert.deepStrictEqual(yield* show("getorphantxs", 2), [{ ...known, hex: "010203" }])
      for (const level of [-1, 3]) {
        assert.strictEqual(yield* text("getorphantxs", level), `-8 Invalid verbosity value ${level}`)
      }
      assert.strictEqual(yield* text("getorphantxs", true), "-3 Verbosity was boolean but only integer allowed")
    }))

  it.effect("is how far the sync is, in seconds and rounded", () =>
    Effect.gen(function*() {
      const status = {
        stage: "Blocks",
        since: 1_700_000_000_999,
        error: undefined,
        percent: 33.336,
        height: 10,
        headers: 20,
        target: 30,
        verified: 0.5,
        initialBlockDownload: true,
        rates: { blocksPerSecond: 1.26, inputsPerSecond: 2.5, remaining: 60 },
        peers: 1,
        headersFrom: 2,
        blocksFrom: 3,
        blocksInFlight: 4,
        presynced: undefined,
        cacheBytes: 5
      }
      assert.deepStrictEqual(yield* withNetwork({ syncStatus: () => status }).show("getsyncstatus"), {
        stage: "Blocks",
        since: 1_700_000_000,
        progress_percent: 33.34,
        blocks: 10,
        headers: 20,
        target_height: 30,
        verificationprogress: 0.5,
        initialblockdownload: true,
        blocks_per_second: 1.3,
        inputs_per_second: 3,
        eta_seconds: 60,
        peers: 1,
        headers_peers: 2,
        blocks_peers: 3,
        blocks_in_flight: 4,
        cache_bytes: 5
      })
    }))

  it.effect("are transactions in private broadcast, which can be ended", () =>
    Effect.gen(function*() {
      const queued = {
        txid: hashOf(1),
        wtxid: hashOf(2),
        transaction: { bytes: Uint8Array.of(1) },
        addedAt: 1_999,
        sends: [{ address: "a", sentAt: 2_999, confirmedAt: 3_999 }, {
          address: "b",
          sentAt: 4_000,
          confirmedAt: undefined
        }]
      }
      const abort = (id: Uint8Array) => id[0] === 1 ? [queued] : []
      const parts = { privateBroadcast: { all: () => [queued], abort } }
      const { show, text } = withNetwork(parts, { broadcastsPrivately: true })
      const ids = { txid: shownHash(1), wtxid: shownHash(2), hex: "01" }
      assert.deepStrictEqual(yield* show("getprivatebroadcastinfo"), {
        transactions: [{
          ...ids,
          time_added: 1,
          peers: [{ address: "a", sent: 2, received: 3 }, { address: "b", sent: 4 }]
        }]
      })
      assert.deepStrictEqual(yield* show("abortprivatebroadcast", shownHash(1)), { removed_transactions: [ids] })
      assert.match(yield* text("abortprivatebroadcast", shownHash(2)), /^-5 Transaction not in private broadcast queue/)
      const off = /^-32601 Private broadcast is not enabled/
      assert.match(yield* withNetwork(parts, { broadcastsPrivately: false }).text("getprivatebroadcastinfo"), off)
      assert.match(yield* withNetwork({}, { broadcastsPrivately: true }).text("getprivatebroadcastinfo"), off)
    }))

  it.effect("are messages that are sent, pings and a switch", () =>
    Effect.gen(function*() {
      const done: Array<unknown> = []
      const network = {
        sendPayload: (...given: ReadonlyArray<unknown>) => done.push(given) < 2,
        pingAll: () => void done.push("ping"),
        connections: { setActive: (to: boolean) => void done.push(to), isActive: () => false }
      }
      const { text } = withNetwork(network)
      assert.strictEqual(yield* text("sendmsgtopeer", 5, "twelve chars", "00ff"), "{}")
      assert.match(yield* text("sendmsgtopeer", 5, "", ""), /^-1 Error: Could not send message to peer/)
      assert.match(
        yield* text("sendmsgtopeer", 5, "thirteen char", ""),
        /^-8 Error: msg_type too long, max length is 12/
      )
      assert.match(yield* text("sendmsgtopeer", 5, "é".repeat(7), ""), /^-8 Error: msg_type too long/)
      assert.match(yield* text("sendmsgtopeer", 5, "a", "0"), /^-8 Error parsing input for msg/)
      assert.strictEqual(yield* text("ping"), "null")
      assert.strictEqual(yield* text("setnetworkactive", true), "false")
      assert.deepStrictEqual(done, [
        [5, "twelve chars", Uint8Array.of(0, 255)],
        [5, "", new Uint8Array()],
        "ping",
        true
      ])
    }))
})
