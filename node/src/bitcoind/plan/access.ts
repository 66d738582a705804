import type { HostPort, RpcCredentials } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import { DEPRECATED_ANSWERS } from "../../config/deprecated-answers.ts"
import { METHOD_NAME, SALTED_PASSWORD } from "../../config/schema/rpc-tables.ts"
import { parseSubnet } from "../../net/subnet.ts"
import { pathOf, under } from "../args/directories.ts"
import { clamp, type PlanDraft, numberGiven } from "./draft.ts"
import { HTTP_FAILED, NO_SUBNET } from "./http-failed.ts"
import { splitHostAndPort, portOf } from "./places-of.ts"

/** Path of the cookie and permissions of its file. */
export interface CookiePlan {
  readonly file: string
  readonly mode: number
}

/** Plan for RPC: endpoints, credentials and limits. */
export interface AccessPlan {
  readonly isServing: boolean
  readonly hasRest: boolean
  /** True to check answers against their descriptions. */
  readonly checksAnswers: boolean
  readonly cookie: CookiePlan | undefined
  readonly basic: RpcCredentials["basic"]
  /** Number of calls that run at once. */
  readonly threads: number
  /** Further endpoints besides the first. */
  readonly moreBinds: ReadonlyArray<HostPort>
}

const READABLE_BY: Readonly<Record<string, number>> = { owner: 0o600, group: 0o640, all: 0o644 }

/** Shape that Bitcoin Core accepts, whatever the hash is. */
const SALTED_SHAPE = /^[^:]*:[^:$]*\$[^:$]*$/

const portOfRpc = ({ args, network, problems }: PlanDraft): number => {
  const text = args.text("rpcport")
  if (text === undefined) return network.rpc.port
  const port = portOf(text)
  if (port === undefined) problems.push(`Invalid port specified in -rpcport: '${text}'`)
  return port ?? network.rpc.port
}

const ANYWHERE = ["0.0.0.0", "::"]

const UNSAFE = "The RPC server is not safe to expose to untrusted networks such as the public internet"

const PLAIN_PASSWORD =
  "The use of rpcuser/rpcpassword is less secure, because credentials are configured in plain text. It is recommended that locally-run instances switch to cookie-based auth, or otherwise to use hashed rpcauth credentials. See share/rpcauth in the source directory for more information."

const bindsOf = (draft: PlanDraft): ReadonlyArray<HostPort> => {
  const { args, notices } = draft
  const port = portOfRpc(draft)
  const own: ReadonlyArray<HostPort> = [{ host: "127.0.0.1", port }, { host: "::1", port }]
  const isOpen = args.list("rpcallowip").length > 0
  const binds = args.list("rpcbind")
  if (!isOpen || binds.length === 0) {
    if (isOpen) notices.push("Option -rpcallowip was specified without -rpcbind; this doesn't usually make sense")
    if (binds.length > 0) {
      notices.push(
        "Option -rpcbind was ignored because -rpcallowip was not specified, refusing to allow everyone to connect"
      )
    }
    return own
  }
  return binds.flatMap((text) => {
    const split = splitHostAndPort(text)
    if (split !== undefined && ANYWHERE.includes(split.host)) notices.push(UNSAFE)
    return split === undefined || split.host === "" ? [] : [{ host: split.host, port: split.port ?? port }]
  })
}

/** Plans the subnets of callers. Returns false if one cannot be parsed: further faults are then not reported. */
const planAllowed = ({ args, problems, values }: PlanDraft): boolean => {
  // Without any subnet, callers from every address would be served.
  const allowed = ["127.0.0.0/8"]
  for (const text of args.list("rpcallowip")) {
    const subnet = parseSubnet(text)
    if (subnet === undefined) {
      problems.push(
        `${NO_SUBNET}${text}. Valid values are a single IP (e.g. 1.2.3.4), a network/netmask (e.g. 1.2.3.4/255.255.255.0), a network/CIDR (e.g. 1.2.3.4/24), all ipv4 (0.0.0.0/0), or all ipv6 (::/0). RFC4193 is allowed only if -cjdnsreachable=0.`
      )
    } else allowed.push(text)
  }
  values.set("rpc.allow_ip", allowed)
  return problems.every((problem) => !problem.startsWith(NO_SUBNET))
}

