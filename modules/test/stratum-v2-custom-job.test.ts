import { assert, describe, it } from "vitest"
import { openJobs } from "../stratum-v2/src/jobs.ts"
import type { Message, MessageOf } from "../stratum-v2/src/wire/messages.ts"
import { codeOf, COINBASE, connected, extended, PATH, standard, templateOn } from "./stratum-v2-connected.ts"

describe("a job that a miner has declared", () => {
  const customOf = (
    token: Uint8Array,
    change: Partial<MessageOf<"SetCustomMiningJob">> = {}
  ): MessageOf<"SetCustomMiningJob"> => ({
    _tag: "SetCustomMiningJob",
    channel_id: 2,
    request_id: 5,
    mining_job_token: token,
    version: 0x20000000,
    prev_hash: new Uint8Array(32).fill(1),
    min_ntime: 1_600_000_000,
    nbits: 0x207fffff,
    coinbase_tx_version: 2,
    coinbase_prefix: Uint8Array.of(1, 100, 16),
    coinbase_tx_input_nSequence: 0xffff_ffff,
    coinbase_tx_outputs: new Uint8Array(COINBASE.outputs),
    coinbase_tx_locktime: 0,
    merkle_path: PATH.map((each) => new Uint8Array(each)),
    ...change
  })

  const declaring = (flags = 2) => {
    const at = connected(flags)
    at.ask(extended())
    at.ask(standard())
    return { ...at, token: at.declared.add(at.jobs.newest()!) }
  }

  it.each([[1_600_000_000], [1_700_007_200]])("is worked on from a time of its own on: %d", (min_ntime) => {
    const { ask, token } = declaring()
    const custom = customOf(token, { min_ntime })
    assert.deepStrictEqual(ask(custom), [
      { _tag: "SetCustomMiningJob.Success", channel_id: 2, request_id: 5, job_id: 2 }
    ])
    const share = (ntime: number): Message => ({
      _tag: "SubmitSharesExtended",
      channel_id: 2,
      sequence_number: 1,
      job_id: 2,
      nonce: 1,
      ntime,
      version: 0x20000000,
      extranonce: new Uint8Array(8)
    })
    assert.strictEqual(codeOf(ask(share(min_ntime - 1))), "invalid-ntime")
    assert.strictEqual(codeOf(ask(share(min_ntime))), "SubmitShares.Success")
  })

  it.each<readonly [string, Partial<MessageOf<"SetCustomMiningJob">>]>([
    ["invalid-channel-id", { channel_id: 9 }],
    ["invalid-channel-id", { channel_id: 3 }],
    ["invalid-mining-job-token", { mining_job_token: new Uint8Array(16) }],
    ["invalid-job-param-value-version", { version: 0x20000001 }],
    ["invalid-job-param-value-prev_hash", { prev_hash: new Uint8Array(32) }],
    ["invalid-job-param-value-min_ntime", { min_ntime: 1_599_999_999 }],
    ["invalid-job-param-value-min_ntime", { min_ntime: 1_700_007_201 }],
    ["invalid-job-param-value-nbits", { nbits: 0x207ffffe }],
    ["invalid-job-param-value-coinbase_tx_version", { coinbase_tx_version: 1 }],
    ["invalid-job-param-value-coinbase_prefix", { coinbase_prefix: Uint8Array.of(1, 100) }],
    ["invalid-job-param-value-coinbase_prefix", { coinbase_prefix: Uint8Array.of(1, 101, 16) }],
    ["invalid-job-param-value-coinbase_tx_input_nSequence", { coinbase_tx_input_nSequence: 0 }],
    ["invalid-job-param-value-coinbase_tx_outputs", { coinbase_tx_outputs: Uint8Array.of(0) }],
    ["invalid-job-param-value-coinbase_tx_locktime", { coinbase_tx_locktime: 1 }],
    ["invalid-job-param-value-merkle_path", { merkle_path: [new Uint8Array(32), new Uint8Array(32)] }],
    ["invalid-job-param-value-merkle_path", { merkle_path: [] }]
  ])("is refused as %s with %j", (error_code, change) => {
    const { ask, token } = declaring()
    const custom = customOf(token, change)
    assert.deepStrictEqual(ask(custom), [
      { _tag: "SetCustomMiningJob.Error", channel_id: custom.channel_id, request_id: 5, error_code }
    ])
  })

  it("is refused once the tip is another", () => {
    const { ask, jobs, token } = declaring()
    jobs.add(templateOn(2))
    assert.strictEqual(codeOf(ask(customOf(token))), "invalid-job-param-value-prev_hash")
  })

  it("ends the connection of a miner that did not ask for it", () => {
    const { connection, seen, token } = declaring(0)
    seen()
    assert.isFalse(connection.take(customOf(token)))
    assert.deepStrictEqual(seen(), [])
  })
})

describe("the jobs of Stratum V2", () => {
  it("have numbers that count on, and the newest 32 of a tip are found", () => {
    const jobs = openJobs()
    assert.deepStrictEqual([jobs.newest(), jobs.template(), jobs.wasGiven(1)], [undefined, undefined, false])
    assert.isTrue(jobs.add(templateOn(1)))
    for (let i = 0; i < 31; i++) assert.isFalse(jobs.add(templateOn(1)))
    assert.deepStrictEqual([0, 1, 32, 33].map((id) => jobs.find(id)?.id), [undefined, 1, 32, undefined])
    assert.deepStrictEqual([0, 1, 32, 33].map(jobs.wasGiven), [false, true, true, false])
    const last = templateOn(1)
    jobs.add(last)
    assert.deepStrictEqual([1, 2, 33].map((id) => jobs.find(id)?.id), [undefined, 2, 33])
    assert.strictEqual(jobs.template(), last)
    assert.strictEqual(jobs.newId(), 34)
    assert.isTrue(jobs.add(templateOn(2)))
    assert.deepStrictEqual([33, 34, 35].map((id) => jobs.find(id)?.id), [undefined, undefined, 35])
    assert.strictEqual(jobs.newest()!.target.toString(16), `7fffff${"0".repeat(58)}`)
  })
})
