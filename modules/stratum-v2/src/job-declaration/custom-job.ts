import { bytesEqual, concatBytes } from "@lockstep/kernel/bytes"
import { MOST_AHEAD_SECONDS } from "../channel.ts"
import { EXTRANONCE_BYTES, type Job } from "../jobs.ts"
import type { MessageOf } from "../wire/messages.ts"

type CustomJob = MessageOf<"SetCustomMiningJob">

/** Bytes before the script of a coinbase's input: the count, and the null outpoint. */
const INPUT = concatBytes([Uint8Array.of(1), new Uint8Array(32), new Uint8Array(4).fill(0xff)])

const uint32 = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const sameBranch = (left: ReadonlyArray<Uint8Array>, right: ReadonlyArray<Uint8Array>): boolean =>
  left.length === right.length && left.every((each, i) => bytesEqual(each, right[i]!))

/** Returns the fields of a custom job that make up its coinbase, each with whether it equals the declared job's. */
const coinbaseFields = (custom: CustomJob, { coinbase: { after, before } }: Job): ReadonlyArray<[string, boolean]> => {
  const script = concatBytes([
    INPUT,
    Uint8Array.of((custom.coinbase_prefix.length + EXTRANONCE_BYTES) & 0xff),
    custom.coinbase_prefix
  ])
  return [
    ["coinbase_tx_version", bytesEqual(before.subarray(0, 4), uint32(custom.coinbase_tx_version))],
    ["coinbase_prefix", bytesEqual(before.subarray(4), script)],
    ["coinbase_tx_input_nSequence", bytesEqual(after.subarray(0, 4), uint32(custom.coinbase_tx_input_nSequence))],
    ["coinbase_tx_outputs", bytesEqual(after.subarray(4, -4), custom.coinbase_tx_outputs)],
    ["coinbase_tx_locktime", bytesEqual(after.subarray(-4), uint32(custom.coinbase_tx_locktime))]
  ]
}

/** Returns the first field of a custom job that differs from the declared job, or `undefined` if all are equal. */
export const otherField = (custom: CustomJob, job: Job, tip: Uint8Array): string | undefined => {
  const { bits, current_time, min_time, previous_hash, version } = job.template
  const fields: ReadonlyArray<[string, boolean]> = [
    ["version", custom.version === version],
    ["prev_hash", bytesEqual(custom.prev_hash, previous_hash) && bytesEqual(custom.prev_hash, tip)],
    ["min_ntime", custom.min_ntime >= min_time && custom.min_ntime <= current_time + MOST_AHEAD_SECONDS],
    ["nbits", custom.nbits === bits],
    ...coinbaseFields(custom, job),
    ["merkle_path", sameBranch(custom.merkle_path, job.branch)]
  ]
  return fields.find(([, isSame]) => !isSame)?.[0]
}
