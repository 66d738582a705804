import type { HostPort } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import type { PlanDraft } from "./draft.ts"
import { BAD_PORTS } from "../../net/bad-ports.ts"
import { listenPlace, portOf, reachableAddress, splitHostAndPort } from "./places-of.ts"

const ONION = "=onion"
const MOST_PORT = 65_535
const CONTROL_PORT = 9_051

/** Returns the endpoint of Tor's control port, or `undefined` for an invalid one, which is rejected elsewhere. */
const controlPlace = (text: string): HostPort | undefined => {
  const split = splitHostAndPort(text === "" ? "127.0.0.1" : text)
  const host = split === undefined ? undefined : reachableAddress(split.host)
  return host === undefined ? undefined : { host, port: split!.port ?? CONTROL_PORT }
}

const defaultPort = ({ args, network, problems }: PlanDraft): number => {
  const text = args.text("port")
  if (text === undefined) return network.listen.port
  const port = portOf(text)
  if (port === undefined) problems.push(`Invalid port specified in -port: '${text}'`)
  return port ?? network.listen.port
}

/** Removes the permissions, which end with an `@`. */
const withoutPermissions = (text: string): string => text.slice(text.indexOf("@") + 1)

const isForOnion = (text: string): boolean => text.endsWith(ONION)

const withoutNetwork = (text: string): string => isForOnion(text) ? text.slice(0, -ONION.length) : text

/** Returns the endpoints of `-bind` and `-whitebind`, those for Tor separately. */
const givenPlaces = ({ args, problems }: PlanDraft, port: number) => {
  const open: Array<HostPort> = []
  const onion: Array<HostPort> = []
  const add = (to: Array<HostPort>, option: string, text: string, address: string, fallback: number): void => {
    const found = listenPlace(option, address, fallback)
    // Bitcoin Core shows the whole value, except for permissions.
    if ("problem" in found) problems.push(found.problem.replace(/'.*'$/s, () => `'${text}'`))
    else to.push(found.place)
  }
  for (const text of args.list("bind")) {
    const address = withoutNetwork(text)
    if (splitHostAndPort(text.slice(0, text.includes("=") ? text.lastIndexOf("=") : undefined)) === undefined) {
      problems.push(`Invalid port specified in -bind: '${text}'`)
    } else if (address.includes("=")) problems.push(`Cannot resolve -bind address: '${text}'`)
    else if (isForOnion(text)) add(onion, "bind", text, address, port + 1)
    else add(open, "bind", text, address, port)
  }
  for (const text of args.list("whitebind")) {
    const address = withoutPermissions(text)
    if (splitHostAndPort(text) === undefined) problems.push(`Invalid port specified in -whitebind: '${text}'`)
    else add(open, "whitebind", address, address, 0)
    if (open.at(-1)?.port === 0) problems.push(`Need to specify a port with -whitebind: '${address}'`)
  }
  return { open, onion }
}

/** Plans the onion service that is created through Tor's control port. */
const planOnionService = (
  { args, values, warnings }: PlanDraft,
  onion: ReadonlyArray<HostPort>,
  isListening: boolean
): void => {
  const control = controlPlace(args.text("torcontrol") ?? "")
  if (!isListening || args.flag("listenonion") === false || control === undefined) return
  values.set("connections.tor_control", printHostPort(control))
  const password = args.text("torpassword") ?? ""
  if (password !== "") values.set("connections.tor_password", password)
  if (onion.length > 1) {
    warnings.push(
      `More than one onion bind address is provided. Using ${
        printHostPort(onion[0]!)
      } for the automatically created Tor onion service.`
    )
  }
}

/** Warns of ports that most nodes do not connect to. */
const warnOfBadPorts = ({ args, warnings }: PlanDraft, isAnywhere: boolean): void => {
  const warn = (option: string, port: number | undefined): void => {
    if (port === undefined || !BAD_PORTS.has(port)) return
    warnings.push(
      `-${option} request to listen on port ${port}. This port is considered "bad" and thus it is unlikely that any peer will connect to it. See doc/p2p-bad-ports.md for details and a full list.`
    )
  }
  if (isAnywhere) warn("port", portOf(args.text("port") ?? ""))
  for (const text of args.list("bind")) if (!isForOnion(text)) warn("bind", splitHostAndPort(text)?.port)
}

/** Plans the endpoints on which the node listens for peers. */
export const planListening = (draft: PlanDraft): void => {
  const { args, problems, values } = draft
  const port = defaultPort(draft)
  const isListening = args.flag("listen") ?? true
  values.set("connections.listen", isListening)
  const given = args.list("bind").length + args.list("whitebind").length
  if (!isListening && given > 0) problems.push("Cannot set -bind or -whitebind together with -listen=0")
  if (!isListening && args.flag("listenonion") === true) {
    problems.push("Cannot set -listen=0 together with -listenonion=1")
  }
  warnOfBadPorts(draft, given === 0)
  const { onion, open } = givenPlaces(draft, port)
  const shown = [...open, ...onion].map(printHostPort)
  const twice = shown.find((place, at) => shown.indexOf(place) !== at)
  if (twice !== undefined) {
    problems.push(
      `Duplicate binding configuration for address ${twice}. Please check your -bind, -bind=...=onion and -whitebind settings.`
    )
  }
  const isAnywhere = open.length + onion.length === 0
  if (isAnywhere) {
    open.push({ host: "0.0.0.0", port })
    // No port follows the highest one.
    if (port < MOST_PORT) onion.push({ host: "127.0.0.1", port: port + 1 })
  }
  const [first, ...others] = open.length === 0 ? onion : open
  values.set("listen_addr", printHostPort(first!))
  values.set("connections.more_listen_addrs", open.length === 0 ? [] : others.map(printHostPort))
  values.set("connections.onion_listen_addrs", onion.map(printHostPort))
  planOnionService(draft, onion, isListening)
}

/** Returns endpoints bound by default besides IPv4. A failed bind is no error, since the machine may lack IPv6. */
export const placesToTry = ({ args, network }: PlanDraft): ReadonlyArray<HostPort> =>
  args.list("bind").length + args.list("whitebind").length > 0
    ? []
    : [{ host: "::", port: portOf(args.text("port") ?? "") ?? network.listen.port }]
