import type { HostPort } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import type { PlanDraft } from "./draft.ts"
import { BAD_PORTS } from "../../net/bad-ports.ts"
import { socketAddressOf, splitHostAndPort, listenPlace, portOf } from "./places-of.ts"

const ONION = /=onion$/
const MOST_PORT = 65_535
const CONTROL_PORT = 9_051

/** Where Tor takes commands; none where the text names no place, which is refused elsewhere. */
const controlPlace = (text: string): HostPort | undefined => {
  const split = splitHostAndPort(text === "" ? "127.0.0.1" : text)
  const host = split === undefined ? undefined : socketAddressOf(split.host)
  return host === undefined ? undefined : { host, port: split!.port ?? CONTROL_PORT }
}

const defaultPort = ({ args, network, problems }: PlanDraft): number => {
  const text = args.text("port")
  if (text === undefined) return network.listen.port
  const port = portOf(text)
  if (port === undefined) problems.push(`Invalid port specified in -port: '${text}'`)
  return port ?? network.listen.port
}

/** Permissions stand before an `@`. */
const withoutPermissions = (text: string): string => text.slice(text.lastIndexOf("@") + 1)

/** The onion service that is made through Tor's control port. */
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

/** Warns of ports to which hardly any node connects. */
const warnOfBadPorts = ({ args, warnings }: PlanDraft, isAnywhere: boolean): void => {
  const warn = (option: string, port: number | undefined): void => {
    if (port === undefined || !BAD_PORTS.has(port)) return
    warnings.push(
      `-${option} request to listen on port ${port}. This port is considered "bad" and thus it is unlikely that any peer will connect to it. See doc/p2p-bad-ports.md for details and a full list.`
    )
  }
  if (isAnywhere) warn("port", portOf(args.text("port") ?? ""))
  for (const text of args.list("bind")) if (!ONION.test(text)) warn("bind", splitHostAndPort(text)?.port)
}

/** Where other nodes may connect. */
export const planListening = (draft: PlanDraft): void => {
  const { args, problems, values } = draft
  const port = defaultPort(draft)
  const isListening = args.flag("listen") ?? true
  values.set("connections.listen", isListening)
  const binds = args.list("bind")
  const trusted = args.list("whitebind")
  if (!isListening && binds.length + trusted.length > 0) {
    problems.push("Cannot set -bind or -whitebind together with -listen=0")
  }
  if (!isListening && args.flag("listenonion") === true) {
    problems.push("Cannot set -listen=0 together with -listenonion=1")
  }
  warnOfBadPorts(draft, binds.length + trusted.length === 0)
  const places: Array<HostPort> = []
  const add = (option: string, text: string, fallback: number): void => {
    const found = listenPlace(option, text, fallback)
    if ("problem" in found) problems.push(found.problem)
    else places.push(found.place)
  }
  for (const text of binds.filter((each) => !ONION.test(each))) add("bind", text, port)
  for (const text of trusted) add("whitebind", withoutPermissions(text), 0)
  if (places.some(({ port: each }) => each === 0)) {
    const wrong = trusted.map(withoutPermissions).find((text) => !/:\d+$/.test(text))
    if (wrong !== undefined) problems.push(`Need to specify a port with -whitebind: '${wrong}'`)
  }
  const open = places.length
  for (const text of binds.filter((each) => ONION.test(each))) add("bind", text.replace(ONION, ""), port + 1)
  const onion = places.slice(open)
  const shown = places.map(printHostPort)
  const twice = shown.find((place, at) => shown.indexOf(place) !== at)
  if (twice !== undefined) {
    problems.push(
      `Duplicate binding configuration for address ${twice}. Please check your -bind, -bind=...=onion and -whitebind settings.`
    )
  }
  if (places.length === 0) {
    places.push({ host: "0.0.0.0", port })
    // The place above the last port there is would be none.
    if (port < MOST_PORT) onion.push({ host: "127.0.0.1", port: port + 1 })
  }
  const [first, ...others] = places.filter((place, at) => at === 0 || !onion.includes(place))
  values.set("listen_addr", printHostPort(first!))
  values.set("connections.more_listen_addrs", others.map(printHostPort))
  values.set("connections.onion_listen_addrs", onion.map(printHostPort))
  planOnionService(draft, onion, isListening)
}
