import { version } from "../../version.ts"
import type { PlanDraft } from "./draft.ts"

const SAFE = /^[A-Za-z0-9 .,;\-_?@]*$/
const LONGEST = 256

/** The name that this node sends to peers, with the operator's comments in it. */
export const userAgentOf = ({ args, problems }: PlanDraft): string => {
  const comments = args.list("uacomment")
  const unsafe = comments.find((comment) => !SAFE.test(comment))
  if (unsafe !== undefined) problems.push(`User Agent comment (${unsafe}) contains unsafe characters.`)
  const name = `/Lockstep:${version()}${comments.length === 0 ? "" : `(${comments.join("; ")})`}/`
  if (name.length > LONGEST) {
    problems.push(
      `Total length of network version string (${name.length}) exceeds maximum length (${LONGEST}). Reduce the number or size of uacomments.`
    )
  }
  return name
}
