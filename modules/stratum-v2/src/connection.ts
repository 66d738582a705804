import { rootOf } from "../../mining/solved-block.ts"
import { type Channel, openChannel, type Share } from "./channel.ts"
import { otherField } from "./job-declaration/custom-job.ts"
import type { DeclaredJobs } from "./job-declaration/declared-jobs.ts"
import { EXTENDED_BYTES, type Job, type Jobs } from "./jobs.ts"
import type { Role } from "./role.ts"
import type { ServerRules } from "./settings.ts"
import type { Message, MessageOf } from "./wire/messages.ts"
import { targetBytes, targetIn } from "./wire/target-bytes.ts"

const REQUIRES_STANDARD_JOBS = 1
const REQUIRES_WORK_SELECTION = 2
const REQUIRES_VERSION_ROLLING = 4

/**
 * Returns the flags of `SetupConnection` that the server satisfies, depending on whether miners may choose
 * transactions.
 */
export const miningFlags = (declaresJobs: boolean): number =>
  REQUIRES_STANDARD_JOBS | REQUIRES_VERSION_ROLLING | (declaresJobs ? REQUIRES_WORK_SELECTION : 0)

/** All channels of a connection are one group. */
const GROUP = 1

const MOST_CHANNELS = 1_024

/** A miner or a proxy whose connection is set up. */
export interface MiningConnection extends Role {
  readonly judgePace: () => void
  readonly channels: () => ReadonlyArray<Channel>
}

/** Options for serving a connection. */
export interface MiningOptions {
  /** Four bytes that no other connection has. */
  readonly extranonce: Uint8Array
  readonly rules: ServerRules
  readonly jobs: Jobs
  readonly declared: DeclaredJobs
  /** Flags of `SetupConnection`. */
  readonly flags: number
  readonly now: () => number
  readonly send: (message: Message) => void
  readonly found: (share: Share, user: string) => void
}

const previousHash = ({ id, template }: Job, channel_id: number): MessageOf<"SetNewPrevHash"> => ({
  _tag: "SetNewPrevHash",
  channel_id,
  job_id: id,
  prev_hash: template.previous_hash,
  min_ntime: template.current_time,
  nbits: template.bits
})

/** Returns `min_ntime`, which is absent in a future job, as SetNewPrevHash activates it. */
const minTime = ({ template }: Job, isFuture: boolean): number | undefined =>
  isFuture ? undefined : template.current_time

const standardJob = (job: Job, { id, prefix }: Channel, isFuture: boolean): MessageOf<"NewMiningJob"> => ({
  _tag: "NewMiningJob",
  channel_id: id,
  job_id: job.id,
  min_ntime: minTime(job, isFuture),
  version: job.template.version,
  merkle_root: rootOf(job, prefix)
})

const extendedJob = (job: Job, channel_id: number, isFuture: boolean): MessageOf<"NewExtendedMiningJob"> => ({
  _tag: "NewExtendedMiningJob",
  channel_id,
  job_id: job.id,
  min_ntime: minTime(job, isFuture),
  version: job.template.version,
  version_rolling_allowed: true,
  merkle_path: job.branch,
  coinbase_tx_prefix: job.coinbase.before,
  coinbase_tx_suffix: job.coinbase.after
})

