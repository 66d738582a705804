import { assert, describe, it } from "@effect/vitest"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import { loadConfig } from "../../../src/config/load-config.ts"
import { syncSettings } from "../../../src/p2p/sync/sync-settings.ts"
import { inPlace } from "../../config/loading.ts"
import { chainModel, minedChain } from "./chain-model.ts"
import { type ChainPeer, syncSession } from "./sync-session.ts"

const CHAIN = minedChain(2_500)
const LATER = CHAIN.at(-1)!.time + 3 * 86_400

/** Entries of each request for blocks. */
const requests = ({ peer }: ChainPeer): ReadonlyArray<number> =>
  peer.sent.flatMap((message) => message.command === "getdata" ? [message.inventory.length] : [])

/** The settings of a node that is started with these variables. */
const settingsFrom = (environment: Readonly<Record<string, string>>) =>
  inPlace((place) =>
    Effect.map(loadConfig(place.request({ environment })), ({ config }) => syncSettings(config.download))
  )

/** A sync as these variables make it. Addresses of peers are on the internet. */
const syncWith = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
  const model = chainModel(LATER)
  const session = yield* syncSession(model, yield* settingsFrom(environment))
  return { model, session, add: () => session.add("outbound-full-relay", CHAIN, undefined, 20) }
})

