import type { HostPort } from "../../config/config.ts"
import { printHostPort } from "../../config/host-port.ts"
import type { PlanDraft } from "./draft.ts"
import { listenPlace, portOf } from "./places-of.ts"

const ONION = /=onion$/

const defaultPort = ({ args, network, problems }: PlanDraft): number => {
  const text = args.text("port")
  if (text === undefined) return network.listen.port
  const port = portOf(text)
  if (port === undefined) problems.push(`Invalid port specified in -port: '${text}'`)
  return port ?? network.listen.port
}

/** Permissions stand before an `@`. */
const withoutPermissions = (text: string): string => text.slice(text.lastIndexOf("@") + 1)

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
  const places: Array<HostPort> = []
  const add = (option: string, text: string, fallback: number): void => {
    const found = listenPlace(option, text, fallback)
    if ("problem" in found) problems.push(found.problem)
    else places.push(found.place)
  }
  for (const text of binds) add("bind", text.replace(ONION, ""), ONION.test(text) ? port + 1 : port)
  for (const text of trusted) add("whitebind", withoutPermissions(text), 0)
  if (places.some(({ port: each }) => each === 0)) {
    const wrong = trusted.find((text) => !/:\d+$/.test(text))
    if (wrong !== undefined) problems.push(`Need to specify a port with -whitebind: '${wrong}'`)
  }
  const shown = places.map(printHostPort)
  const twice = shown.find((place, at) => shown.indexOf(place) !== at)
  if (twice !== undefined) {
    problems.push(
      `Duplicate binding configuration for address ${twice}. Please check your -bind, -bind=...=onion and -whitebind settings.`
    )
  }
  const [first, ...others] = places.length === 0 ? [{ host: "0.0.0.0", port }] : places
  values.set("listen_addr", printHostPort(first!))
  values.set("connections.more_listen_addrs", others.map(printHostPort))
}
