import { type Rejection, rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { Command } from "@lockstep/protocol/wire/codecs.ts"
import { faultText, type PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import { type Plain, worder, type Words } from "./words.ts"

/** What needs no facts, with its words. */
const WITHOUT_FACTS = {
  AncestorNamedTwice: "ancpkginfo that names a transaction twice",
  BadFilterAdd: "bad filteradd message",
  BloomFilterTooLarge: "too-large bloom filter",
  CompactBlockAlreadyFailed: "previous compact block reconstruction attempt failed",
  CompactBlockInvalid: "invalid compact block",
  CompactBlockMismatch: "invalid compact block/non-matching block transactions",
  HeaderWithoutWork: "header with invalid proof of work",
  HeadersNotContinuous: "non-continuous headers sequence",
  PackageNotRequested: "pkgtxns that was not requested",
  PackageOfConflicts: "package of transactions that conflict",
  TransactionIndexOutOfBounds: "getblocktxn with out-of-bounds tx indices"
} as const

/** A payload that is not the message that its command says. */
export interface BadPayload {
  readonly _tag: "BadPayload"
  readonly command: Command
  readonly fault: PayloadFault
}

/** What no honest node does, for which the address of a peer is discouraged. Plain data: sinks give it words. */
export type Misbehavior =
  | BadPayload
  /** The engine refuses a header or a block, which came in such a message. */
  | {
    readonly _tag: "BlockRejected"
    readonly rejection: Rejection
    readonly via: "block" | "cmpctblock" | "headers"
  }
  | Plain<keyof typeof WITHOUT_FACTS>

const MUTATED = "mutated block"

const rejectedText = ({ rejection, via }: Extract<Misbehavior, { readonly _tag: "BlockRejected" }>): string => {
  if (via === "cmpctblock") return "invalid header via cmpctblock"
  const text = rejectionText(rejection)
  if (rejection.class === "mutated") return text === MUTATED ? text : `${MUTATED}: ${text}`
  return via === "headers" ? `invalid header received: ${text}` : text
}

/** The words of events and of the node's own log; of these Bitcoin Core has most as well. */
export const MISBEHAVIOR_WORDS: Words<Misbehavior> = {
  ...WITHOUT_FACTS,
  BadPayload: ({ command, fault }) => `${command}: ${faultText(fault)}`,
  BlockRejected: rejectedText
}

/** Returns what a peer did in words, for events and the log. */
export const misbehaviorText = worder(MISBEHAVIOR_WORDS)
