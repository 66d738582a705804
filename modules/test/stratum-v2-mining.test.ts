import { assert, describe, it } from "vitest"
import { openChannel } from "../stratum-v2/src/channel.ts"
import { miningFlags } from "../stratum-v2/src/connection.ts"
import { type Job, openJobs } from "../stratum-v2/src/jobs.ts"
import type { Message, MessageOf } from "../stratum-v2/src/wire/messages.ts"
import { rootAbove } from "./stratum-v2-coinbase.ts"
import {
  AFTER,
  BEFORE,
  codeOf,
  COINBASE,
  connected,
  EASY,
  extended,
  PATH,
  standard,
  STANDARD_PREFIX,
  tagsOf,
  templateOn
} from "./stratum-v2-connected.ts"

describe("flags of a mining connection", () => {
  it("ask for standard jobs and version rolling, and for own transactions where jobs may be declared", () => {
    assert.deepStrictEqual([miningFlags(false), miningFlags(true)], [5, 7])
  })
})

describe("a channel of Stratum V2 that is opened", () => {
  it("is a standard one with all of the extranonce, and a future job that the tip makes present", () => {
    const { ask } = connected()
    const root = rootAbove(COINBASE.txid(STANDARD_PREFIX), PATH)
    const target = new Uint8Array(Buffer.from("ff".repeat(32), "hex"))
    assert.deepStrictEqual(ask(standard()), [
      {
        _tag: "OpenStandardMiningChannel.Success",
        request_id: 3,
        channel_id: 2,
        target,
        extranonce_prefix: STANDARD_PREFIX,
        group_channel_id: 1
      },
      {
        _tag: "NewMiningJob",
        channel_id: 2,
        job_id: 1,
        min_ntime: undefined,
        version: 0x20000000,
        merkle_root: new Uint8Array(root)
      },
      {
        _tag: "SetNewPrevHash",
        channel_id: 2,
        job_id: 1,
        prev_hash: new Uint8Array(32).fill(1),
        min_ntime: 1_700_000_000,
        nbits: 0x207fffff
      }
    ])
  })

  it("is an extended one with eight bytes to count through, and the parts of the coinbase", () => {
    const { ask } = connected()
    const [opened, job, tip] = ask(extended())
    assert.deepInclude(opened, {
      _tag: "OpenExtendedMiningChannel.Success",
      request_id: 4,
      channel_id: 2,
      extranonce_size: 8,
      extranonce_prefix: Uint8Array.of(0, 0, 0, 9, 0, 0, 0, 2),
      group_channel_id: 1
    })
    assert.deepStrictEqual(job, {
      _tag: "NewExtendedMiningJob",
      channel_id: 2,
      job_id: 1,
      min_ntime: undefined,
      version: 0x20000000,
      version_rolling_allowed: true,
      merkle_path: PATH.map((each) => new Uint8Array(each)),
      coinbase_tx_prefix: BEFORE,
      coinbase_tx_suffix: AFTER
    })
    assert.deepInclude(tip, { _tag: "SetNewPrevHash", channel_id: 2, job_id: 1 })
  })

  it("has no job before there is a template, and the next number for each", () => {
    const { ask, connection } = connected(0, false)
    assert.deepStrictEqual(tagsOf(ask(standard())), ["OpenStandardMiningChannel.Success"])
    const [second] = ask(extended())
    assert.deepInclude(second, { channel_id: 3, extranonce_prefix: Uint8Array.of(0, 0, 0, 9, 0, 0, 0, 3) })
    assert.deepStrictEqual(connection.channels().map(({ id, isExtended, user }) => [id, user, isExtended]), [
      [2, "u", false],
      [3, "x", true]
    ])
  })

  it.each<readonly [string, number, Message]>([
    ["invalid-nominal-hashrate", 0, standard({ nominal_hash_rate: -0.5 })],
    ["max-target-out-of-range", 0, standard({ max_target: new Uint8Array(32) })],
    ["min-extranonce-size-too-large", 0, extended({ min_extranonce_size: 9 })],
    ["extended-channels-not-supported", 1, extended()]
  ])("is refused as %s, with the flags %d", (code, flags, message) => {
    const { ask, connection } = connected(flags)
    const answers = ask(message)
    const { request_id } = message as MessageOf<"OpenStandardMiningChannel">
    assert.deepStrictEqual(answers, [{ _tag: "OpenMiningChannel.Error", request_id, error_code: code }])
    assert.lengthOf(connection.channels(), 0)
  })

  it("is one of 1,024 of its connection", () => {
    const { ask, connection } = connected(0, false)
    for (let i = 0; i < 1_024; i++) assert.strictEqual(ask(standard())[0]!._tag, "OpenStandardMiningChannel.Success")
    assert.strictEqual(codeOf(ask(standard())), "too-many-channels")
    ask({ _tag: "CloseChannel", channel_id: 2, reason_code: "" })
    assert.strictEqual(ask(standard())[0]!._tag, "OpenStandardMiningChannel.Success")
    assert.lengthOf(connection.channels(), 1_024)
  })

  it("is closed by its number, and all of them by that of the group", () => {
    const { ask, connection } = connected()
    for (let i = 0; i < 3; i++) ask(standard())
    assert.deepStrictEqual(ask({ _tag: "CloseChannel", channel_id: 3, reason_code: "" }), [])
    assert.deepStrictEqual(connection.channels().map(({ id }) => id), [2, 4])
    ask({ _tag: "CloseChannel", channel_id: 1, reason_code: "" })
    assert.lengthOf(connection.channels(), 0)
    ask(standard())
    connection.end()
    assert.lengthOf(connection.channels(), 0)
  })

  it("ends the connection with a message that a miner does not send", () => {
    assert.isFalse(connected().connection.take({ _tag: "SetTarget", channel_id: 2, maximum_target: EASY }))
  })
})

