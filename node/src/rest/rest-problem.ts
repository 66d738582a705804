import { RPC_CODES } from "../methods/definition/rpc-codes.ts"
import type { CallError, CallErrorTag } from "../queries/call-error.ts"
import { STATUS_OF_ERROR } from "./error-status.ts"

/** The reason why a request has no data: the status, a code word for programs and a message for people. */
export class RestProblem {
  readonly status: number
  readonly message: string
  /** Suggestions for the client, one sentence each. */
  readonly suggestions: ReadonlyArray<string>
  /** Code of the underlying RPC error, if any. */
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

/** Every status that an error may have. */
export const PROBLEM_STATUSES: ReadonlyArray<number> = Object.keys(WORDS).map(Number)

/** Returns the code word of a status, by which programs distinguish problems. */
export const codeWord = (status: number): string => WORDS[status] ?? "error"

/** Statuses of errors that differ for a resource. */
export type Statuses = Readonly<Partial<Record<CallErrorTag, number>>>

/** Returns the problem for an error. `statuses` are those that differ for the resource. */
export const problemOf = ({ _tag, message }: CallError, statuses: Statuses = {}): RestProblem =>
  new RestProblem(statuses[_tag] ?? STATUS_OF_ERROR[_tag], message, [], RPC_CODES[_tag])
