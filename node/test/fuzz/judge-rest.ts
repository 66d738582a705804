import { codeWord, PROBLEM_STATUSES } from "../../src/rest/rest-problem.ts"
import type { Route } from "../../src/rest/route.ts"
import { readJson } from "../../src/json/read-json.ts"
import { JsonMembers } from "../../src/json/json-value.ts"
import { fits } from "../rpc/result-fits.ts"
import { programmersWords } from "./plain-words.ts"

export interface RestReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

const STATUSES: ReadonlySet<number> = new Set([200, 304, ...PROBLEM_STATUSES.filter((status) => status !== 500)])

const header = ({ headers }: RestReply, name: string): string | undefined =>
  Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]

const wrongMeta = (meta: unknown): string | undefined => {
  const { request_id: id, timestamp, version } = (meta ?? {}) as Record<string, unknown>
  const isRight = typeof id === "string" && id !== "" && typeof timestamp === "string" && /^\d+$/.test(timestamp) &&
    version === "1.0"
  return isRight ? undefined : `meta is ${JSON.stringify(meta)}`
}

const wrongProblem = (answer: Record<string, unknown>, status: number, sent: string): string | undefined => {
  const { code, message, suggestions = [], ...rest } = (answer["error"] ?? {}) as Record<string, unknown>
  if (code !== codeWord(status)) return `code: ${String(code)} with status ${status}`
  if (typeof message !== "string" || message === "" || !Array.isArray(suggestions)) {
    return `error is ${JSON.stringify(answer["error"])}`
  }
  if (Object.keys(rest).some((key) => key !== "details")) return `error has ${Object.keys(rest).join()}`
  return programmersWords(message, sent)
}

const wrongData = (text: string, route: Route | undefined, isPaged: boolean): string | undefined => {
  const envelope = readJson(text)
  const data = envelope instanceof JsonMembers ? envelope.get("data") : undefined
  if (data === undefined) return `no data in ${text.slice(0, 100)}`
  if (route === undefined) return "data: of no resource"
  if (!fits(route.result, data)) return `data: not as ${route.path} documents it: ${text.slice(0, 200)}`
  return route.isPaged === isPaged ? undefined : `links: of ${route.path}`
}

const wrongJson = (reply: RestReply, route: Route | undefined, sent: string): string | undefined => {
  const text = String(reply.body)
  let answer: Record<string, unknown>
  try {
    answer = JSON.parse(text) as Record<string, unknown>
  } catch {
    return `the answer is no JSON: ${text.slice(0, 200)}`
  }
  if (reply.status === 200 && "openapi" in answer) return undefined
  const { meta } = answer
  if ((meta as { request_id?: unknown } | undefined)?.request_id !== header(reply, "x-request-id")) {
    return "request id: two of them"
  }
  return (
    wrongMeta(meta) ??
      (reply.status === 200 ? wrongData(text, route, "links" in answer) : wrongProblem(answer, reply.status, sent))
  )
}

const wrongBytes = (
  { body, status }: RestReply,
  type: string | undefined,
  route: Route | undefined
): string | undefined => {
  if (status !== 200 || route?.hasBytes !== true) return `type: ${String(type)} with status ${status}`
  if (type === "text/plain") {
    return /^(?:[0-9a-f]{2})+\n$/.test(String(body))
      ? undefined
      : `hex: ${String(body).slice(0, 100)}`
  }
  return type === "application/octet-stream" ? undefined : `type: ${String(type)}`
}

/** What is wrong with an answer of REST to what was `sent`, on the way to `route`. */
export const wrongRestReply = (reply: RestReply, route: Route | undefined, sent: string): string | undefined => {
  const { body, status } = reply
  const hasTag = header(reply, "etag") !== undefined
  if (!STATUSES.has(status)) return `status: ${status} ${String(body).slice(0, 200)}`
  if (status === 304) return body === undefined && hasTag ? undefined : "304: with a body, or without a tag"
  if (body === undefined) return `no body with status ${status}`
  if (status === 200 && route?.verb === "GET" && !hasTag) return "etag: there is none"
  const type = header(reply, "content-type")
  return type === "application/json" ? wrongJson(reply, route, sent) : wrongBytes(reply, type, route)
}