describe("a new template", () => {
  it("is one job for all channels, present on the same tip and a future one with a new tip", () => {
    const { ask, connection, jobs, seen } = connected()
    ask(standard())
    ask(extended())
    jobs.add(templateOn(1, { current_time: 1_700_000_005 }))
    connection.newTemplate(false)
    const [job, ...more] = seen()
    assert.deepInclude(job, { _tag: "NewExtendedMiningJob", channel_id: 1, job_id: 2, min_ntime: 1_700_000_005 })
    assert.deepStrictEqual(more, [])
    jobs.add(templateOn(2))
    connection.newTemplate(true)
    const [future, tip] = seen()
    assert.deepInclude(future, { _tag: "NewExtendedMiningJob", channel_id: 1, job_id: 3, min_ntime: undefined })
    assert.deepInclude(tip, {
      _tag: "SetNewPrevHash",
      channel_id: 1,
      job_id: 3,
      prev_hash: new Uint8Array(32).fill(2)
    })
  })

  it("is a job for each channel where the miner needs standard jobs", () => {
    const { ask, connection, jobs, seen } = connected(1)
    ask(standard())
    ask(standard())
    jobs.add(templateOn(1))
    connection.newTemplate(false)
    const sent = seen()
    assert.deepStrictEqual(
      sent.map((each) => each._tag === "NewMiningJob" && [each.channel_id, each.job_id, each.min_ntime]),
      [[2, 2, 1_700_000_000], [3, 2, 1_700_000_000]]
    )
  })

  it("is sent to none without a channel", () => {
    const { connection, jobs, seen } = connected()
    jobs.add(templateOn(2))
    connection.newTemplate(true)
    assert.deepStrictEqual(seen(), [])
  })
})

describe("the difficulty of a channel", () => {
  const update = (change: Partial<MessageOf<"UpdateChannel">> = {}): Message => ({
    _tag: "UpdateChannel",
    channel_id: 2,
    nominal_hash_rate: 0,
    maximum_target: EASY,
    ...change
  })

  it("follows the speed that a miner names, and its easiest target", () => {
    const { ask } = connected()
    ask(standard())
    assert.deepStrictEqual(ask(update()), [])
    // One share in ten seconds at difficulty 1: 2^32 hashes each.
    const [harder] = ask(update({ nominal_hash_rate: 2 ** 32 / 10 }))
    const one = new Uint8Array(Buffer.from(`${"00".repeat(26)}ffff00000000`, "hex"))
    assert.deepStrictEqual(harder, { _tag: "SetTarget", channel_id: 2, maximum_target: one })
    const limit = Uint8Array.from({ length: 32 }, (_, i) => i === 0 ? 7 : 0)
    const [limited] = ask(update({ nominal_hash_rate: 2 ** 32 / 10, maximum_target: limit }))
    assert.deepStrictEqual(limited, { _tag: "SetTarget", channel_id: 2, maximum_target: limit })
  })

  it.each([
    ["invalid-channel-id", { channel_id: 3 }],
    ["invalid-nominal-hashrate", { nominal_hash_rate: -1 }]
  ])("is refused as %s with %j", (error_code, change) => {
    const { ask } = connected()
    ask(standard())
    const { channel_id } = update(change) as MessageOf<"UpdateChannel">
    assert.deepStrictEqual(ask(update(change)), [{ _tag: "UpdateChannel.Error", channel_id, error_code }])
  })

  it("falls while nothing is found, and begins a new count with each change", () => {
    const { ask, clock, connection, seen } = connected()
    ask(standard({ nominal_hash_rate: 2 ** 32 / 10 }))
    clock.now = 119_999
    connection.judgePace()
    assert.deepStrictEqual(seen(), [])
    clock.now = 120_000
    connection.judgePace()
    const four = new Uint8Array(Buffer.from(`${"00".repeat(26)}fcff03000000`, "hex"))
    assert.deepStrictEqual(seen(), [{ _tag: "SetTarget", channel_id: 2, maximum_target: four }])
    clock.now = 239_999
    connection.judgePace()
    assert.deepStrictEqual(seen(), [])
    clock.now = 240_000
    connection.judgePace()
    assert.lengthOf(seen(), 1)
  })

  it("is counted anew when the miner names its speed", () => {
    const { ask, clock, connection, seen } = connected()
    ask(standard())
    clock.now = 100_000
    ask(update({ nominal_hash_rate: 2 ** 32 / 10 }))
    clock.now = 219_999
    connection.judgePace()
    assert.deepStrictEqual(seen(), [])
    clock.now = 220_000
    connection.judgePace()
    assert.lengthOf(seen(), 1)
  })
})

