import type { NetworkStream } from "@lockstep/sdk"
import { type KnownShares, openKnownShares } from "../../mining/known-shares.ts"
import { difficultyOfTarget, targetOfDifficulty } from "../../mining/target.ts"
import { nextDifficulty } from "../../mining/vardiff.ts"
import { EXTRANONCE2_BYTES, type Job, notifyParameters } from "./job.ts"
import type { Jobs } from "./jobs.ts"
import { linesOf } from "./lines.ts"
import type { ServerRules } from "./settings.ts"
import { judgedShare, type Refusal, type Share, StratumError } from "./share.ts"

/** A connected miner. */
export interface Miner {
  readonly address: string
  readonly facts: () => {
    readonly workers: ReadonlyArray<string>
    readonly difficulty: number
    readonly shares: number
  }
  /** Announces a new job. With `isClean`, all earlier jobs are stale. */
  readonly newJob: (isClean: boolean) => void
}

/** Options for serving a miner. */
export interface MinerOptions {
  readonly stream: NetworkStream
  /** Four bytes that no other connection has. */
  readonly extranonce1: Uint8Array
  readonly rules: ServerRules
  readonly jobs: Jobs
  /** Returns the milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Shares on this tip; a miner that exceeds their capacity is disconnected. */
  readonly known?: KnownShares
  /** Called for each accepted share. */
  readonly found: (share: Share, worker: string) => void
}

type Params = ReadonlyArray<unknown>
type Answer = { readonly result: unknown } | { readonly error: Refusal }

/** Maximum unread bytes; a miner that exceeds them is disconnected. */
const MOST_UNREAD_BYTES = 1024 * 1024

/** Longest silence of a miner in milliseconds, far more than the time between shares. */
const IDLE_MS = 15 * 60 * 1_000

const MOST_WORKERS = 64
/** Private jobs of one miner for which shares are accepted. */
const MOST_OWN_JOBS = 8

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const refused = (code: number, message: string): Answer => ({ error: [code, message, null] })

