import type { BlockTemplate, NetworkStream } from "@lockstep/sdk"
import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { openChannel } from "../stratum-v2/src/channel.ts"
import { miningConnection } from "../stratum-v2/src/connection.ts"
import { openDeclaredJobs } from "../stratum-v2/src/job-declaration/declared-jobs.ts"
import { type Job, openJobs } from "../stratum-v2/src/jobs.ts"
import { authorityKeyOf, signedCertificate } from "../stratum-v2/src/noise/certificate.ts"
import { newKeyPair, publicX } from "../stratum-v2/src/noise/handshake.ts"
import { openServer } from "../stratum-v2/src/server.ts"
import { PROTOCOLS } from "../stratum-v2/src/set-up.ts"
import { rulesOf, SETTINGS } from "../stratum-v2/src/settings.ts"
import type { Message, MessageOf } from "../stratum-v2/src/wire/messages.ts"
import { setupConnection } from "./setup-connection.ts"
import { blockTemplate } from "./block-template.ts"
import { scriptedMiner } from "./stratum-v2-miner.ts"

const AUTHORITY = new Uint8Array(32).fill(7)
const RULES = rulesOf({
  ...SETTINGS,
  payout_address: "anyone",
  job_declaration: true,
  template_distribution: true,
  least_difficulty: 1e-12
})

/** The template of a tip, named by one byte. */
const templateOn = (tip: number, height = 100): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32).fill(tip),
    height
  })

/** Whatever a test has opened, the last first. */
const ends: Array<() => unknown> = []
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }))
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
  vi.useRealTimers()
})

