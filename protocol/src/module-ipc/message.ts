import * as Result from "effect/Result"
import { eventPayload, eventType, type ModuleEventPayload } from "./events/event-payloads.ts"
import type { ModuleIpcFault } from "./fault.ts"
import { option, variant } from "./layout/compounds.ts"
import type { ValueOf } from "./layout/layout.ts"
import { readerOf, refuse, type Reader, remaining } from "./layout/reader.ts"
import { bool, count, text, u64 } from "./layout/scalars.ts"
import { reserve, writer } from "./layout/writer.ts"
import { invocationResultPayload, invocationType, logLevel } from "./module-values.ts"
import { type RequestPayload, requestPayload, requestType } from "./requests.ts"
import { type ResponsePayload, responsePayload } from "./responses.ts"

/** The messages between the node and a module. `correlation_id` connects a question and its answer. */
export const moduleMessage = variant("message", {
  /** From the module. */
  Request: { correlation_id: u64, request_type: requestType, payload: requestPayload },
  /** From the node, with exactly one of `payload` and `error`; see `ipcErrorText` for the latter. */
  Response: { correlation_id: u64, success: bool, payload: option(responsePayload), error: option(text) },
  /** From the node. */
  Event: { event_type: eventType, payload: eventPayload },
  /** From the module; `timestamp` in seconds of Unix time. */
  Log: { level: logLevel, module_id: text, message: text, target: text, timestamp: count },
  /** From the node. */
  Invocation: { correlation_id: u64, invocation_type: invocationType },
  /** From the module. */
  InvocationResult: {
    correlation_id: u64,
    success: bool,
    payload: option(invocationResultPayload),
    error: option(text)
  }
})

export type ModuleMessage = ValueOf<typeof moduleMessage>
/** A message of one kind. */
export type ModuleMessageOf<K extends ModuleMessage["_tag"]> = Extract<ModuleMessage, { readonly _tag: K }>

/** Builds a request with the type of its payload. */
export const moduleRequest = (correlation_id: bigint, payload: RequestPayload): ModuleMessageOf<"Request"> => ({
  _tag: "Request",
  correlation_id,
  request_type: payload._tag,
  payload
})

/** Builds a response to a request. */
export const moduleResponse = (correlation_id: bigint, payload: ResponsePayload): ModuleMessageOf<"Response"> => ({
  _tag: "Response",
  correlation_id,
  success: true,
  payload,
  error: undefined
})

/** Builds a refusal of a request. */
export const moduleRefusal = (correlation_id: bigint, error: string): ModuleMessageOf<"Response"> => ({
  _tag: "Response",
  correlation_id,
  success: false,
  payload: undefined,
  error
})

/** Builds an event with the type of its payload. */
export const moduleEvent = (payload: ModuleEventPayload): ModuleMessageOf<"Event"> => ({
  _tag: "Event",
  event_type: payload._tag,
  payload
})

const mismatch = (declared: string, found: string): ModuleIpcFault | undefined =>
  declared === found ? undefined : { _tag: "TypeMismatch", declared, found }

/** Returns the inconsistency between the parts of a message, each of which is valid. */
const inconsistency = (message: ModuleMessage): ModuleIpcFault | undefined => {
  if (message._tag === "Event") return mismatch(message.event_type, message.payload._tag)
  if (message._tag !== "Request") return undefined
  const { request_type, payload } = message
  const published = payload._tag === "PublishEvent" ? mismatch(payload.event_type, payload.payload._tag) : undefined
  return mismatch(request_type, payload._tag) ?? published
}

const wholeMessage = (reader: Reader): ModuleMessage => {
  const message = moduleMessage.read(reader)
  const rest = remaining(reader)
  if (rest > 0) refuse(reader, { _tag: "TrailingBytes", offset: reader.offset, length: rest })
  return message
}

/**
 * Decodes the message in a frame. Its byte strings and hashes are views of `frame`. A decoded message encodes to the
 * same bytes.
 */
export const decodeModuleMessage = (frame: Uint8Array): Result.Result<ModuleMessage, ModuleIpcFault> => {
  const reader = readerOf(frame)
  const message = wholeMessage(reader)
  const fault = reader.fault ?? inconsistency(message)
  return fault === undefined ? Result.succeed(message) : Result.fail(fault)
}

/** Encodes a message without the length before it. */
export const encodeModuleMessage = (message: ModuleMessage): Uint8Array => {
  const to = writer()
  moduleMessage.write(to, message)
  return to.bytes.subarray(0, to.offset)
}

/** Bytes of the length before a message. */
const PREFIX = 4

/** Encodes a frame: the length of the message in four bytes, little-endian, and the message. */
export const encodeModuleFrame = (message: ModuleMessage): Uint8Array => {
  const to = writer()
  reserve(to, PREFIX)
  moduleMessage.write(to, message)
  to.view.setUint32(0, to.offset - PREFIX, true)
  return to.bytes.subarray(0, to.offset)
}
