import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { chainModel, hashOf, minedChain, type ScriptedPeer } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const commands = ({ sent }: ScriptedPeer): ReadonlyArray<string> => sent.map(({ command }) => command)

const CHAIN = minedChain(2_500)
/** A day after the last block: the chain is old, so this is an initial download. */
const LATER = CHAIN.at(-1)!.time + 3 * 86_400
const SOON = CHAIN.at(-1)!.time + 60

describe("sync", () => {
  it.effect("fetches all headers from one peer and all blocks from all, each once", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const peers = [1, 2, 3].map(() => session.add("outbound-full-relay", CHAIN))
      yield* session.pass(10_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      const asked = peers.flatMap((each) => each.asked)
      assert.strictEqual(new Set(asked).size, 2_500)
      assert.strictEqual(asked.length, 2_500)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
      assert.deepStrictEqual(
        [...new Set(model.events.map(({ type }) => type))].filter((type) => !type.endsWith("Progress")),
        ["SyncStateChanged", "HeadersSyncStarted", "HeadersSyncCompleted", "BlockSyncStarted", "BlockSyncCompleted"]
      )
    }).pipe(Effect.scoped))

  it.effect("keeps to one peer while headers are old, and asks all peers once they are recent", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const [first, second] = [session.add("outbound-full-relay", CHAIN), session.add("outbound-full-relay", CHAIN)]
      first.sendsHeaders = false
      yield* session.pass(1_000)
      assert.deepStrictEqual(commands(first.peer).slice(0, 1), ["getheaders"])
      assert.deepStrictEqual(commands(second.peer), [])
      model.clock = SOON * 1_000
      first.sendsHeaders = true
      const recent = yield* syncSession(chainModel(CHAIN[0]!.time))
      const both = [recent.add("outbound-full-relay", CHAIN), recent.add("inbound", CHAIN)]
      yield* recent.pass(100)
      for (const { peer } of both) assert.include(commands(peer), "getheaders")
    }).pipe(Effect.scoped))

  it.effect("asks one peer after another where the first ones have nothing, and is not over before all have answered", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const [empty, second, third] = [[], [], CHAIN].map((chain) => session.add("outbound-full-relay", chain))
      for (let passed = 0; passed < 10_000 && session.sync.progress.stage() !== "Synced"; passed += 100) {
        yield* session.pass(100)
      }
      assert.deepStrictEqual([commands(empty!.peer), commands(second!.peer)], [["getheaders"], ["getheaders"]])
      assert.strictEqual(third!.asked.length, 2_500)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))

  it.effect("asks an untrusted inbound peer at once where the outbound ones have nothing", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      session.add("outbound-full-relay", [])
      session.add("inbound", CHAIN)
      for (let passed = 0; passed < 10_000 && session.sync.progress.stage() !== "Synced"; passed += 100) {
        yield* session.pass(100)
      }
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
    }).pipe(Effect.scoped))

  it.effect("goes on at the next peer when one has shown a short chain of too little work", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER, 4_000n)
      const session = yield* syncSession(model)
      session.add("outbound-full-relay", CHAIN.slice(0, 10))
      session.add("outbound-full-relay", CHAIN)
      yield* session.pass(10_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
    }).pipe(Effect.scoped))

  it.effect("waits for a peer that does not answer as long as for any headers, and no longer", () =>
    Effect.gen(function*() {
      for (const kind of ["outbound-full-relay", "inbound"] as const) {
        const session = yield* syncSession(chainModel(LATER))
        session.add("outbound-full-relay", [])
        session.add(kind, CHAIN).sendsHeaders = false
        yield* session.pass(20_000)
        assert.strictEqual(session.sync.progress.stage(), "Headers", kind)
        assert.isBelow(session.sync.progress.percent(), 1)
        yield* session.pass(15_000)
        assert.strictEqual(session.sync.progress.stage(), "Synced", kind)
      }
    }).pipe(Effect.scoped))

  it.effect("with a young best header it is not over before all peers have shown theirs", () =>
    Effect.gen(function*() {
      const model = chainModel(SOON)
      const here = CHAIN.slice(0, 2_400)
      yield* model.chain.acceptHeaders(concatBytes(here.map(({ bytes }) => bytes)))
      for (const { bytes } of here) yield* model.chain.acceptBlock(bytes, true)
      const session = yield* syncSession(model)
      session.add("outbound-full-relay", here)
      const slow = session.add("outbound-full-relay", CHAIN)
      slow.sendsHeaders = false
      yield* session.pass(5_000)
      assert.notStrictEqual(session.sync.progress.stage(), "Synced")
      // Its answer comes late.
      yield* session.give(slow.peer, { command: "headers", headers: CHAIN.slice(2_400) })
      yield* session.pass(5_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))

  it.effect("is not over any longer once a later peer shows a chain that goes much further", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      session.add("outbound-full-relay", [])
      yield* session.pass(5_000)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
      session.add("outbound-full-relay", CHAIN).rate = 10
      yield* session.pass(5_000)
      assert.strictEqual(session.sync.progress.stage(), "Blocks")
      assert.isBelow(session.sync.progress.percent(), 60)
      yield* session.pass(60_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))

  it.effect("stays over while new blocks come one after another", () =>
    Effect.gen(function*() {
      const model = chainModel(SOON)
      const here = CHAIN.slice(0, 2_480)
      yield* model.chain.acceptHeaders(concatBytes(here.map(({ bytes }) => bytes)))
      for (const { bytes } of here) yield* model.chain.acceptBlock(bytes, true)
      model.initialBlockDownload = false
      const session = yield* syncSession(model)
      const from = session.add("outbound-full-relay", here)
      yield* session.pass(2_000)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
      from.sendsBlocks = false
      yield* session.give(from.peer, { command: "headers", headers: CHAIN.slice(2_480) })
      yield* session.pass(2_000)
      assert.strictEqual(model.chain.tree.bestHeader.height, 2_500)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))

  it.effect("is not over at a chain of too little work, whatever a peer with nothing says", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER, 4_000n)
      const session = yield* syncSession(model)
      session.add("outbound-full-relay", [])
      yield* session.pass(5_000)
      assert.strictEqual(session.sync.progress.stage(), "Headers")
      const good = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(60_000)
      assert.include(commands(good.peer), "getheaders")
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.strictEqual(session.sync.progress.stage(), "Synced")
    }).pipe(Effect.scoped))

  it.effect("asks another peer when one leaves requests for headers unanswered", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const silent = session.add("outbound-full-relay", CHAIN)
      silent.sendsHeaders = false
      const good = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(60_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.include(commands(good.peer), "getheaders")
    }).pipe(Effect.scoped))

  it.effect("disconnects a peer that never answers, unless the operator trusts it", () =>
    Effect.gen(function*() {
      for (const isTrusted of [false, true]) {
        const session = yield* syncSession(chainModel(LATER), { headersFailures: 2, headersTimeout: 1_000 })
        const silent = session.add("outbound-full-relay", CHAIN)
        Object.assign(silent.peer, { isTrusted })
        silent.sendsHeaders = false
        yield* session.pass(10_000)
        assert.strictEqual(silent.peer.gone?.reason, isTrusted ? undefined : "it left requests for headers unanswered")
        const good = session.add("outbound-full-relay", CHAIN)
        yield* session.pass(20_000)
        assert.strictEqual(session.model.chain.tree.tip.height, 2_500)
        assert.isUndefined(good.peer.gone)
      }
    }).pipe(Effect.scoped))

  it.effect("does not wait for a silent inbound peer that was there before the outbound one", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      session.add("inbound", CHAIN).sendsHeaders = false
      yield* session.pass(100)
      const good = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(100)
      assert.include(commands(good.peer), "getheaders")
    }).pipe(Effect.scoped))

  it.effect("asks one inbound peer after another when the first ones never answer", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const silent = [1, 2].map(() => session.add("inbound", CHAIN))
      for (const each of silent) each.sendsHeaders = false
      const good = session.add("inbound", CHAIN)
      yield* session.pass(3_000)
      assert.deepStrictEqual(commands(good.peer), [])
      yield* session.pass(3_000)
      assert.include(commands(good.peer), "getheaders")
      yield* session.pass(4_000)
      assert.strictEqual(model.chain.tree.bestHeader.height, 2_500)
    }).pipe(Effect.scoped))

  it.effect("disconnects a peer that stalls the block download window after two seconds, and fetches its blocks elsewhere", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const good = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(100)
      const staller = session.add("outbound-full-relay", CHAIN)
      staller.sendsBlocks = false
      good.sendsBlocks = true
      yield* session.pass(20_000)
      assert.strictEqual(model.chain.tree.tip.height, 2_500)
      assert.isTrue(staller.asked.length > 0, "it was asked")
      assert.strictEqual(staller.peer.gone?.reason, "stalls the block download")
      assert.isUndefined(good.peer.gone)
    }).pipe(Effect.scoped))

  it.effect("never asks beyond 1,024 blocks behind the first that is missing", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model, { blocksPerPeer: 100_000 })
      const mute = session.add("manual", CHAIN)
      mute.sendsBlocks = false
      yield* session.pass(500)
      // It takes over what is owed, and does not send it either.
      const other = session.add("manual", CHAIN)
      other.pendingNotifications = new Set(CHAIN.slice(0, 16).map((header) => hex(hashOf(header))))
      yield* session.pass(3_000)
      assert.strictEqual(model.chain.tree.tip.height, 0)
      const heights = new Map(CHAIN.map((header, i) => [hex(hashOf(header)), i + 1]))
      const highest = Math.max(...[...mute.asked, ...other.asked].map((hash) => heights.get(hash)!))
      assert.strictEqual(highest, 1_024)
      assert.strictEqual(mute.asked.length, 16)
    }).pipe(Effect.scoped))

  it.effect("discourages the sender of an invalid block, and no other peer", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      model.invalid.add(hex(hashOf(CHAIN[99]!)))
      const session = yield* syncSession(model)
      const liar = session.add("outbound-full-relay", CHAIN)
      yield* session.pass(5_000)
      assert.strictEqual(model.chain.tree.tip.height, 99)
      assert.deepStrictEqual(liar.peer.gone, { reason: "bad-txns", discouraged: true })
    }).pipe(Effect.scoped))

  it.effect("follows a reorganisation while it downloads", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const branch = [...CHAIN.slice(0, 500), ...minedChain(2_100, 9, hashOf(CHAIN[499]!), CHAIN[499]!.time)]
      session.add("outbound-full-relay", CHAIN)
      yield* session.pass(300)
      session.add("outbound-full-relay", branch)
      yield* session.pass(200)
      // The one with more work announces it as any new block.
      const last = model.peers.get(1)!
      session.sync.blocksAnnounced(last, [hashOf(branch.at(-1)!)])
      yield* session.pass(10_000)
      assert.strictEqual(hex(model.chain.tree.tip.hash), hex(hashOf(branch.at(-1)!)))
    }).pipe(Effect.scoped))

  it.effect("asks a peer without witnesses for nothing that has some, and a pruned one for the last blocks only", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const old = session.add("outbound-full-relay", CHAIN, 1n)
      const pruned = session.add("outbound-full-relay", CHAIN, 0x408n)
      yield* session.pass(3_000)
      assert.deepStrictEqual(old.asked, [])
      assert.deepStrictEqual(pruned.asked, [])
    }).pipe(Effect.scoped))
})

