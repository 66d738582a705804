import { parseSubnet } from "../../net/subnet.ts"
import type { Draft } from "./draft.ts"

const KNOWN = new Set(["bloomfilter", "bloom", "noban", "forcerelay", "relay", "mempool", "download", "addr", "all"])
const DIRECTIONS = new Set(["in", "out"])
/** Rights that a trusted peer of this node has. */
const GRANTED = new Set(["noban", "download", "all"])

/** The permissions before an `@`; none: those that Bitcoin Core gives without any. */
export interface Permissions {
  readonly names: ReadonlyArray<string> | undefined
  readonly target: string
  readonly problem?: string
}

export const permissionsOf = (text: string, option: "whitebind" | "whitelist"): Permissions => {
  const at = text.indexOf("@")
  if (at < 0) return { names: undefined, target: text }
  const target = text.slice(at + 1)
  const names = text.slice(0, at).split(",").filter((name) => name !== "")
  const directions = names.filter((name) => DIRECTIONS.has(name))
  const unknown = names.find((name) => !KNOWN.has(name) && !DIRECTIONS.has(name))
  if (unknown !== undefined) return { names, target, problem: `Invalid P2P permission: '${unknown}'` }
  if (option === "whitebind" && names.includes("out")) {
    return { names, target, problem: "whitebind may only be used for incoming connections (\"out\" was passed)" }
  }
  if (names.length > 0 && names.length === directions.length) {
    return { names, target, problem: `Only direction was set, no permissions: '${text.slice(0, at)}'` }
  }
  return { names: names.filter((name) => !DIRECTIONS.has(name)), target }
}

const missing = (names: ReadonlyArray<string>): ReadonlyArray<string> => names.filter((name) => !GRANTED.has(name))

/** Which peers are trusted. */
export const planPermissions = ({ args, notices, problems, values }: Draft): void => {
  const trusted: Array<string> = []
  for (const text of args.list("whitelist")) {
    const { names, problem, target } = permissionsOf(text, "whitelist")
    if (problem !== undefined) problems.push(problem)
    else if (parseSubnet(target) === undefined) problems.push(`Invalid netmask specified in -whitelist: '${target}'`)
    else {
      const isTrusted = names === undefined || names.includes("noban") || names.includes("all")
      if (isTrusted) trusted.push(target)
      const rest = missing(names ?? [])
      if (rest.length > 0) notices.push(`-whitelist=${text}: the node cannot grant ${rest.join(", ")}`)
    }
  }
  values.set("connections.trusted_peers", trusted)
  for (const text of args.list("whitebind")) {
    const { problem } = permissionsOf(text, "whitebind")
    if (problem !== undefined) problems.push(problem)
    else {notices.push(
        `-whitebind=${text}: the node listens there, and cannot grant permissions by where a peer connects`
      )}
  }
}
