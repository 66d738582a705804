import { assert, describe, it } from "@effect/vitest"
import { addHeader } from "../../../src/engine/header-index/header-index.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import type { PeerVersion } from "../../../src/p2p/peer/peer.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { allPeersHadTheirChance } from "../../../src/p2p/sync/headers/headers-of-all-peers.ts"
import {
  endHeaders,
  headersAreComplete,
  startHeaders,
  watchHeaders
} from "../../../src/p2p/sync/headers/start-headers.ts"
import { failureWatch } from "../../../src/p2p/sync/sync-failure.ts"
import { nextStage, syncPercent } from "../../../src/p2p/sync/sync-machine.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainState } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

const DAY = 86_400
const CHAIN = minedChain(5)
const LAST = CHAIN.at(-1)!.time

/** A node with five headers, the last of them so many seconds old, and no block. */
const world = (age = 3 * DAY, minimumChainWork = 0n, isPatient = false) => {
  const model = chainModel(LAST + age, minimumChainWork)
  const { tree } = model.chain
  let last = tree.tip
  for (const header of CHAIN) last = addHeader(tree, last, header.bytes, hashOf(header))
  const traced: Array<TraceEvent> = []
  const sync = syncState(
    { ...model.context, notify: { ...model.context.notify, trace: (happening) => void traced.push(happening) } },
    { ...SETTINGS, isPatient },
    plainState(() => true)
  )
  const add = (more: Partial<PeerSync> = {}) =>
    madePeerSync(sync, "outbound-full-relay", { syncStarted: false, hasSentHeaders: false, ...more })
  const now = () => unixMilliseconds(model.clock)
  /** A peer that headers are fetched from since `ago` milliseconds. */
  const source = (more: Partial<PeerSync> = {}, ago = 0) => {
    sync.headersFrom++
    return add({
      syncStarted: true,
      askedForHeaders: model.clock - ago,
      headersDeadline: model.clock + 900_000,
      ...more
    })
  }
  return {
    add,
    model,
    now,
    source,
    sync,
    traced,
    /** Whether headers are fetched from the peer now. */
    begins: (from: PeerSync) => {
      startHeaders(sync, from, now())
      return from.syncStarted
    },
    watch: (from: PeerSync) => watchHeaders(sync, from, now())
  }
}

