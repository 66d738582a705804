import type { HttpAnswer } from "../../http/http-answer.ts"
import { isKnown, strongTag } from "../entity-tag.ts"
import { JSON_TYPE } from "../negotiate.ts"
import { ROUTES } from "../routes/table.ts"
import { openApiText } from "./openapi.ts"

let made: { readonly text: string; readonly tag: string } | undefined

/** Returns the OpenAPI document. The first request generates it. */
export const openApiAnswer = (requestId: string, ifNoneMatch: string | undefined): HttpAnswer => {
  if (made === undefined) {
    const text = openApiText(ROUTES)
    made = { text, tag: strongTag(text) }
  }
  const { tag, text } = made
  const headers = { ETag: tag, "Cache-Control": "private, no-cache", "X-Request-Id": requestId, Vary: "Authorization" }
  return isKnown(tag, ifNoneMatch)
    ? { status: 304, body: undefined, headers }
    : { status: 200, body: text, headers: { ...headers, "Content-Type": JSON_TYPE } }
}