describe("limits of the sync", () => {
  it.effect("CVE-2024-52915: an inv of many blocks brings one getheaders", () =>
    Effect.gen(function*() {
      const model = chainModel(SOON)
      const session = yield* syncSession(model)
      const { peer } = session.add("inbound", [])
      session.sync.blocksAnnounced(peer, CHAIN.map(hashOf))
      session.sync.blocksAnnounced(peer, CHAIN.map(hashOf))
      assert.deepStrictEqual(commands(peer), ["getheaders"])
    }).pipe(Effect.scoped))

  it.effect("CVE-2024-52921: rubbish in place of a block that another was asked for leaves the waiting as it is; the block ends it", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER)
      const session = yield* syncSession(model)
      const slow = session.add("outbound-full-relay", CHAIN)
      slow.sendsBlocks = false
      yield* session.pass(300)
      const waiting = session.sync.state.inFlight.size
      assert.isTrue(waiting > 0)
      const inbound = session.add("inbound", CHAIN)
      const header = CHAIN[0]!
      const rubbish = Uint8Array.from([...header.bytes, 0])
      yield* session.give(inbound.peer, { command: "block", header, bytes: rubbish })
      assert.strictEqual(session.sync.state.inFlight.size, waiting)
      // Here and whole: no peer is to be disconnected for not sending it.
      yield* session.give(inbound.peer, { command: "block", header, bytes: header.bytes })
      assert.strictEqual(session.sync.state.inFlight.size, waiting - 1)
    }).pipe(Effect.scoped))

  it.effect("CVE-2019-25220: nothing of a chain with too little work is stored", () =>
    Effect.gen(function*() {
      const model = chainModel(LATER, 2n * 2_600n)
      const session = yield* syncSession(model)
      session.add("outbound-full-relay", CHAIN)
      yield* session.pass(5_000)
      assert.strictEqual(model.chain.tree.nodes.length, 1)
      const enough = chainModel(LATER, 2n * 2_400n)
      const other = yield* syncSession(enough)
      const peer = other.add("outbound-full-relay", CHAIN)
      yield* other.pass(10_000)
      assert.strictEqual(enough.chain.tree.tip.height, 2_500)
      // Added up, fetched again from the start, and the rest.
      assert.isTrue(commands(peer.peer).filter((command) => command === "getheaders").length >= 4)
    }).pipe(Effect.scoped))

  it.effect("headers that do not hang together, or have no work, discourage their sender", () =>
    Effect.gen(function*() {
      const session = yield* syncSession(chainModel(LATER))
      const gap = session.add("inbound", [])
      yield* session.give(gap.peer, { command: "headers", headers: [CHAIN[0]!, CHAIN[2]!] })
      assert.deepStrictEqual(gap.peer.gone, { reason: "non-continuous headers sequence", discouraged: true })
      const idle = session.add("inbound", [])
      const bytes = CHAIN[0]!.bytes.slice()
      const workless = { ...CHAIN[0]!, bytes, bits: 0x1d00ffff }
      new DataView(bytes.buffer).setUint32(72, 0x1d00ffff, true)
      yield* session.give(idle.peer, { command: "headers", headers: [workless] })
      assert.deepStrictEqual(idle.peer.gone, { reason: "header with invalid proof of work", discouraged: true })
    }).pipe(Effect.scoped))
})