describe("headers are fetched", () => {
  it("from the first peer: from one header back, with a deadline by how many are missing", () => {
    const { add, model, begins, sync, traced } = world()
    const from = add()
    assert.isTrue(begins(from))
    const [message] = from.peer.sent
    assert.deepStrictEqual(message?.command === "getheaders" && message.locator[0], hashOf(CHAIN[3]!))
    // Three days are 432 intervals: a quarter of an hour, and a millisecond for each.
    assert.strictEqual(from.headersDeadline, model.clock + 900_000 + 432)
    assert.strictEqual(sync.headersFrom, 1)
    assert.deepStrictEqual(traced, [{ _tag: "HeadersRequested", peer: from.peer.id, height: 4, startHeight: 0 }])
    begins(from)
    assert.deepStrictEqual([sync.headersFrom, from.peer.sent.length], [1, 1])
  })

  it("with a line of the height that the peer's version has, and 0 where none has come", () => {
    const heightOf = (hello: (given: PeerVersion) => PeerVersion | undefined) => {
      const { add, begins, traced } = world()
      const from = add()
      from.peer.hello = hello(from.peer.hello!)
      assert.isTrue(begins(from))
      return traced.map((each) => each._tag === "HeadersRequested" ? each.startHeight : undefined)
    }
    assert.deepStrictEqual(heightOf((given) => ({ ...given, startHeight: 812 })), [812])
    assert.deepStrictEqual(heightOf(() => undefined), [0])
  })

  it("not from one that serves no blocks, nor from one that was asked just now", () => {
    const { add, begins, model, sync } = world()
    assert.isFalse(begins(add({ servesBlocks: false })))
    assert.isFalse(begins(add({ askedForHeaders: model.clock - 1 })))
    assert.strictEqual(sync.headersFrom, 0)
  })

  it("from all while the best header is younger than a day", () => {
    for (const [age, isBegun] of [[DAY - 1, true], [DAY, false]] as const) {
      const { add, begins, source } = world(age)
      source()
      assert.strictEqual(begins(add()), isBegun)
    }
  })

  it("from an addr-fetch peer once the best header is younger than a day, though it is the only one", () => {
    for (const [age, isBegun] of [[DAY - 1, true], [DAY, false]] as const) {
      for (const isPatient of [false, true]) {
        const { add, begins } = world(age, 0n, isPatient)
        const from = add({ isPreferred: false })
        Object.assign(from.peer, { kind: "addr-fetch" })
        assert.strictEqual(begins(from), isBegun)
      }
    }
  })

  it("with no less than the base time where the best header is from the future", () => {
    const { add, begins, model } = world(-DAY)
    const from = add()
    begins(from)
    assert.strictEqual(from.headersDeadline, model.clock + 900_000)
  })

  it("from a second one when the first has not answered for two seconds, has no more, or is not preferred", () => {
    const joined = (more: Partial<PeerSync>, ago: number, isPreferred = true) => {
      const { add, begins, source } = world(3 * DAY, 1_000n)
      add({ isPreferred: true })
      source(more, ago)
      return begins(add({ isPreferred }))
    }
    assert.isFalse(joined({}, 2_000))
    assert.isTrue(joined({}, 2_001))
    assert.isFalse(joined({ hasSentHeaders: true }, 2_001))
    assert.isFalse(joined({ askedForHeaders: 0 }, 0))
    assert.isTrue(joined({ hasSentHeaders: true, headersDoneSince: 1 }, 0))
    assert.isTrue(joined({ isPreferred: false }, 0))
    // An inbound one only when all the others have no more.
    assert.isFalse(joined({}, 2_001, false))
    assert.isTrue(joined({ headersDoneSince: 1 }, 0, false))
  })

  it("from an inbound one first where none is preferred, and not before one was asked where one is", () => {
    const alone = world()
    assert.isTrue(alone.begins(alone.add({ isPreferred: false })))
    const { add, begins } = world()
    add()
    assert.isFalse(begins(add({ isPreferred: false })))
  })

  it("not from a second one of the same kind while the first one answers", () => {
    for (const isPreferred of [true, false]) {
      const { add, begins, source } = world()
      source({ isPreferred })
      assert.isFalse(begins(add({ isPreferred })))
    }
  })

  it("from every peer when all headers are here and blocks are missing", () => {
    const { add, begins, source, sync } = world()
    source({ headersDoneSince: 1, hasSentHeaders: true })
    source({ hasSentHeaders: true })
    assert.isTrue(headersAreComplete(sync))
    assert.isTrue(begins(add()))
  })

  it("to the end: a peer that is fetched from has no more, and the chain has work enough", () => {
    const { add, source, sync } = world()
    assert.isFalse(headersAreComplete(sync))
    add({ headersDoneSince: 1 })
    source()
    assert.isFalse(headersAreComplete(sync))
    source({ headersDoneSince: 1 })
    assert.isTrue(headersAreComplete(sync))
    const { chainWork } = sync.context.chain.tree.bestHeader
    for (const [work, isComplete] of [[chainWork, true], [chainWork + 1n, false]] as const) {
      const other = world(3 * DAY, work)
      other.source({ headersDoneSince: 1 })
      assert.strictEqual(headersAreComplete(other.sync), isComplete)
    }
  })

  it("no more after the end, and then from the beginning", () => {
    const { source, sync } = world()
    const from = source({ headersDoneSince: 1, hasSentHeaders: true })
    endHeaders(sync, from)
    const { askedForHeaders, hasSentHeaders, headersDeadline, headersDoneSince, syncStarted } = from
    assert.deepStrictEqual([askedForHeaders, hasSentHeaders, headersDeadline, headersDoneSince, syncStarted], [
      0,
      false,
      Infinity,
      0,
      false
    ])
    endHeaders(sync, from)
    assert.strictEqual(sync.headersFrom, 0)
  })
})

