import type { EngineError } from "../engine/api/engine-error.ts"

/**
 * Kinds of errors that callers distinguish. RPC has a code for each (`methods/definition/rpc-codes.ts`), REST a status.
 */
export type CallErrorTag =
  | EngineError["_tag"]
  | "EngineFailure"
  | "AlreadyInUtxoSet"
  | "BlockNeverConnected"
  | "BlockNotAvailable"
  | "BlockUnreadable"
  | "CoinStatsIndexNotEnabled"
  | "Deserialization"
  | "FilterMissing"
  | "FilterNotIndexed"
  | "Internal"
  | "InvalidAddressOrKey"
  | "InvalidAddressOrSubnet"
  | "InvalidParameter"
  | "InvalidParams"
  | "InWarmup"
  | "MethodNotFound"
  | "Misc"
  | "NetworkDisabled"
  | "NodeAlreadyAdded"
  | "NodeCapacityReached"
  | "NodeNotAdded"
  | "NodeNotConnected"
  | "NotConnected"
  | "QueueFull"
  | "Rejected"
  | "TransactionNotFound"
  | "Verify"
  | "WrongType"

/** An error in place of a result. It is plain data, so that creating one costs nothing. */
export interface CallError {
  readonly _tag: CallErrorTag
  /** The message that clients expect: Bitcoin Core's, if it has one. */
  readonly message: string
}

export const callError = (_tag: CallErrorTag, message: string): CallError => ({ _tag, message })

export const invalidParameter = (message: string): CallError => callError("InvalidParameter", message)

export const wrongKind = (message: string): CallError => callError("WrongType", message)
