import { ownUserAgent } from "../../config/own-user-agent.ts"
import type { PlanDraft } from "./draft.ts"

const SAFE = /^[A-Za-z0-9 .,;\-_?@]*$/
const LONGEST = 256

/** Returns a user agent that clients and peers treat as Bitcoin Core's, followed by the operator's comments. */
export const userAgentOf = ({ args, problems }: PlanDraft): string => {
  const comments = args.list("uacomment")
  const unsafe = comments.find((comment) => !SAFE.test(comment))
  if (unsafe !== undefined) problems.push(`User Agent comment (${unsafe}) contains unsafe characters.`)
  const name = ownUserAgent("satoshi", comments)
  if (name.length > LONGEST) {
    problems.push(
      `Total length of network version string (${name.length}) exceeds maximum length (${LONGEST}). Reduce the number or size of uacomments.`
    )
  }
  return name
}