describe("a peer that headers are awaited from", () => {
  it("may take its time once the best header is recent", () => {
    const { source, watch } = world(DAY - 1)
    const from = source({ headersDeadline: 1 })
    watch(from)
    assert.deepStrictEqual([from.headersDeadline, from.peer.gone], [Infinity, undefined])
  })

  it("is not held to an answer that it does not owe: no request, no deadline, or a node that waits", () => {
    const failures = (more: Partial<PeerSync>, isPatient = false) => {
      const { source, watch } = world(3 * DAY, 0n, isPatient)
      const from = source(more, 600_000)
      watch(from)
      return [from.headersFailures, from.syncStarted, from.peer.sent.length]
    }
    assert.deepStrictEqual(failures({}), [1, true, 1])
    for (const more of [{ askedForHeaders: 0 }, { headersDeadline: Infinity }]) {
      assert.deepStrictEqual(failures(more), [0, true, 0])
    }
    assert.deepStrictEqual(failures({}, true), [0, true, 0])
  })

  it("is disconnected after its deadline where there is another, and kept where it is trusted", () => {
    const late = (more: Partial<PeerSync> = {}, { after = 1, others = 1, sources = 1, isTrusted = false } = {}) => {
      const { add, model, source, traced, watch } = world()
      for (let i = 0; i < others; i++) add()
      for (let i = 1; i < sources; i++) source()
      const from = source({ headersDeadline: model.clock - after, ...more })
      Object.assign(from.peer, { isTrusted })
      watch(from)
      return [from.peer.gone?.reason, from.syncStarted, traced.length]
    }
    const reason = "it took too long to send headers"
    assert.deepStrictEqual(late(), [reason, true, 1])
    assert.deepStrictEqual(late({}, { after: 0 }), [undefined, true, 0])
    assert.deepStrictEqual(late({}, { others: 0 }), [undefined, true, 0])
    assert.deepStrictEqual(late({}, { sources: 2 }), [undefined, true, 0])
    assert.deepStrictEqual(late({ isPreferred: false }, { sources: 2 }), [reason, true, 1])
    assert.deepStrictEqual(late({}, { isTrusted: true }), [undefined, false, 1])
    assert.deepStrictEqual(late({ syncStarted: false }), [undefined, false, 0])
  })

  it("gets a few requests, with another peer in between", () => {
    const { add, source, sync, watch } = world()
    const from = source({}, 30_000)
    watch(from)
    assert.strictEqual(from.headersFailures, 0)
    from.askedForHeaders--
    watch(from)
    // No other peer: it is asked again at once.
    assert.deepStrictEqual([from.headersFailures, from.peer.sent.length, from.syncStarted], [1, 1, true])
    assert.strictEqual(from.askedForHeaders, sync.context.environment.now())
    add()
    from.askedForHeaders -= 30_001
    watch(from)
    assert.deepStrictEqual([from.headersFailures, from.peer.sent.length, from.syncStarted], [2, 1, false])
  })

  it("is disconnected when it left ten of them unanswered, and begins anew where it is trusted", () => {
    const { source, watch } = world()
    const from = source({ headersFailures: 8 }, 30_001)
    watch(from)
    assert.isFalse(from.peer.isGone)
    from.askedForHeaders -= 30_001
    watch(from)
    assert.strictEqual(from.peer.gone?.reason, "it left requests for headers unanswered")
    const trusted = source({ headersFailures: 9 }, 30_001)
    Object.assign(trusted.peer, { isTrusted: true })
    watch(trusted)
    assert.deepStrictEqual([trusted.peer.gone, trusted.syncStarted, trusted.headersFailures], [undefined, false, 0])
  })
})

describe("every peer has had its chance", () => {
  it("when it has shown all its headers, or left a request unanswered, unless it serves no blocks or is gone", () => {
    const chances = (more: Partial<PeerSync>, isGone = false, kind = "outbound-full-relay") => {
      const { add, sync } = world()
      add({ headersDoneSince: 1 })
      Object.assign(add(more).peer, { isGone, kind })
      return allPeersHadTheirChance(sync)
    }
    assert.isFalse(chances({}))
    assert.isTrue(chances({ headersDoneSince: 1 }))
    assert.isTrue(chances({ headersFailures: 1 }))
    assert.isTrue(chances({ servesBlocks: false }))
    assert.isTrue(chances({}, true))
    assert.isTrue(chances({}, false, "addr-fetch"))
  })
})

