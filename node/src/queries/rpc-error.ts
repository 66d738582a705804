import type { EngineError } from "../engine/api/engine-error.ts"

/** Codes of errors, as other software expects them. */
export const RpcErrorCode = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  misc: -1,
  type: -3,
  invalidAddressOrKey: -5,
  outOfMemory: -7,
  notConnected: -9,
  inInitialDownload: -10,
  invalidParameter: -8,
  database: -20,
  deserialization: -22,
  verify: -25,
  rejected: -26,
  alreadyInSet: -27,
  inWarmup: -28,
  nodeAlreadyAdded: -23,
  nodeNotAdded: -24,
  nodeNotConnected: -29,
  invalidAddressOrSubnet: -30,
  networkDisabled: -31,
  nodeCapacityReached: -34,
  queueFull: -37
} as const

/** Why a call has no result: what the client sees. Plain data, since making one must cost nothing. */
export interface RpcError {
  readonly _tag: "RpcError"
  readonly code: number
  readonly message: string
  /** The engine's error behind it. */
  readonly engine?: EngineError
}

export const rpcError = (code: number, message: string): RpcError => ({ _tag: "RpcError", code, message })

export const invalidParameter = (message: string): RpcError => rpcError(RpcErrorCode.invalidParameter, message)

export const wrongKind = (message: string): RpcError => rpcError(RpcErrorCode.type, message)
