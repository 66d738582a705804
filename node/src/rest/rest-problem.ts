import { STATUS_OF_ENGINE_ERROR } from "./engine-status.ts"
import { type RpcError, RpcErrorCode } from "../queries/rpc-error.ts"

/** Why a request has no data: the status, a word for programs and a message for people. */
export class RestProblem {
  readonly status: number
  readonly message: string
  /** What may help, each a sentence. */
  readonly suggestions: ReadonlyArray<string>
  /** The code of the RPC's error, where one is behind it. */
  readonly rpcCode: number | undefined
  constructor(status: number, message: string, suggestions: ReadonlyArray<string> = [], rpcCode?: number) {
    this.status = status
    this.message = message
    this.suggestions = suggestions
    this.rpcCode = rpcCode
  }
}

const WORDS: Readonly<Record<number, string>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  406: "not_acceptable",
  409: "conflict",
  413: "too_large",
  415: "unsupported_media_type",
  422: "rejected",
  429: "too_many_requests",
  500: "internal_error",
  501: "not_in_this_build",
  503: "unavailable"
}

/** Every status an error may have. */
export const PROBLEM_STATUSES: ReadonlyArray<number> = Object.keys(WORDS).map(Number)

/** The word for a status, by which programs distinguish problems. */
export const codeWord = (status: number): string => WORDS[status] ?? "error"

const STATUSES: ReadonlyMap<number, number> = new Map([
  [RpcErrorCode.inWarmup, 503],
  [RpcErrorCode.inInitialDownload, 503],
  [RpcErrorCode.notConnected, 503],
  [RpcErrorCode.outOfMemory, 503],
  [RpcErrorCode.methodNotFound, 501],
  [RpcErrorCode.invalidAddressOrKey, 404],
  [RpcErrorCode.invalidParameter, 400],
  [RpcErrorCode.invalidParams, 400],
  [RpcErrorCode.invalidAddressOrSubnet, 400],
  [RpcErrorCode.nodeAlreadyAdded, 409],
  [RpcErrorCode.nodeNotAdded, 404],
  [RpcErrorCode.nodeNotConnected, 404],
  [RpcErrorCode.networkDisabled, 409],
  [RpcErrorCode.type, 400],
  [RpcErrorCode.deserialization, 400],
  [RpcErrorCode.verify, 400]
])

const statusOfMisc = (message: string): number => {
  if (/^(Block|Undo data) not available/.test(message)) return 404
  return /^(Can't read|Block not found on disk)/.test(message) ? 500 : 400
}

const usualStatus = ({ code, engine, message }: RpcError): number => {
  if (engine !== undefined) return STATUS_OF_ENGINE_ERROR[engine._tag]
  return code === RpcErrorCode.misc ? statusOfMisc(message) : STATUSES.get(code) ?? 500
}

/** The problem that an error of the RPC is; `statuses` says where a resource sees a code otherwise than most do. */
export const problemOf = (error: RpcError, statuses: Readonly<Record<number, number>> = {}): RestProblem => {
  const { code, message } = error
  return new RestProblem(statuses[code] ?? usualStatus(error), message, [], code)
}
