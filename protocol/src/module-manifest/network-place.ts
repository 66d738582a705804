/** A range of ports, both ends included. */
interface Ports {
  readonly least: number
  readonly most: number
}

/**
 * A range of addresses on which a module may listen, or to which it may connect: `127.0.0.1:28332`, `*:443`, `[::1]:*`,
 * `example.org:8000-8010`.
 */
export interface NetworkPlace {
  /** Host in lower case, without brackets; `undefined` for every host. */
  readonly host: string | undefined
  readonly ports: Ports
}

const MAX_PORT = 65_535
const PLACE = /^(\*|\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]{1,253}):(\*|\d{1,5}(?:-\d{1,5})?)$/
const TARGET = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]{1,253}):(\d{1,5})$/

const bareHost = (host: string): string => host.replace(/^\[|\]$/g, "").toLowerCase()

const portsOf = (text: string): Ports | undefined => {
  if (text === "*") return { least: 0, most: MAX_PORT }
  const [least, most] = text.split("-").map(Number) as [number, number?]
  const ports = { least, most: most ?? least }
  return ports.least >= 1 && ports.least <= ports.most && ports.most <= MAX_PORT ? ports : undefined
}

/** Parses a range of addresses. Returns `undefined` if the text is invalid. */
export const networkPlaceOf = (text: string): NetworkPlace | undefined => {
  const found = PLACE.exec(text)
  const ports = portsOf(found?.[2] ?? "0")
  if (found === null || ports === undefined) return undefined
  return { host: found[1] === "*" ? undefined : bareHost(found[1]!), ports }
}

/** A host, without brackets, and a port. */
export interface NetworkTarget {
  readonly host: string
  readonly port: number
}

/**
 * Parses the host and the port that a module names. Returns `undefined` if the text is invalid. Port 0 lets the system
 * choose one.
 */
export const networkTargetOf = (text: string): NetworkTarget | undefined => {
  const found = TARGET.exec(text)
  const port = Number(found?.[2])
  return found === null || port > MAX_PORT ? undefined : { host: bareHost(found[1]!), port }
}

/**
 * Returns the range that includes a target; one with its host has priority over one for every host. Returns `undefined`
 * if no range includes it.
 */
export const placeOfTarget = (
  places: ReadonlyArray<NetworkPlace>,
  { host, port }: NetworkTarget
): NetworkPlace | undefined => {
  const holding = places.filter(({ host: each, ports: { least, most } }) =>
    (each === undefined || each === host) && port >= least && port <= most
  )
  return holding.find((place) => place.host !== undefined) ?? holding[0]
}
