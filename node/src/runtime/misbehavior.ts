import { type Rejection, rejectionText } from "@lockstep/protocol/rejection/rejection.ts"
import type { Command } from "@lockstep/protocol/wire/codecs.ts"
import { faultText, type PayloadFault } from "@lockstep/protocol/wire/fault.ts"
import { type Plain, worder, type Words } from "./words.ts"

/** Misbehavior without facts, with its words. */
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

/** A payload that does not decode as the message of its command, or holds too much. */
export interface BadPayload {
  readonly _tag: "BadPayload"
  readonly command: Command
  readonly fault: PayloadFault
}

/** Misbehavior for which the address of a peer is discouraged. It is plain data, which sinks put into words. */
export type Misbehavior =
  | BadPayload
  /** The engine rejected a header or a block, which came in such a message. */
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

/** Words of events and of the node's own log, most of which are Bitcoin Core's. */
export const MISBEHAVIOR_WORDS: Words<Misbehavior> = {
  ...WITHOUT_FACTS,
  BadPayload: ({ command, fault }) => `${command}: ${faultText(fault)}`,
  BlockRejected: rejectedText
}

/** Returns the misbehavior of a peer in words, for events and the log. */
export const misbehaviorText = worder(MISBEHAVIOR_WORDS)