/** Serves one miner until its connection ends. */
export const serveMiner = (
  { extranonce1, found, jobs, known = openKnownShares(), now, rules, stream }: MinerOptions
): Miner => {
  const workers = new Set<string>()
  /** Target of the shares of each sent job; `own` is the job itself if it was made for this miner only. */
  const given = new Map<string, { readonly target: bigint; readonly own: Job | undefined }>()
  /** The present job, the time at which its template arrived, and the seconds by which the job's time is later. */
  let present: { readonly job: Job; readonly since: number; readonly later: number } | undefined
  let [isSubscribed, versionMask, shares] = [false, 0, 0]
  let difficulty = rules.startDifficulty
  let counted = { shares: 0, since: now() }

  const send = (message: object): void => {
    if (stream.writableLength > MOST_UNREAD_BYTES) stream.destroy()
    else stream.write(`${JSON.stringify(message)}\n`)
  }
  const call = (method: string, params: Params): void => send({ id: null, method, params })

  /** Returns the difficulty of shares, which is never above that of a block. */
  const difficultyOn = (job: Job): number => Math.min(difficulty, difficultyOfTarget(job.target))

  /** Fixes the target for shares on a job. Shares on jobs sent before keep their targets. */
  const promise = (job: Job, own = given.get(job.id)?.own): void => {
    const jobDifficulty = difficultyOn(job)
    const [before, target] = [given.get(job.id)?.target ?? 0n, targetOfDifficulty(jobDifficulty)]
    given.set(job.id, { own, target: target > before ? target : before })
    call("mining.set_difficulty", [jobDifficulty])
  }

  /** Sends the newest job, but never twice. A miner restarts with each job and would find the same shares again. */
  const sendJob = (isClean: boolean): void => {
    const job = jobs.newest()
    if (job === undefined || !isSubscribed || workers.size === 0 || given.has(job.id)) return
    present = { job, since: now(), later: 0 }
    promise(job)
    call("mining.notify", notifyParameters(job, isClean))
  }

  /**
   * Sends a new difficulty. Some miners apply it to the present job, others only to the next. So they get a new job
   * with a different time, on which no work was done yet.
   */
  const sendDifficulty = (): void => {
    if (present === undefined) return
    promise(present.job)
    const later = Math.floor((now() - present.since) / 1_000)
    const job = later > present.later ? jobs.later(later) : undefined
    if (job === undefined) return
    present = { ...present, job, later }
    promise(job, job)
    const owned = [...given].flatMap(([id, { own }]) => own === undefined ? [] : [id])
    for (const id of owned.slice(0, -MOST_OWN_JOBS)) given.delete(id)
    call("mining.notify", notifyParameters(job, false))
  }

  const judgePace = (): void => {
    const seconds = (now() - counted.since) / 1_000
    const next = nextDifficulty(rules.vardiff, difficulty, counted.shares, seconds)
    if (next === undefined) return
    difficulty = next
    counted = { shares: 0, since: now() }
    sendDifficulty()
  }

  const configure = ([extensions, options]: Params): Answer => {
    if (!Array.isArray(extensions)) return refused(StratumError.OTHER, "the first parameter is a list of extensions")
    const result: Record<string, unknown> = Object.fromEntries(extensions.map((name) => [String(name), false]))
    if (extensions.includes("version-rolling")) {
      const asked = (options as Readonly<Record<string, unknown>> | undefined)?.["version-rolling.mask"] ?? "ffffffff"
      versionMask = Number.parseInt(String(asked), 16) & rules.versionMask
      result["version-rolling"] = true
      result["version-rolling.mask"] = (versionMask >>> 0).toString(16).padStart(8, "0")
    }
    return { result }
  }

  const subscribe = (): Answer => {
    isSubscribed = true
    setImmediate(() => sendJob(true))
    const id = hex(extranonce1)
    return {
      result: [[["mining.set_difficulty", id], ["mining.notify", id]], id, EXTRANONCE2_BYTES]
    }
  }

  const authorize = ([name]: Params): Answer => {
    if (typeof name !== "string" || name.length > 256 || workers.size >= MOST_WORKERS) {
      return refused(StratumError.UNAUTHORIZED, "a worker has a name of up to 256 characters, a connection up to 64")
    }
    workers.add(name)
    setImmediate(() => sendJob(true))
    return { result: true }
  }

  const submit = (params: Params): Answer => {
    if (!isSubscribed) return refused(StratumError.NOT_SUBSCRIBED, "Not subscribed")
    const worker = String(params[0])
    if (!workers.has(worker)) return refused(StratumError.UNAUTHORIZED, "Unauthorized worker")
    if (known.isFull()) stream.destroy()
    const judged = judgedShare(params, {
      find: (id) => given.get(id)?.own ?? jobs.find(id),
      extranonce1,
      versionMask,
      targetOf: (job) => given.get(job.id)?.target,
      isNew: known.isNew
    })
    if (!("job" in judged)) return { error: judged }
    shares++
    counted.shares++
    found(judged, worker)
    judgePace()
    return { result: true }
  }

  const suggest = ([wanted]: Params): Answer => {
    if (typeof wanted !== "number" || !(wanted > 0)) return refused(StratumError.OTHER, "a difficulty is above 0")
    difficulty = Math.max(rules.vardiff.least, wanted)
    sendDifficulty()
    return { result: true }
  }

  const METHODS: Readonly<Record<string, (params: Params) => Answer>> = {
    "mining.configure": configure,
    "mining.subscribe": subscribe,
    "mining.authorize": authorize,
    "mining.submit": submit,
    "mining.suggest_difficulty": suggest,
    "mining.extranonce.subscribe": () => ({ result: true })
  }

  const take = (line: string): void => {
    let request: { readonly id?: unknown; readonly method?: unknown; readonly params?: unknown }
    try {
      request = JSON.parse(line) as typeof request
    } catch {
      return void stream.destroy()
    }
    const { id = null, method, params } = request ?? {}
    const handler = Object.hasOwn(METHODS, String(method)) ? METHODS[String(method)] : undefined
    const answer = handler?.(Array.isArray(params) ? params : []) ??
      refused(StratumError.OTHER, `there is no method ${String(method).slice(0, 64)}`)
    if (id !== null) send({ id, result: null, error: null, ...answer })
  }

  let heard = now()
  const lines = linesOf(take)
  stream.on("data", (chunk) => {
    heard = now()
    if (!lines(chunk as Buffer)) stream.destroy()
  })
  // A miner that finds nothing gets easier work, too.
  const pacing = setInterval(() => {
    if (now() - heard > IDLE_MS) stream.destroy()
    else judgePace()
  }, 10_000)
  stream.once("close", () => clearInterval(pacing))

  return {
    address: stream.remoteAddress,
    facts: () => ({ workers: [...workers], difficulty, shares }),
    newJob: (isClean) => {
      if (isClean) {
        known.clear()
        given.clear()
      }
      sendJob(isClean)
    }
  }
}
