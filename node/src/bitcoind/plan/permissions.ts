import { parseEndpoint } from "../../net/endpoint-text.ts"
import {
  ALL_PERMISSIONS,
  type Grant,
  type PeerPermission,
  type PeerPermissions,
  withImplied
} from "../../net/peer-permissions.ts"
import { parseSubnet } from "../../net/subnet.ts"
import type { PlanDraft } from "./draft.ts"

const DIRECTIONS: ReadonlySet<string> = new Set(["in", "out"])

/**
 * Permissions before an `@`, and their direction. `names` is `undefined` if none are named, which means Bitcoin Core's
 * default.
 */
interface Permissions {
  readonly names: ReadonlyArray<PeerPermission> | undefined
  readonly target: string
  readonly directions: ReadonlySet<string>
  readonly problem?: string
}

const NAMES: ReadonlyMap<string, ReadonlyArray<PeerPermission>> = new Map<string, ReadonlyArray<PeerPermission>>([
  ...ALL_PERMISSIONS.map((name): [string, ReadonlyArray<PeerPermission>] => [name, [name]]),
  ["bloom", ["bloomfilter"]],
  ["all", ALL_PERMISSIONS]
])

export const permissionsOf = (text: string, option: "whitebind" | "whitelist"): Permissions => {
  const at = text.indexOf("@")
  if (at < 0) return { names: undefined, target: text, directions: new Set() }
  const target = text.slice(at + 1)
  const words = text.slice(0, at).split(",").filter((word) => word !== "")
  const directions = new Set(words.filter((word) => DIRECTIONS.has(word)))
  const names = words.filter((word) => !DIRECTIONS.has(word))
  const unknown = names.find((word) => !NAMES.has(word))
  const read = { names: names.flatMap((word) => NAMES.get(word) ?? []), target, directions }
  if (unknown !== undefined) return { ...read, problem: `Invalid P2P permission: '${unknown}'` }
  if (option === "whitebind" && directions.has("out")) {
    return { ...read, problem: "whitebind may only be used for incoming connections (\"out\" was passed)" }
  }
  if (names.length === 0 && directions.size > 0) {
    return { ...read, problem: `Only direction was set, no permissions: '${text}'` }
  }
  return read
}

/** Returns the permissions granted if none is named. */
const implicit = ({ args }: PlanDraft): ReadonlyArray<PeerPermission> => {
  const isForced = args.flag("whitelistforcerelay") ?? false
  const relays = args.flag("whitelistrelay") ?? true
  return [...isForced ? ["forcerelay" as const] : [], ...relays ? ["relay" as const] : [], "mempool", "noban"]
}

const grantedBy = ({ names }: Permissions, draft: PlanDraft): PeerPermissions => withImplied(names ?? implicit(draft))

/** Plans the permissions of peers, by subnet and by the endpoint that they connect to. */
export const planPermissions = (draft: PlanDraft): ReadonlyArray<Grant> => {
  const { args, problems } = draft
  const grants: Array<Grant> = []
  for (const text of args.list("whitelist")) {
    const read = permissionsOf(text, "whitelist")
    const subnet = parseSubnet(read.target)
    if (read.problem !== undefined) problems.push(read.problem)
    else if (subnet === undefined) problems.push(`Invalid netmask specified in -whitelist: '${read.target}'`)
    else {
      const outbound = read.directions.has("out")
      const inbound = read.directions.has("in") || !outbound
      grants.push({ to: { subnet }, permissions: grantedBy(read, draft), inbound, outbound })
    }
  }
  for (const text of args.list("whitebind")) {
    const read = permissionsOf(text, "whitebind")
    // An invalid endpoint is reported with the listening options.
    const local = parseEndpoint(read.target, 0)
    if (read.problem !== undefined) problems.push(read.problem)
    else if (local !== undefined) {
      grants.push({ to: { local }, permissions: grantedBy(read, draft), inbound: true, outbound: false })
    }
  }
  return grants
}
