import { bytesEqual, concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { outputBytes } from "../../../mining/coinbase.ts"
import type { FoundBlock } from "../found-block.ts"
import { EXTRANONCE_BYTES, type Job, type Jobs, solved } from "../jobs.ts"
import type { Role } from "../role.ts"
import type { Message, MessageOf } from "../wire/messages.ts"
import {
  type Declaration,
  declaredJob,
  proposalOf,
  readDeclaration,
  type Refusal,
  withProvided
} from "./declaration.ts"
import { type DeclaredJobs, newToken, tokenKey } from "./declared-jobs.ts"
import type { KnownTransactions } from "./known-transactions.ts"

/** Tokens that a client holds, unspent, and its declared jobs that count; older ones count no more. */
const MOST_TOKENS = 32

/** Declarations of a client that are judged or lack transactions. */
const MOST_PENDING = 4

/** What a client of the job declaration protocol is served with. */
export interface DeclarationOptions {
  readonly jobs: Pick<Jobs, "template">
  readonly declared: DeclaredJobs
  readonly known: KnownTransactions
  readonly send: (message: Message) => void
  /** Judges a block without its proof of work; answers why it is not good. Never rejects. */
  readonly propose: (block: Uint8Array) => Promise<string | undefined>
  readonly found: (block: FoundBlock) => void
  readonly warn: (text: string) => void
}

interface OwnJob {
  readonly token: Uint8Array
  readonly job: Job
}

/** Serves one client of the job declaration protocol, in full-template mode. */
export const declarationConnection = (options: DeclarationOptions): Role => {
  const { declared, found, jobs, known, propose, send, warn } = options
  const tokens = new Set<string>()
  const own: Array<OwnJob> = []
  const lacking = new Map<number, Declaration>()
  /** Requests that came before there was a template. */
  let early: Array<MessageOf<"AllocateMiningJobToken">> = []
  let judging = 0
  let isOver = false

  const refuse = (request_id: number, { code, details }: Refusal): void =>
    send({ _tag: "DeclareMiningJob.Error", request_id, error_code: code, error_details: Buffer.from(details) })

  const allocate = (message: MessageOf<"AllocateMiningJobToken">): boolean => {
    const script = jobs.template()?.coinbase_script
    if (script === undefined) return early.push(message) <= MOST_TOKENS
    const token = newToken()
    tokens.add(tokenKey(token))
    for (const each of tokens) if (tokens.size > MOST_TOKENS) tokens.delete(each)
    send({
      _tag: "AllocateMiningJobToken.Success",
      request_id: message.request_id,
      mining_job_token: token,
      coinbase_tx_outputs: concatBytes([encodeCompactSize(1), outputBytes(0, script)])
    })
    return true
  }

  const keep = (job: Job): Uint8Array => {
    const token = declared.add(job)
    own.push({ token, job })
    if (own.length > MOST_TOKENS) declared.remove(own.shift()!.token)
    return token
  }

  const judge = async (declaration: Declaration): Promise<void> => {
    const { message: { request_id } } = declaration
    const job = declaredJob(declaration)
    judging++
    const reason = await propose(proposalOf(job))
    judging--
    if (isOver) return
    if (reason !== undefined) {
      const code = reason === "inconclusive-not-best-prevblk" ? "stale-chain-tip" : "invalid-job"
      return refuse(request_id, { code, details: reason })
    }
    known.add(declaration.transactions.map((each) => each!))
    send({ _tag: "DeclareMiningJob.Success", request_id, new_mining_job_token: keep(job) })
  }

  /** A token is spent by its declaration, whatever comes of that. */
  const declare = (message: MessageOf<"DeclareMiningJob">): void => {
    const { mining_job_token, request_id } = message
    const template = jobs.template()
    if (!tokens.delete(tokenKey(mining_job_token)) || template === undefined) {
      return refuse(request_id, { code: "invalid-mining-job-token", details: "there is no such token, or it is spent" })
    }
    if (lacking.size + judging >= MOST_PENDING || lacking.has(request_id)) {
      return refuse(request_id, { code: "too-many-declarations", details: "others are not judged yet" })
    }
    const declaration = readDeclaration(message, template, known)
    if ("code" in declaration) return refuse(request_id, declaration)
    if (declaration.missing.length === 0) return void judge(declaration)
    lacking.set(request_id, declaration)
    send({ _tag: "ProvideMissingTransactions", request_id, unknown_tx_position_list: declaration.missing })
  }

  const provide = (
    { request_id, transaction_list }: MessageOf<"ProvideMissingTransactions.Success">
  ): boolean => {
    const declaration = lacking.get(request_id)
    if (declaration === undefined) return false
    lacking.delete(request_id)
    const whole = withProvided(declaration, transaction_list)
    if ("code" in whole) refuse(request_id, whole)
    else void judge(whole)
    return true
  }

  /** The message does not name its job: it is the one with which it has the proof of work of a block. */
  const push = ({ extranonce, nbits, nonce, ntime, prev_hash, version }: MessageOf<"PushSolution">): void => {
    const candidates = extranonce.length === EXTRANONCE_BYTES
      ? own.filter(({ job: { template } }) => template.bits === nbits && bytesEqual(template.previous_hash, prev_hash))
      : []
    for (const { job } of candidates) {
      const { block, hash, value } = solved(job, { extranonce, time: ntime, nonce, version })
      if (value > job.target) continue
      return found({ hash, height: job.template.height, finder: "a client of job declaration", block })
    }
    warn("a pushed solution is of no declared job")
  }

  return {
    take: (message) => {
      switch (message._tag) {
        case "AllocateMiningJobToken":
          return allocate(message)
        case "DeclareMiningJob":
          declare(message)
          return true
        case "ProvideMissingTransactions.Success":
          return provide(message)
        case "PushSolution":
          push(message)
          return true
        default:
          return false
      }
    },
    newTemplate: (isNewTip) => {
      const waiting = early
      early = []
      for (const each of waiting) allocate(each)
      if (!isNewTip) return
      for (const [request_id] of lacking) {
        refuse(request_id, { code: "stale-chain-tip", details: "the tip has changed" })
      }
      lacking.clear()
    },
    end: () => {
      isOver = true
      for (const { token } of own) declared.remove(token)
      own.length = 0
    }
  }
}