/** Serves one connection of the mining protocol. */
export const miningConnection = (options: MiningOptions): MiningConnection => {
  const { declared, extranonce, flags, found, jobs, now, rules, send } = options
  const channels = new Map<number, Channel>()
  const needsStandardJobs = (flags & REQUIRES_STANDARD_JOBS) !== 0
  const selectsWork = (flags & REQUIRES_WORK_SELECTION) !== 0
  let lastId = GROUP

  /** Sends the first job of a channel as a future job, which the message about the tip activates. */
  const sendFirstJob = (channel: Channel): void => {
    const job = jobs.newest()
    if (job === undefined) return
    send(channel.isExtended ? extendedJob(job, channel.id, true) : standardJob(job, channel, true))
    send(previousHash(job, channel.id))
  }

  const openingFault = (
    message: MessageOf<"OpenStandardMiningChannel"> | MessageOf<"OpenExtendedMiningChannel">
  ): string | undefined => {
    if (channels.size >= MOST_CHANNELS) return "too-many-channels"
    if (message.nominal_hash_rate < 0) return "invalid-nominal-hashrate"
    if (targetIn(message.max_target) === 0n) return "max-target-out-of-range"
    if (message._tag === "OpenStandardMiningChannel") return undefined
    if (needsStandardJobs) return "extended-channels-not-supported"
    return message.min_extranonce_size > EXTENDED_BYTES ? "min-extranonce-size-too-large" : undefined
  }

  const open = (message: MessageOf<"OpenStandardMiningChannel"> | MessageOf<"OpenExtendedMiningChannel">): void => {
    const { max_target, nominal_hash_rate, request_id, user_identity } = message
    const fault = openingFault(message)
    if (fault !== undefined) return send({ _tag: "OpenMiningChannel.Error", request_id, error_code: fault })
    const channel = openChannel({
      id: ++lastId,
      user: user_identity,
      isExtended: message._tag === "OpenExtendedMiningChannel",
      connection: extranonce,
      vardiff: rules.vardiff,
      hashRate: nominal_hash_rate,
      easiest: targetIn(max_target),
      now
    })
    channels.set(channel.id, channel)
    const opened = {
      request_id,
      channel_id: channel.id,
      target: targetBytes(channel.target()),
      extranonce_prefix: channel.prefix,
      group_channel_id: GROUP
    }
    send(
      channel.isExtended
        ? { _tag: "OpenExtendedMiningChannel.Success", ...opened, extranonce_size: EXTENDED_BYTES }
        : { _tag: "OpenStandardMiningChannel.Success", ...opened }
    )
    sendFirstJob(channel)
  }

  const sendTarget = (channel: Channel): void =>
    send({ _tag: "SetTarget", channel_id: channel.id, maximum_target: targetBytes(channel.target()) })

  const update = ({ channel_id, maximum_target, nominal_hash_rate }: MessageOf<"UpdateChannel">): void => {
    const channel = channels.get(channel_id)
    const code = channel === undefined
      ? "invalid-channel-id"
      : nominal_hash_rate < 0
      ? "invalid-nominal-hashrate"
      : undefined
    if (code !== undefined) return send({ _tag: "UpdateChannel.Error", channel_id, error_code: code })
    if (channel!.describe(nominal_hash_rate, targetIn(maximum_target))) sendTarget(channel!)
  }

  const submit = (message: MessageOf<"SubmitSharesStandard"> | MessageOf<"SubmitSharesExtended">): void => {
    const { channel_id, sequence_number } = message
    const channel = channels.get(channel_id)
    const judged = channel?.judge(message, jobs) ?? "invalid-channel-id"
    if (typeof judged === "string") {
      return send({ _tag: "SubmitShares.Error", channel_id, sequence_number, error_code: judged })
    }
    send({
      _tag: "SubmitShares.Success",
      channel_id,
      last_sequence_number: sequence_number,
      new_submits_accepted_count: 1,
      new_shares_sum: BigInt(Math.max(1, Math.round(judged.difficulty)))
    })
    found(judged, channel!.user)
    if (channel!.judgePace()) sendTarget(channel!)
  }

  const close = ({ channel_id }: MessageOf<"CloseChannel">): void => {
    if (channel_id === GROUP) channels.clear()
    else channels.delete(channel_id)
  }

  const customFault = (message: MessageOf<"SetCustomMiningJob">): string | undefined => {
    const job = declared.find(message.mining_job_token)
    const tip = jobs.template()
    if (channels.get(message.channel_id)?.isExtended !== true) return "invalid-channel-id"
    if (job === undefined || tip === undefined) return "invalid-mining-job-token"
    const field = otherField(message, job, tip.previous_hash)
    return field === undefined ? undefined : `invalid-job-param-value-${field}`
  }

  /** Adds a declared job, which the node accepted, to a channel. */
  const customize = (message: MessageOf<"SetCustomMiningJob">): void => {
    const { channel_id, min_ntime, mining_job_token, request_id } = message
    const fault = customFault(message)
    if (fault !== undefined) {
      return send({ _tag: "SetCustomMiningJob.Error", channel_id, request_id, error_code: fault })
    }
    const job = declared.find(mining_job_token)!
    const id = jobs.newId()
    channels.get(channel_id)!.offer({ ...job, id, template: { ...job.template, min_time: min_ntime } })
    send({ _tag: "SetCustomMiningJob.Success", channel_id, request_id, job_id: id })
  }

  const sendJob = (job: Job, isFuture: boolean): void => {
    if (!needsStandardJobs) return send(extendedJob(job, GROUP, isFuture))
    for (const channel of channels.values()) send(standardJob(job, channel, isFuture))
  }

  return {
    channels: () => [...channels.values()],
    take: (message) => {
      switch (message._tag) {
        case "OpenStandardMiningChannel":
        case "OpenExtendedMiningChannel":
          open(message)
          return true
        case "UpdateChannel":
          update(message)
          return true
        case "SubmitSharesStandard":
        case "SubmitSharesExtended":
          submit(message)
          return true
        case "CloseChannel":
          close(message)
          return true
        case "SetCustomMiningJob":
          if (selectsWork) customize(message)
          return selectsWork
        default:
          return false
      }
    },
    newTemplate: (isNewTip) => {
      const job = jobs.newest()
      if (isNewTip) { for (const channel of channels.values()) channel.forget() }
      if (job === undefined || channels.size === 0) return
      sendJob(job, isNewTip)
      if (isNewTip) send(previousHash(job, GROUP))
    },
    judgePace: () => {
      for (const channel of channels.values()) if (channel.judgePace()) sendTarget(channel)
    },
    end: () => channels.clear()
  }
}