describe("each setting of the download has its effect", () => {
  it.effect("chunk_size: no request names more blocks", () =>
    Effect.gen(function*() {
      const small = yield* syncWith({ NODE_IBD_CHUNK_SIZE: "5" })
      const peer = small.add()
      yield* small.session.pass(10_000)
      assert.strictEqual(Math.max(...requests(peer)), 5)
      assert.strictEqual(small.model.chain.tree.tip.height, 2_500)
      const large = yield* syncWith({})
      const other = large.add()
      yield* large.session.pass(10_000)
      assert.isAbove(Math.max(...requests(other)), 16)
    }).pipe(Effect.scoped))

  it.effect("max_blocks_in_transit_per_peer: never more are awaited from one, not even at first", () =>
    Effect.gen(function*() {
      for (const most of [3, 40]) {
        const { add, model, session } = yield* syncWith({ NODE_IBD_MAX_BLOCKS_IN_TRANSIT_PER_PEER: `${most}` })
        const peer = add()
        let highest = 0
        for (let turn = 0; turn < 900 && model.chain.tree.tip.height < 2_500; turn++) {
          yield* session.pass(100)
          highest = Math.max(
            highest,
            peer.toSend.length,
            session.sync.state.inFlight.size,
            ...requests(peer).slice(0, 1)
          )
        }
        assert.strictEqual(highest, most)
        assert.strictEqual(model.chain.tree.tip.height, 2_500)
      }
    }).pipe(Effect.scoped))

  it.effect("download_timeout_secs: after this long blocks are asked of others", () =>
    Effect.gen(function*() {
      const timeOf = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
        const { add, session } = yield* syncWith(environment)
        const silent = add()
        silent.sendsBlocks = false
        yield* session.pass(500)
        const first = silent.asked[0]!
        const other = add()
        // It has not enough to do to call the silent one a staller.
        other.rate = 0
        yield* session.pass(100)
        for (let passed = 0; passed < 120_000; passed += 100) {
          if (session.sync.state.peers.get(silent.peer.id)?.inFlight.size === 0) return { passed, first, silent }
          yield* session.pass(100)
        }
        return { passed: Infinity, first, silent }
      })
      const short = yield* timeOf({ NODE_IBD_DOWNLOAD_TIMEOUT_SECS: "3" })
      const long = yield* timeOf({ NODE_IBD_DOWNLOAD_TIMEOUT_SECS: "20" })
      assert.isTrue(short.passed > 2_000 && short.passed < 4_000, `${short.passed}`)
      assert.isTrue(long.passed > 19_000 && long.passed < 21_000, `${long.passed}`)
      assert.isUndefined(short.silent.peer.gone)
    }).pipe(Effect.scoped))

  it.effect("headers_timeout_secs and headers_max_failures: so long, and so often, headers are awaited from one peer", () =>
    Effect.gen(function*() {
      const timeOf = Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
        const { add, session } = yield* syncWith(environment)
        const silent = add()
        silent.sendsHeaders = false
        for (let passed = 0; passed < 900_000; passed += 500) {
          if (silent.peer.gone !== undefined) return { passed, reason: silent.peer.gone.reason }
          yield* session.pass(500)
        }
        return { passed: Infinity, reason: "" }
      })
      const quick = yield* timeOf({ NODE_IBD_HEADERS_TIMEOUT_SECS: "2", NODE_IBD_HEADERS_MAX_FAILURES: "3" })
      const patient = yield* timeOf({ NODE_IBD_HEADERS_TIMEOUT_SECS: "10", NODE_IBD_HEADERS_MAX_FAILURES: "5" })
      assert.isTrue(quick.passed >= 6_000 && quick.passed <= 8_000, `${quick.passed}`)
      assert.isTrue(patient.passed >= 50_000 && patient.passed <= 53_000, `${patient.passed}`)
      assert.strictEqual(quick.reason, "it left requests for headers unanswered")
    }).pipe(Effect.scoped))

  it.effect("NODE_IBD_WAN_SINGLE_PEER: blocks come from one peer alone, and from another when it goes", () =>
    Effect.gen(function*() {
      const { add, model, session } = yield* syncWith({ NODE_IBD_WAN_SINGLE_PEER: "1" })
      const peers = [add(), add(), add()]
      for (const peer of peers) peer.rate = 10
      yield* session.pass(5_000)
      const asked = peers.filter((peer) => peer.asked.length > 0)
      assert.lengthOf(asked, 1)
      asked[0]!.peer.disconnect({ _tag: "OperatorRequest" })
      yield* session.pass(5_000)
      assert.lengthOf(peers.filter((peer) => peer.asked.length > 0), 2)
      yield* session.pass(60_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
    }).pipe(Effect.scoped))

  it.effect("NODE_IBD_WAN_SINGLE_PEER: a peer that owes one block is waited for as well", () =>
    Effect.gen(function*() {
      const { add, session } = yield* syncWith({ NODE_IBD_WAN_SINGLE_PEER: "1" })
      const [debtor, other] = [add(), add()]
      for (const { peer } of [debtor, other]) session.sync.state.peers.get(peer.id)!.syncStarted = true
      debtor.sendsBlocks = false
      const headers = (from: ChainPeer, count: number) =>
        session.give(from.peer, { command: "headers", headers: CHAIN.slice(0, count) })
      yield* headers(debtor, 1)
      yield* session.pass(200)
      yield* headers(other, 10)
      yield* session.pass(1_000)
      assert.deepStrictEqual([debtor.asked.length, other.asked.length], [1, 0])
      debtor.peer.disconnect({ _tag: "OperatorRequest" })
      yield* session.pass(500)
      assert.lengthOf(other.asked, 10)
    }).pipe(Effect.scoped))

  it.effect("max_headers_results: a message of so many headers is not the last", () =>
    Effect.gen(function*() {
      const asked = Effect.fnUntraced(function*(most: number, length: number) {
        const model = chainModel(LATER)
        const session = yield* syncSession({
          ...model,
          context: { ...model.context, limits: { ...DEFAULT_LIMITS, headers: most } }
        })
        const { peer } = session.add("outbound-full-relay", CHAIN.slice(0, length))
        yield* session.pass(1_000)
        return peer.sent.filter(({ command }) => command === "getheaders").length
      })
      assert.deepStrictEqual([yield* asked(2_000, 1_000), yield* asked(2_000, 2_000), yield* asked(1_000, 1_000)], [
        1,
        2,
        2
      ])
      // Others send no more than 2,000 at a time, whatever we would take.
      assert.strictEqual(yield* asked(3_000, 2_500), 2)
    }).pipe(Effect.scoped))
})
