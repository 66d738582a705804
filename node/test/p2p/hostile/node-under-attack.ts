import { readdirSync, readFileSync } from "node:fs"
import type { RunningNode } from "../../process/node-process.ts"

/** Ticks of the processor clock in a second, as Linux shows them to every program. */
const TICKS = 100

/** What can be seen of a process from outside; zeros where the machine does not report it. */
export interface Outside {
  readonly handles: number
  /** Bytes, now and at most. */
  readonly memory: number
  readonly mostMemory: number
  readonly processorSeconds: number
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}

const handlesOf = (pid: number): number => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}

export const outsideOf = (pid: number): Outside => {
  const status = read(`/proc/${pid}/status`)
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024
  return {
    handles: handlesOf(pid),
    memory: kilobytes("VmRSS"),
    mostMemory: kilobytes("VmHWM"),
    processorSeconds: (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS
  }
}

/** What a node says of its connections. */
export interface Inside {
  readonly connections: number
  readonly fibers: number
  readonly refused: number
}

/** The values of a metric, added up. */
const valueOf = (text: string, name: string): number => {
  let sum = 0
  for (const [, value] of text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))) sum += Number(value)
  return sum
}

export const insideOf = async ({ port }: RunningNode, token: string): Promise<Inside> => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { authorization: `Bearer ${token}`, connection: "close" }
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`/metrics: ${response.status} ${text}`)
  return {
    connections: valueOf(text, "lockstep_connections"),
    fibers: valueOf(text, "lockstep_connection_fibers"),
    refused: valueOf(text, "lockstep_connections_refused_total")
  }
}
