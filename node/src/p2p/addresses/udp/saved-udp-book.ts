import { parseNode, endpointText } from "../../../net/endpoint-text.ts"
import { isOverTcp } from "../../../net/endpoint.ts"
import { unixSeconds } from "../../../quantities.ts"
import { ADDRESS_LIMITS } from "../address-limits.ts"
import type { UdpNode } from "./udp-book.ts"

interface Row {
  readonly node: string
  readonly source: string
  readonly services: string
  readonly time: number
  readonly lastTry: number
  readonly lastSuccess: number
  readonly attempts: number
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Encodes nodes over QUIC and Iroh as the text of their file. */
export const encodeUdpNodes = (nodes: ReadonlyArray<UdpNode>): string => {
  const rows = nodes.map(({ endpoint, services, ...rest }): Row => ({
    node: endpointText(endpoint),
    services: services.toString(16),
    ...rest
  }))
  return `${JSON.stringify({ format: "lockstep nodes over UDP", version: 1, nodes: rows }, undefined, 1)}\n`
}

const restored = ({ attempts, lastSuccess, lastTry, node, services, source, time }: Row): UdpNode | undefined => {
  const endpoint = parseNode(node, 0)
  if (endpoint === undefined || isOverTcp(endpoint) || endpoint.port === 0) return undefined
  if (![attempts, lastSuccess, lastTry, time].every(isCount) || !/^[0-9a-f]{1,16}$/.test(services)) return undefined
  const times = { time: unixSeconds(time), lastTry: unixSeconds(lastTry), lastSuccess: unixSeconds(lastSuccess) }
  return { endpoint, source: String(source), services: BigInt(`0x${services}`), attempts, ...times }
}

/** Decodes the nodes of a file's text, or returns `undefined` if the text is damaged. */
export const decodeUdpNodes = (text: string): ReadonlyArray<UdpNode> | undefined => {
  try {
    const { format, nodes, version } = JSON.parse(text) as Record<string, unknown>
    if (format !== "lockstep nodes over UDP" || version !== 1 || !Array.isArray(nodes)) return undefined
    return (nodes as ReadonlyArray<Row>).slice(0, ADDRESS_LIMITS.udpNodes.most).flatMap((row) => restored(row) ?? [])
  } catch {
    return undefined
  }
}
