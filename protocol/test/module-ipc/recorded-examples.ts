import fc, { type Arbitrary } from "fast-check"
import { readFileSync } from "node:fs"
import { type ModuleEventPayload, eventPayload } from "../../src/module-ipc/events/event-payloads.ts"
import {
  encodeModuleMessage,
  moduleEvent,
  type ModuleMessage,
  moduleRequest,
  moduleResponse,
  type RequestPayload,
  type ResponsePayload
} from "../../src/module-ipc/index.ts"
import { requestPayload } from "../../src/module-ipc/requests.ts"
import { responsePayload } from "../../src/module-ipc/responses.ts"
import { toHex } from "../wire/hex.ts"
import { consistent, variantsOf } from "./arbitraries.ts"

/** A message whose bytes were recorded: modules that were built then read the same of them. */
export interface RecordedExample {
  readonly name: string
  readonly bytes: string
  readonly message: string
}

/** A message as a text: byte strings in hexadecimal digits, large numbers and maps by their content. */
export const messageText = (message: ModuleMessage): string =>
  JSON.stringify(message, (_, value: unknown) => {
    if (value instanceof Uint8Array) return toHex(value)
    if (value instanceof Map) return [...value]
    return typeof value === "bigint" ? String(value) : value
  })

const SEED = 21

const one = (
  kind: string,
  [name, values]: readonly [string, Arbitrary<unknown>],
  of: (value: unknown) => ModuleMessage
) => {
  const [value] = fc.sample(values, { seed: SEED, numRuns: 1 })
  return { name: `${kind} ${name}`, message: consistent(of(value)) }
}

/** A message for each request, answer and event. */
const messages = (): ReadonlyArray<{ readonly name: string; readonly message: ModuleMessage }> => [
  ...variantsOf(requestPayload.shape).map((each) =>
    one("request", each, (value) => moduleRequest(7n, value as RequestPayload))
  ),
  ...variantsOf(responsePayload.shape).map((each) =>
    one("answer", each, (value) => moduleResponse(7n, value as ResponsePayload))
  ),
  ...variantsOf(eventPayload.shape).map((each) =>
    one("event", each, (value) => moduleEvent(value as ModuleEventPayload))
  )
]

/** A line for each example, as it would be recorded now. */
export const examplesNow = (): ReadonlyMap<string, string> =>
  new Map(
    messages().map(({ message, name }) => [
      name,
      JSON.stringify({ name, bytes: toHex(encodeModuleMessage(message)), message: messageText(message) })
    ])
  )

export const recordedExamples = (): ReadonlyMap<string, RecordedExample> =>
  new Map(
    readFileSync(new URL("recorded-examples.jsonl", import.meta.url), "utf8").split("\n").filter((line) => line !== "")
      .map((line) => JSON.parse(line) as RecordedExample).map((example) => [example.name, example])
  )