describe("a share of Stratum V2", () => {
  const share = (nonce: number, change: Partial<MessageOf<"SubmitSharesStandard">> = {}): Message => ({
    _tag: "SubmitSharesStandard",
    channel_id: 2,
    sequence_number: 77,
    job_id: 1,
    nonce,
    ntime: 1_700_000_000,
    version: 0x20000000,
    ...change
  })

  it("that counts is confirmed by its number with what it is worth, and is its user's", () => {
    const { ask, found } = connected()
    ask(standard())
    assert.deepStrictEqual(ask(share(1)), [{
      _tag: "SubmitShares.Success",
      channel_id: 2,
      last_sequence_number: 77,
      new_submits_accepted_count: 1,
      new_shares_sum: 1n
    }])
    assert.deepStrictEqual(found.map(([, user]) => user), ["u"])
  })

  it("that is a block counts with the difficulty of its channel; twelve at once make the work four times harder", () => {
    const { ask, found } = connected()
    ask(standard({ nominal_hash_rate: 3 * 2 ** 32 / 10 }))
    const counted: Array<ReadonlyArray<Message>> = []
    // Each second header of regtest is a block, and none has so much work as the channel asks for.
    for (let nonce = 0; counted.length < 12 && nonce < 1_000; nonce++) {
      const answers = ask(share(nonce))
      if (answers[0]!._tag === "SubmitShares.Success") counted.push(answers)
      else assert.strictEqual(codeOf(answers), "difficulty-too-low")
    }
    for (const [success] of counted) assert.deepInclude(success, { new_shares_sum: 3n })
    assert.deepStrictEqual(counted.map(({ length }) => length), [...Array<number>(11).fill(1), 2])
    const harder = new Uint8Array(32)
    Buffer.from(harder.buffer).writeBigUInt64LE((0xffffn << 48n) / 12n, 20)
    assert.deepStrictEqual(counted[11]![1], { _tag: "SetTarget", channel_id: 2, maximum_target: harder })
    assert.deepStrictEqual(found, counted.map(() => [true, "u"]))
  })

  it.each([
    ["invalid-channel-id", { channel_id: 5 }],
    ["invalid-job-id", { job_id: 2 }],
    ["invalid-version", { version: 0x20001fff }],
    ["invalid-ntime", { ntime: 1_599_999_999 }]
  ])("is refused as %s with %j", (error_code, change) => {
    const { ask, found } = connected()
    ask(standard())
    const { channel_id, sequence_number } = share(1, change) as MessageOf<"SubmitSharesStandard">
    assert.deepStrictEqual(ask(share(1, change)), [
      { _tag: "SubmitShares.Error", channel_id, sequence_number, error_code }
    ])
    assert.deepStrictEqual(found, [])
  })

  it("of the other kind of channel has an extranonce of the wrong size", () => {
    const { ask } = connected()
    ask(standard())
    ask(extended())
    const other: Message = {
      ...share(1) as MessageOf<"SubmitSharesStandard">,
      _tag: "SubmitSharesExtended",
      extranonce: new Uint8Array(8)
    }
    assert.strictEqual(codeOf(ask(other)), "bad-extranonce-size")
    assert.strictEqual(codeOf(ask(share(1, { channel_id: 3 }))), "bad-extranonce-size")
  })

  const judgedBy = (value: (job: Job) => bigint, easiest: bigint) => {
    const jobs = openJobs()
    jobs.add(templateOn(1))
    const channel = openChannel({
      id: 2,
      user: "",
      isExtended: false,
      connection: new Uint8Array(4),
      vardiff: { shareSeconds: 10, least: 1e-12 },
      hashRate: 0,
      easiest,
      now: () => 0
    })
    const job = jobs.newest()!
    channel.offer({ ...job, id: 50, target: value(job) })
    const judged = channel.judge(
      share(1, { job_id: 50 }) as MessageOf<"SubmitSharesStandard">,
      jobs
    )
    return judged
  }

  it("is worth a block up to the target of the block, and counts up to that of the channel", () => {
    const whole = judgedBy(() => 2n ** 256n - 1n, 2n ** 256n - 1n)
    assert.isObject(whole)
    const { value } = (whole as Exclude<typeof whole, string>).solved
    const judge = (block: bigint, own: bigint) => {
      const judged = judgedBy(() => block, own)
      return typeof judged === "string" ? judged : judged.isBlock
    }
    assert.deepStrictEqual([judge(value, 1n), judge(value - 1n, value), judge(value - 1n, value - 1n)], [
      true,
      false,
      "difficulty-too-low"
    ])
  })
})
