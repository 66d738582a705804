import type { Field } from "../formats/field.ts"
import { displayHexOf } from "../formats/hex.ts"
import { type Outcome, same } from "../judge/outcome.ts"
import type { Store } from "./store.ts"
import type { Answer } from "./submit.ts"

const shown = ({ error, result }: Answer): string =>
  error === undefined ? `${result}` : `error ${error.code} "${error.message}"`

const expectedAnswer = (result: Field | undefined): Answer => {
  if (result === undefined) return { result: null }
  if (typeof result.raw === "string") return { result: result.text }
  const error = result.get("error")
  return { result: null, error: { code: error.get("code").integer, message: error.get("message").text } }
}

/** Compares what a call answered with what the row says. */
export const judgeAnswer = (row: Field, answer: Answer): Outcome => {
  const difference = same("result", shown(expectedAnswer(row.find("result"))), shown(answer))
  return difference && { ...difference, rule: answer.rejection?.rule }
}

const bestHeaderHeight = ({ entries, tip }: Store): number => {
  let best = tip
  for (const entry of entries.values()) if (!entry.invalid && entry.node.chainWork > best.node.chainWork) best = entry
  return best.node.height
}

/** Compares tip, height and height of the best header with what the row says. */
export const judgeTip = (row: Field, store: Store): Outcome => {
  const best = row.find("best")
  if (best === undefined) return undefined
  const height = row.get("height").integer
  return same("best block", best.text, displayHexOf(store.tip.node.hash)) ??
    same("height", height, store.tip.node.height) ??
    same("height of the best header", row.find("headers")?.integer ?? height, bestHeaderHeight(store))
}
