import { JsonMembers, JsonNumber, type JsonRead } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { METHODS } from "../../src/methods/table.ts"
import { RPC_CODES } from "../../src/methods/definition/rpc-codes.ts"
import { JsonRpcCode } from "../../src/rpc/rpc-error.ts"
import { fits } from "../rpc/result-fits.ts"
import { programmersWords } from "./plain-words.ts"

const INTERNAL = RPC_CODES.Internal

/** Bad input is never the node's own fault. */
const CODES: ReadonlySet<number> = new Set(
  [...Object.values(RPC_CODES), ...Object.values(JsonRpcCode)].filter((code) => code !== INTERNAL)
)

/** Bitcoin Core too answers these as internal errors: a made block known as invalid, and a file that is no known snapshot. */
const LIKE_BITCOIN_CORE = ["ProcessNewBlock, block not accepted", "Unable to load UTXO snapshot"]

/** What an HTTP answer to calls has. */
export interface Reply {
  readonly status: number
  readonly body: string | undefined
}

const text = (value: JsonRead | undefined): string => (value === undefined ? "nothing" : writeJson(value))

/** Without an id a call of version 2.0 gets no answer in a batch, not even one that says what is wrong with it. */
const isNotification = (request: JsonRead): boolean =>
  request instanceof JsonMembers && request.get("jsonrpc") === "2.0" && request.get("id") === undefined

const wrongError = (error: JsonRead | undefined, request: string): string | undefined => {
  if (!(error instanceof JsonMembers) || error.keys.join() !== "code,message") return `error is ${text(error)}`
  const code = error.get("code")
  const message = error.get("message")
  if (!(code instanceof JsonNumber) || typeof message !== "string") return `error is ${text(error)}`
  if (LIKE_BITCOIN_CORE.some((beginning) => message.startsWith(beginning))) return undefined
  if (Number(code.text) === INTERNAL) return `internal error: ${message}`
  if (!CODES.has(Number(code.text))) return `no such code: ${code.text} (${message.slice(0, 100)})`
  return programmersWords(message, request)
}

const wrongResult = (reply: JsonMembers, request: JsonRead): string | undefined => {
  const name = request instanceof JsonMembers ? request.get("method") : undefined
  const method = typeof name === "string" ? METHODS.get(name) : undefined
  if (method === undefined) return `result: there is no method ${text(name ?? null)}`
  const result = reply.get("result") ?? null
  return fits(method.result.ast, result)
    ? undefined
    : `result: ${method.name} does not document ${text(result).slice(0, 200)}`
}

/** `answered`: the request whose id the reply has. What is no object has none; in a batch it is answered as the last that is. */
const wrongOne = (
  reply: JsonRead,
  request: JsonRead,
  sent: string,
  answered: JsonRead = request
): string | undefined => {
  if (!(reply instanceof JsonMembers)) return `a reply is ${text(reply).slice(0, 100)}`
  const keys = reply.keys.filter((key) => key !== "id").join()
  const id = answered instanceof JsonMembers ? answered.get("id") : null
  if (text(reply.get("id")) !== text(id)) return `id: ${text(reply.get("id"))} instead of ${text(id)}`
  if (keys === "jsonrpc,error") return wrongError(reply.get("error"), sent)
  if (keys === "jsonrpc,result") return wrongResult(reply, request)
  if (keys !== "result,error") return `members are ${reply.keys.join()}`
  return reply.get("error") === null ? wrongResult(reply, request) : wrongError(reply.get("error"), sent)
}

const parsed = (body: string): JsonRead | undefined => {
  try {
    JSON.parse(body)
  } catch {
    return undefined
  }
  return readJson(body)
}

const wrongBatch = (reply: JsonRead, batch: ReadonlyArray<JsonRead>, sent: string): string | undefined => {
  let last: JsonRead = null
  const answered = batch.map((each) => last = each instanceof JsonMembers ? each : last)
  const places = [...batch.keys()].filter((place) => !isNotification(answered[place]!))
  if (!Array.isArray(reply) || reply.length !== places.length) {
    return `batch: ${text(reply).slice(0, 100)} for ${places.length} calls`
  }
  for (const [i, each] of (reply as ReadonlyArray<JsonRead>).entries()) {
    const place = places[i]!
    const wrong = wrongOne(each, batch[place]!, sent, answered[place]!)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** What is wrong with the answer to `request` (none: the body was no JSON); `sent` is its text. */
export const wrongReply = (
  { body, status }: Reply,
  request: JsonRead | undefined,
  sent: string
): string | undefined => {
  if (![200, 204, 400, 404, 500].includes(status)) return `status: ${status}`
  if ((body === undefined) !== (status === 204)) return `status: ${status} with the body ${body?.slice(0, 100)}`
  if (body === undefined) return undefined
  const reply = parsed(body)
  if (reply === undefined) return `the answer is no JSON: ${body.slice(0, 200)}`
  if (Array.isArray(request)) return wrongBatch(reply, request, sent)
  return wrongOne(reply, request ?? null, sent)
}