const planUsers = ({ args, notices, problems, values }: PlanDraft): void => {
  const salted: Array<string> = []
  for (const text of args.list("rpcauth")) {
    if (SALTED_PASSWORD.test(text)) salted.push(text)
    else if (SALTED_SHAPE.test(text)) notices.push("A hash of -rpcauth is that of no password: its user cannot log in.")
    else {
      notices.push("Invalid -rpcauth argument.")
      problems.push(HTTP_FAILED)
    }
  }
  values.set("rpc_auth.rpcauth", salted)
}

const planWhitelist = ({ args, notices, values }: PlanDraft): void => {
  const whitelist = new Map<string, ReadonlyArray<string>>()
  for (const text of args.list("rpcwhitelist")) {
    const colon = text.indexOf(":")
    const user = colon < 0 ? text : text.slice(0, colon)
    const names = colon < 0 ? [] : text.slice(colon + 1).split(/[\s,]+/).filter((name) => name !== "")
    const methods = names.filter((name) => METHOD_NAME.test(name))
    for (const name of names.filter((each) => !METHOD_NAME.test(each))) {
      notices.push(`No method can have the name ${name}, which -rpcwhitelist gives to ${user}.`)
    }
    const before = whitelist.get(user)
    whitelist.set(user, before === undefined ? methods : before.filter((method) => methods.includes(method)))
  }
  values.set("rpc_auth.whitelist", Object.fromEntries(whitelist))
  const byDefault = args.flag("rpcwhitelistdefault")
  if (byDefault !== undefined) values.set("rpc_auth.whitelist_default", byDefault)
}

/** Rate limits to switch off: Bitcoin Core has none for callers. */
const WITHOUT_LIMITS = [
  "rpc.ip_rate_limit_burst",
  "rpc.ip_rate_limit_rate",
  "rpc.max_failed_credentials",
  "rpc_auth.rate_limit_burst",
  "rpc_auth.rate_limit_rate"
]

/** Plans the cookie. The permissions are checked even if `-norpccookiefile` prevents it. */
const cookieOf = ({ args, directory, notices, problems }: PlanDraft): CookiePlan | undefined => {
  const readers = args.text("rpccookieperms") ?? "owner"
  const mode = READABLE_BY[readers]
  if (mode === undefined) {
    notices.push(`Invalid -rpccookieperms=${readers}; must be one of 'owner', 'group', or 'all'.`)
    problems.push(HTTP_FAILED)
  }
  if (args.isNegated("rpccookiefile")) return undefined
  return { file: under(directory, pathOf(args.value("rpccookiefile")) ?? ".cookie"), mode: mode ?? 0o600 }
}

/** Plans the deprecated answers. Bitcoin Core ignores names that it does not know. */
const planDeprecated = ({ args, values }: PlanDraft): void => {
  const named = new Set(args.list("deprecatedrpc"))
  values.set("rpc.deprecated", DEPRECATED_ANSWERS.filter((each) => named.has(each)))
}

/** Plans how callers reach the node. */
export const planAccess = (draft: PlanDraft): AccessPlan => {
  const { args, values } = draft
  const isServing = args.flag("server") ?? true
  // Without a server, only ports are checked.
  const served: PlanDraft = isServing ? draft : { ...draft, notices: [], problems: [] }
  const isRead = planAllowed(served)
  const [first, ...moreBinds] = bindsOf(isRead ? served : { ...served, notices: [] })
  if (!isServing) portOfRpc(draft)
  if (first !== undefined) values.set("rpc_addr", printHostPort(first))
  planUsers(served)
  planWhitelist(served)
  planDeprecated(draft)
  for (const key of WITHOUT_LIMITS) values.set(key, 0)
  values.set("rpc_auth.required", true)
  const threads = Math.max(1, numberGiven(draft, "rpcthreads", 16))
  // In Bitcoin Core a call either has a thread or waits for one.
  values.set("rpc.work_queue", clamp(threads + Math.max(1, numberGiven(draft, "rpcworkqueue", 64)), 2, 100_000))
  const seconds = numberGiven(draft, "rpcservertimeout", 30)
  values.set("rpc.request_timeout_secs", seconds <= 0 ? 86_400 : clamp(seconds, 1, 86_400))
  const password = args.text("rpcpassword") ?? ""
  const common = {
    isServing,
    hasRest: args.flag("rest") ?? false,
    checksAnswers: args.flag("rpcdoccheck") ?? false,
    threads,
    moreBinds
  }
  if (password !== "") served.notices.push(PLAIN_PASSWORD)
  return password === ""
    ? { ...common, cookie: cookieOf(served), basic: undefined }
    : { ...common, cookie: undefined, basic: { username: args.text("rpcuser") ?? "", password } }
}
