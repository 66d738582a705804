import { type HttpAnswer, OVERLOADED, STOPPING, textAnswer } from "./http-answer.ts"

/** A refusal as Bitcoin Core puts it: plain text, or nothing, where ours has an object. */
export const coreRefusal = (refusal: HttpAnswer): HttpAnswer => {
  if (refusal === OVERLOADED) return textAnswer(503, "Work queue depth exceeded")
  if (refusal === STOPPING) return textAnswer(503, "Request rejected during server shutdown")
  return refusal.status === 403 || refusal.status === 413 ? textAnswer(refusal.status, "") : refusal
}
