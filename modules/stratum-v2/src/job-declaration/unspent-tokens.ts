import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import { outputBytes } from "../../../mining/coinbase.ts"
import type { Jobs } from "../jobs.ts"
import type { Message, MessageOf } from "../wire/messages.ts"
import { newToken, tokenKey } from "./declared-jobs.ts"

/** Maximum number of valid tokens of a client; older ones expire. */
const MOST_TOKENS = 32

type Request = MessageOf<"AllocateMiningJobToken">

/** The tokens of a client, each valid for one declaration. */
export interface UnspentTokens {
  /** Handles a request. Returns false if too many requests wait for a template. */
  readonly allocate: (request: Request) => boolean
  /** Spends a token. Returns false if it is unknown. */
  readonly spend: (token: Uint8Array) => boolean
  /** Handles the waiting requests once a template exists, which names the script to pay to. */
  readonly answerEarly: () => void
}

export const openUnspentTokens = (jobs: Pick<Jobs, "template">, send: (message: Message) => void): UnspentTokens => {
  const tokens = new Set<string>()
  let early: Array<Request> = []

  const allocate = (request: Request): boolean => {
    const script = jobs.template()?.coinbase_script
    if (script === undefined) return early.push(request) <= MOST_TOKENS
    const token = newToken()
    tokens.add(tokenKey(token))
    for (const each of tokens) if (tokens.size > MOST_TOKENS) tokens.delete(each)
    send({
      _tag: "AllocateMiningJobToken.Success",
      request_id: request.request_id,
      mining_job_token: token,
      coinbase_tx_outputs: concatBytes([encodeCompactSize(1), outputBytes(0, script)])
    })
    return true
  }

  return {
    allocate,
    spend: (token) => tokens.delete(tokenKey(token)),
    answerEarly: () => {
      const waiting = early
      early = []
      for (const each of waiting) allocate(each)
    }
  }
}
