import { type HttpAnswer, OVERLOADED, STOPPING, textAnswer } from "./http-answer.ts"

/** Returns a refusal in Bitcoin Core's form: plain text or an empty body instead of a JSON object. */
export const coreRefusal = (refusal: HttpAnswer): HttpAnswer => {
  if (refusal === OVERLOADED) return textAnswer(503, "Work queue depth exceeded")
  if (refusal === STOPPING) return textAnswer(503, "Request rejected during server shutdown")
  return refusal.status === 403 || refusal.status === 413 ? textAnswer(refusal.status, "") : refusal
}
