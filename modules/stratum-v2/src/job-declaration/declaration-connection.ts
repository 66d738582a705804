import type { FoundBlock } from "../found-block.ts"
import type { Jobs } from "../jobs.ts"
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
import type { DeclaredJobs } from "./declared-jobs.ts"
import type { KnownTransactions } from "./known-transactions.ts"
import { openOwnJobs } from "./own-jobs.ts"
import { openUnspentTokens } from "./unspent-tokens.ts"

/** Maximum number of declarations of a client that are being judged or lack transactions. */
const MOST_PENDING = 2

/** Options for serving a client of the job declaration protocol. */
export interface DeclarationOptions {
  readonly jobs: Pick<Jobs, "template">
  readonly declared: DeclaredJobs
  readonly known: KnownTransactions
  readonly send: (message: Message) => void
  /**
   * Judges a block without its proof of work. Returns the reason to reject it, or `undefined`. Never rejects the
   * promise.
   */
  readonly propose: (block: Uint8Array) => Promise<string | undefined>
  readonly found: (block: FoundBlock) => void
  readonly warn: (text: string) => void
}

const STALE: Refusal = { code: "stale-chain-tip", details: "the tip has changed" }

const refusalFor = (reason: string): Refusal =>
  reason === "inconclusive-not-best-prevblk" ? STALE : { code: "invalid-job", details: reason }

/** Serves one client of the job declaration protocol, in full-template mode. */
export const declarationConnection = (options: DeclarationOptions): Role => {
  const { declared, found, jobs, known, propose, send, warn } = options
  const tokens = openUnspentTokens(jobs, send)
  const own = openOwnJobs(declared)
  const lacking = new Map<number, Declaration>()
  let judging = 0
  let isOver = false

  const refuse = (request_id: number, { code, details }: Refusal): void =>
    send({ _tag: "DeclareMiningJob.Error", request_id, error_code: code, error_details: Buffer.from(details) })

  const judge = async (declaration: Declaration): Promise<void> => {
    const { message: { request_id } } = declaration
    const job = declaredJob(declaration)
    judging++
    const reason = await propose(proposalOf(job))
    judging--
    if (isOver) return
    if (reason !== undefined) return refuse(request_id, refusalFor(reason))
    known.add(declaration.transactions.map((each) => each!))
    send({ _tag: "DeclareMiningJob.Success", request_id, new_mining_job_token: own.keep(job) })
  }

  /** Handles a declaration. It spends its token in any case. */
  const declare = (message: MessageOf<"DeclareMiningJob">): void => {
    const { mining_job_token, request_id } = message
    const template = jobs.template()
    if (!tokens.spend(mining_job_token) || template === undefined) {
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
  ): void => {
    const declaration = lacking.get(request_id)
    // A declaration refused meanwhile, because the tip has changed, may still receive its transactions.
    if (declaration === undefined) return
    lacking.delete(request_id)
    const whole = withProvided(declaration, transaction_list)
    if ("code" in whole) refuse(request_id, whole)
    else void judge(whole)
  }

  const push = (message: MessageOf<"PushSolution">): void => {
    const block = own.solve(message)
    if (block === undefined) warn("a pushed solution is of no declared job")
    else found(block)
  }

  return {
    take: (message) => {
      switch (message._tag) {
        case "AllocateMiningJobToken":
          return tokens.allocate(message)
        case "DeclareMiningJob":
          declare(message)
          return true
        case "ProvideMissingTransactions.Success":
          provide(message)
          return true
        case "PushSolution":
          push(message)
          return true
        default:
          return false
      }
    },
    newTemplate: (isNewTip) => {
      tokens.answerEarly()
      if (!isNewTip) return
      for (const request_id of lacking.keys()) refuse(request_id, STALE)
      lacking.clear()
    },
    end: () => {
      isOver = true
      own.end()
    }
  }
}