describe("the sync fails", () => {
  const LONELY = "there is no other node to fetch the chain from"

  it("after a minute without a peer while something is fetched, and not before", () => {
    for (const stage of ["Headers", "Blocks"] as const) {
      const { sync } = world()
      const { look } = failureWatch(sync)
      assert.deepStrictEqual([0, 59_999, 60_000].map((at) => look(stage, unixMilliseconds(at))), [
        undefined,
        undefined,
        LONELY
      ])
      // It stays so at the stage Error, until a peer comes.
      assert.strictEqual(look("Error", unixMilliseconds(60_001)), LONELY)
      madePeerSync(sync, "inbound")
      assert.isUndefined(look("Error", unixMilliseconds(60_002)))
    }
    const { look } = failureWatch(world().sync)
    assert.deepStrictEqual([0, 60_000].map((at) => look("Synced", unixMilliseconds(at))), [undefined, undefined])
  })

  it("not while a peer serves blocks; one that is gone does not", () => {
    const { add, sync } = world()
    const { look } = failureWatch(sync)
    add({ servesBlocks: false })
    const server = add()
    for (const at of [0, 60_000]) assert.isUndefined(look("Blocks", unixMilliseconds(at)))
    Object.assign(server.peer, { isGone: true })
    assert.isUndefined(look("Blocks", unixMilliseconds(70_000)))
    assert.strictEqual(look("Blocks", unixMilliseconds(130_000)), LONELY)
  })

  it("after three refusals of the engine in a row", () => {
    const { sync } = world()
    const { look } = failureWatch(sync)
    sync.refusals = 2
    assert.isUndefined(look("Blocks", unixMilliseconds(0)))
    sync.refusals = 3
    assert.strictEqual(look("Blocks", unixMilliseconds(0)), "blocks that come are not taken in")
  })
})

describe("the stages of the sync", () => {
  it("follow one another, and nothing else leads anywhere", () => {
    const triggers = ["begin", "headers complete", "blocks complete", "blocks missing", "failure", "recovery"] as const
    const ways = (["Initial", "Headers", "Blocks", "Synced", "Error"] as const).map((stage) =>
      triggers.map((trigger) => nextStage(stage, trigger) ?? "").join()
    )
    assert.deepStrictEqual(ways, [
      "Headers,,,,Error,",
      ",Blocks,,,Error,",
      ",,Synced,,Error,",
      ",,,Blocks,Error,",
      ",,,,,Initial"
    ])
  })

  it("are 30 and 60 percent of the whole when headers and blocks are done", () => {
    assert.deepStrictEqual([0, 0.5, 1].map((part) => syncPercent("Headers", part)), [0, 15, 30])
    assert.deepStrictEqual([0, 0.5, 1].map((part) => syncPercent("Blocks", part)), [30, 45, 60])
    assert.deepStrictEqual((["Initial", "Error", "Synced"] as const).map((each) => syncPercent(each, 0.5)), [0, 0, 100])
  })
})

describe("headers where peers are waited for as in Bitcoin Core", () => {
  /** Whether a peer begins while blocks are in flight or not, beside a peer that is preferred or not. */
  const begins = (isPreferred: boolean, isOtherPreferred: boolean, isInFlight: boolean, headersFrom = 0): boolean => {
    const { add, begins: mayBegin, sync } = world(3 * DAY, 0n, true)
    const other = add({ isPreferred: isOtherPreferred, servesBlocks: true })
    const node = sync.context.chain.tree.nodes[1]!
    if (isInFlight) sync.inFlight.set(node.index, [{ node, peer: other, since: 0, compact: undefined }])
    sync.headersFrom = headersFrom
    return mayBegin(add({ isPreferred }))
  }

  it("come from an inbound peer where no preferred one is there, or none has a block in flight", () => {
    assert.isTrue(begins(false, false, true))
    assert.isTrue(begins(false, true, false))
    assert.isFalse(begins(false, true, true))
    assert.isTrue(begins(true, true, true))
  })

  it("come from one peer alone", () => {
    for (const isPreferred of [true, false]) assert.isFalse(begins(isPreferred, false, false, 1))
  })
})