/** A server on a socket, as the module serves streams of its node. */
const served = async (time: () => number = Date.now) => {
  const keys = newKeyPair()
  const now = Date.now() / 1_000
  const certificate = signedCertificate(AUTHORITY, publicX(keys), { from: now - 60, until: now + 3_600 })
  const connected: Array<string> = []
  const disconnected: Array<string> = []
  const warned: Array<string> = []
  const server = openServer({
    server: keys,
    certificate: () => certificate,
    rules: RULES,
    propose: () => Promise.resolve(undefined),
    found: () => undefined,
    warn: (text) => void warned.push(text),
    now: time,
    connected: (endpoint) => void connected.push(endpoint),
    disconnected: (endpoint) => void disconnected.push(endpoint),
    shared: () => undefined
  })
  const listener = createServer((socket) => {
    socket.on("error", () => undefined)
    server.serve(socket as unknown as NetworkStream)
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  ends.push(() => listener.close())
  const { port } = listener.address() as AddressInfo
  const join = async () => {
    const miner = await scriptedMiner(port, authorityKeyOf(AUTHORITY))
    ends.push(() => miner.end())
    return miner
  }
  /** Resolves when so many of those that were connected are gone. */
  const gone = (count: number): Promise<void> => vi.waitFor(() => assert.lengthOf(disconnected, count))
  return { connected, gone, join, port, server, warned }
}

describe("a server of Stratum V2", () => {
  it("serves sixteen that declare jobs at once, and the next one when one has left, however often", async () => {
    const { gone, join } = await served()
    const declarer = async () => {
      const miner = await join()
      miner.send(setupConnection(PROTOCOLS.jobDeclaration, 1))
      return miner
    }
    const first = await Promise.all(Array.from({ length: 16 }, declarer))
    for (const each of first) await each.next("SetupConnection.Success")
    const refused = await declarer()
    assert.strictEqual((await refused.next("SetupConnection.Error")).error_code, "too-many-connections")
    await refused.closed
    await gone(1)
    for (const each of first) each.end()
    await gone(17)
    for (let i = 0; i < 16; i++) {
      const each = await declarer()
      await each.next("SetupConnection.Success")
    }
    const again = await declarer()
    assert.strictEqual((await again.next("SetupConnection.Error")).error_code, "too-many-connections")
  })

  it("has no timer for a miner that is gone, and does not count it", async () => {
    const { gone, join, server } = await served()
    server.take(templateOn(1))
    assert.strictEqual(vi.getTimerCount(), 0)
    const [one, other] = [await join(), await join()]
    for (const each of [one, other]) {
      each.send(setupConnection(PROTOCOLS.mining, 0))
      await each.next("SetupConnection.Success")
    }
    assert.deepStrictEqual([server.miners().length, vi.getTimerCount()], [2, 2])
    one.end()
    await gone(1)
    assert.deepStrictEqual([server.miners().length, vi.getTimerCount()], [1, 1])
    other.end()
    await gone(2)
    assert.deepStrictEqual([server.miners().length, vi.getTimerCount()], [0, 0])
    // One that is gone is sent nothing.
    server.take(templateOn(2))
  })

  it("judges the pace of each miner every ten seconds, and closes the channels of one that is gone", async () => {
    let looks = 0
    const { gone, join, server } = await served(() => looks++)
    const miner = await join()
    miner.send(setupConnection(PROTOCOLS.mining, 0))
    await miner.next("SetupConnection.Success")
    const max_target = new Uint8Array(32).fill(0xff)
    miner.send({
      _tag: "OpenStandardMiningChannel",
      request_id: 1,
      user_identity: "u",
      nominal_hash_rate: 0,
      max_target
    })
    await miner.next("OpenStandardMiningChannel.Success")
    const before = looks
    vi.advanceTimersByTime(9_999)
    assert.strictEqual(looks, before)
    vi.advanceTimersByTime(1)
    assert.strictEqual(looks, before + 1)
    const [connection] = server.miners()[0]!
    assert.lengthOf(connection.channels(), 1)
    miner.end()
    await gone(1)
    assert.lengthOf(connection.channels(), 0)
  })

  it("says that a template has no room for what a client adds, and not for one that is gone", async () => {
    const { gone, join, server, warned } = await served()
    server.take(templateOn(1))
    const client = await join()
    client.send(setupConnection(PROTOCOLS.templateDistribution, 0))
    await client.next("SetupConnection.Success")
    client.send({
      _tag: "CoinbaseOutputConstraints",
      coinbase_output_max_additional_size: 100,
      coinbase_output_max_additional_sigops: 0
    })
    await client.next("NewTemplate")
    server.take({ ...templateOn(2), weight_limit: 1_500 })
    assert.deepStrictEqual(warned, ["a template has no room for what a client adds to the coinbase"])
    client.end()
    await gone(1)
    server.take({ ...templateOn(3), weight_limit: 1_500 })
    assert.lengthOf(warned, 1)
  })

  it("waits ten seconds for a handshake, and for none of one that has left", async () => {
    const { connected, port } = await served()
    const silent = connect(port, "127.0.0.1")
    await once(silent, "connect")
    await vi.waitFor(() => assert.strictEqual(vi.getTimerCount(), 1))
    vi.advanceTimersByTime(9_999)
    assert.isFalse(silent.destroyed)
    const closed = once(silent, "close")
    vi.advanceTimersByTime(1)
    await closed
    assert.strictEqual(vi.getTimerCount(), 0)
    const leaving = connect(port, "127.0.0.1")
    await once(leaving, "connect")
    await vi.waitFor(() => assert.strictEqual(vi.getTimerCount(), 1))
    leaving.destroy()
    await vi.waitFor(() => assert.strictEqual(vi.getTimerCount(), 0))
    assert.deepStrictEqual(connected, [])
  })

  it("waits no more once hands are shaken", async () => {
    const { join } = await served()
    const miner = await join()
    await vi.waitFor(() => assert.strictEqual(vi.getTimerCount(), 0))
    vi.advanceTimersByTime(60_000)
    miner.send(setupConnection(PROTOCOLS.templateDistribution, 0))
    await miner.next("SetupConnection.Success")
  })
})

const EXTRANONCE = new Uint8Array(8)

const shareOf = (job_id: number, nonce: number): MessageOf<"SubmitSharesExtended"> => ({
  _tag: "SubmitSharesExtended",
  channel_id: 2,
  sequence_number: 9,
  job_id,
  nonce,
  ntime: 1_700_000_000,
  version: 0x20000000,
  extranonce: EXTRANONCE
})

describe("a channel", () => {
  const opened = (isExtended = true) =>
    openChannel({
      id: 2,
      user: "",
      isExtended,
      connection: new Uint8Array(4),
      vardiff: { shareSeconds: 10, least: 1e-12 },
      hashRate: 0,
      easiest: 2n ** 256n - 1n,
      now: () => 0
    })

  it("takes a share of its own job, once, and no more when the tip has changed", () => {
    const [channel, jobs] = [opened(), openJobs()]
    jobs.add(templateOn(1))
    const id = jobs.newId()
    channel.offer({ ...jobs.newest()!, id })
    assert.isObject(channel.judge(shareOf(id, 1), jobs))
    assert.strictEqual(channel.judge(shareOf(id, 1), jobs), "duplicate-share")
    channel.forget()
    jobs.add(templateOn(2))
    assert.strictEqual(channel.judge(shareOf(id, 2), jobs), "stale-share")
    assert.strictEqual(channel.judge(shareOf(id + 5, 2), jobs), "invalid-job-id")
  })

  it("knows the same share again on another tip, where it is another", () => {
    const [channel, jobs] = [opened(), openJobs()]
    jobs.add(templateOn(1))
    const [first, second] = [jobs.newId(), jobs.newId()]
    channel.offer({ ...jobs.newest()!, id: first })
    channel.offer({ ...jobs.newest()!, id: second })
    assert.isObject(channel.judge(shareOf(first, 1), jobs))
    assert.isObject(channel.judge(shareOf(second, 1), jobs))
    channel.forget()
    jobs.add(templateOn(2))
    channel.offer({ ...jobs.newest()!, id: first })
    assert.isObject(channel.judge(shareOf(first, 1), jobs))
  })

  it("keeps its newest 32 jobs", () => {
    const [channel, jobs] = [opened(), openJobs()]
    jobs.add(templateOn(1))
    const ids = Array.from({ length: 33 }, () => jobs.newId())
    for (const id of ids) channel.offer({ ...jobs.newest()!, id })
    assert.strictEqual(channel.judge(shareOf(ids[0]!, 1), jobs), "stale-share")
    assert.isObject(channel.judge(shareOf(ids[1]!, 1), jobs))
    assert.isObject(channel.judge(shareOf(ids[32]!, 1), jobs))
  })

  it.each<readonly [string, Partial<MessageOf<"SubmitSharesExtended">>]>([
    ["bad-extranonce-size", { extranonce: new Uint8Array(7) }],
    ["invalid-version", { version: 0x20000001 }],
    ["invalid-ntime", { ntime: 1_599_999_999 }],
    ["invalid-ntime", { ntime: 1_700_007_201 }]
  ])("refuses a share as %s for %j", (code, change) => {
    const [channel, jobs] = [opened(), openJobs()]
    jobs.add(templateOn(1))
    const id = jobs.newest()!.id
    assert.strictEqual(channel.judge({ ...shareOf(id, 1), ...change }, jobs), code)
    for (const ntime of [1_600_000_000, 1_700_007_200]) {
      assert.isObject(channel.judge({ ...shareOf(id, 1), ntime }, jobs))
    }
  })
})

/** Bytes of the coinbase before its script: a count, an outpoint and the length. */
const INPUT_BYTES = 1 + 36 + 1

/** A declared job as `SetCustomMiningJob` names it. */
const customOf = ({ branch, coinbase: { after, before }, template }: Job, token: Uint8Array): Message => {
  const uint32 = (bytes: Uint8Array): number => Buffer.from(bytes).readUInt32LE(0)
  return {
    _tag: "SetCustomMiningJob",
    channel_id: 2,
    request_id: 5,
    mining_job_token: token,
    version: template.version,
    prev_hash: template.previous_hash,
    min_ntime: template.min_time,
    nbits: template.bits,
    coinbase_tx_version: uint32(before.subarray(0, 4)),
    coinbase_prefix: before.subarray(4 + INPUT_BYTES),
    coinbase_tx_input_nSequence: uint32(after.subarray(0, 4)),
    coinbase_tx_outputs: after.subarray(4, -4),
    coinbase_tx_locktime: uint32(after.subarray(-4)),
    merkle_path: branch
  }
}

describe("a connection of the mining protocol", () => {
  it("works on a declared job, and its shares are stale on the next tip", () => {
    const [jobs, declared] = [openJobs(), openDeclaredJobs()]
    jobs.add(templateOn(1))
    const job = jobs.newest()!
    const token = declared.add(job)
    const sent: Array<Message> = []
    const found: Array<unknown> = []
    const connection = miningConnection({
      extranonce: new Uint8Array(4),
      rules: RULES,
      jobs,
      declared,
      flags: 2,
      now: () => 0,
      send: (message) => void sent.push(message),
      found: (share) => void found.push(share)
    })
    connection.take({
      _tag: "OpenExtendedMiningChannel",
      request_id: 1,
      user_identity: "",
      nominal_hash_rate: 0,
      max_target: new Uint8Array(32).fill(0xff),
      min_extranonce_size: 0
    })
    connection.take(customOf(job, token))
    const success = sent.at(-1) as MessageOf<"SetCustomMiningJob.Success">
    assert.deepInclude(success, { _tag: "SetCustomMiningJob.Success", request_id: 5, channel_id: 2 })
    connection.take(shareOf(success.job_id, 1))
    assert.strictEqual(sent.at(-1)!._tag, "SubmitShares.Success")
    connection.newTemplate(false)
    connection.take(shareOf(success.job_id, 2))
    assert.strictEqual(sent.at(-1)!._tag, "SubmitShares.Success")
    assert.lengthOf(found, 2)
    jobs.add(templateOn(2))
    connection.newTemplate(true)
    connection.take(shareOf(success.job_id, 3))
    assert.deepInclude(sent.at(-1), { _tag: "SubmitShares.Error", error_code: "stale-share" })
    assert.lengthOf(found, 2)
    connection.take({ _tag: "CloseChannel", channel_id: 2, reason_code: "" })
    assert.lengthOf(connection.channels(), 0)
    connection.take(shareOf(success.job_id, 4))
    assert.deepInclude(sent.at(-1), { _tag: "SubmitShares.Error", error_code: "invalid-channel-id" })
  })
})
