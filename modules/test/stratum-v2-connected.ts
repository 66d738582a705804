import type { BlockTemplate } from "@lockstep/sdk"
import { assert } from "vitest"
import { miningConnection } from "../stratum-v2/src/connection.ts"
import { openDeclaredJobs } from "../stratum-v2/src/job-declaration/declared-jobs.ts"
import { openJobs } from "../stratum-v2/src/jobs.ts"
import { rulesOf, SETTINGS } from "../stratum-v2/src/settings.ts"
import type { Message, MessageOf } from "../stratum-v2/src/wire/messages.ts"
import { blockTemplate } from "./block-template.ts"
import { ANYONE, coinbase, output, pathOf, spend } from "./stratum-v2-coinbase.ts"

const RULES = rulesOf({ ...SETTINGS, payout_address: "anyone", job_declaration: true, least_difficulty: 1e-12 })
export const EASY = new Uint8Array(32).fill(0xff)
const payments = [1, 2].map((value) => spend(Buffer.alloc(32, value), value))
export const PATH = pathOf(payments.map(({ txid }) => txid))
const OUTPUTS = [output(5_000_000_000, ANYONE)]
export const COINBASE = coinbase({ height: 100, outputs: OUTPUTS, script: Buffer.of(1, 100, 16) })
/** The coinbase without witness around its extranonce. */
export const BEFORE = new Uint8Array(Buffer.concat([COINBASE.prefix.subarray(0, 4), COINBASE.prefix.subarray(6)]))
export const AFTER = new Uint8Array(Buffer.concat([COINBASE.suffix.subarray(0, -38), COINBASE.suffix.subarray(-4)]))

export const templateOn = (tip: number, change: Partial<BlockTemplate> = {}): BlockTemplate =>
  blockTemplate({
    previous_hash: new Uint8Array(32).fill(tip),
    transactions: payments.map((each) => ({ ...each, fee: 0, sigops: 0, weight: 0, depends: [] })),
    ...change
  })

/** A connection of a miner, and what it was sent since the last look. */
export const connected = (flags = 0, hasTemplate = true) => {
  const [jobs, declared] = [openJobs(), openDeclaredJobs()]
  if (hasTemplate) jobs.add(templateOn(1))
  const sent: Array<Message> = []
  const found: Array<readonly [isBlock: boolean, user: string]> = []
  const clock = { now: 0 }
  const connection = miningConnection({
    extranonce: Uint8Array.of(0, 0, 0, 9),
    rules: RULES,
    jobs,
    declared,
    flags,
    now: () => clock.now,
    send: (message) => void sent.push(message),
    found: ({ isBlock }, user) => void found.push([isBlock, user])
  })
  const seen = (): ReadonlyArray<Message> => sent.splice(0)
  /** What one message is answered with. */
  const ask = (message: Message): ReadonlyArray<Message> => {
    seen()
    assert.isTrue(connection.take(message))
    return seen()
  }
  return { ask, clock, connection, declared, found, jobs, seen }
}

export const standard = (change: Partial<MessageOf<"OpenStandardMiningChannel">> = {}): Message => ({
  _tag: "OpenStandardMiningChannel",
  request_id: 3,
  user_identity: "u",
  nominal_hash_rate: 0,
  max_target: EASY,
  ...change
})

export const extended = (change: Partial<MessageOf<"OpenExtendedMiningChannel">> = {}): Message => ({
  _tag: "OpenExtendedMiningChannel",
  request_id: 4,
  user_identity: "x",
  nominal_hash_rate: 0,
  max_target: EASY,
  min_extranonce_size: 8,
  ...change
})

export const STANDARD_PREFIX = Uint8Array.of(0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)

export const tagsOf = (messages: ReadonlyArray<Message>): ReadonlyArray<string> => messages.map(({ _tag }) => _tag)

export const codeOf = ([message, ...more]: ReadonlyArray<Message>): string => {
  assert.deepStrictEqual(more, [])
  return "error_code" in message! ? message.error_code : message!._tag
}
