import { connect, type Socket } from "node:net"
import { type Random, randomOf } from "../../crash/random.ts"
import type { Attack } from "./attack.ts"
import type { AttackOptions } from "./attack-options.ts"
import { attacksOf } from "./attacks.ts"
import { attackOverQuic, hostileQuic, type QuicAttacker } from "./quic-attacker.ts"
import { quicAttacksOf } from "./quic-attacks.ts"

/** What an attack has done so far. */
export interface AttackFigures {
  readonly attempts: number
  readonly established: number
  /** At this moment. */
  readonly open: number
  readonly messages: number
  readonly bytes: number
  readonly received: number
  /** Connections that were there, by what they did. */
  readonly byKind: Readonly<Record<string, number>>
  readonly processorSeconds: number
}

export interface Attacker {
  readonly figures: () => AttackFigures
  readonly stop: () => Promise<void>
}

const TICK = 100

/** One of so many connections is over QUIC, and at least one for each attack. */
const QUIC_SHARE = 10

interface Line {
  readonly attack: Attack
  socket: Socket | undefined
  isThere: boolean
  retryAt: number
  /** The frame of the flood that is being sent, how much of it is, and what may be sent now. */
  frame: number
  offset: number
  bytes: number
  messages: number
}

/** Any address of this machine; where only one of them can be used, that one. */
const sourceOf = (random: Random): string =>
  process.platform === "linux"
    ? `127.${1 + random.below(254)}.${random.below(256)}.${1 + random.below(254)}`
    : "127.0.0.1"

/** Begins to attack what listens on a port of this machine. */
export const attack = (options: AttackOptions): Attacker => {
  const random = randomOf(options.seed)
  const attacks = attacksOf(random)
  const sum = { attempts: 0, established: 0, messages: 0, bytes: 0, received: 0 }
  const byKind: Record<string, number> = Object.fromEntries(attacks.map(({ what }) => [what, 0]))
  let isOver = false
  let overQuic: Promise<QuicAttacker> | undefined
  let quicAttacker: QuicAttacker | undefined
  const quic = options.quicPort === undefined ? undefined : hostileQuic(options.seed)
  if (quic !== undefined) {
    const kinds = quicAttacksOf(random, attacks)
    const connections = Math.max(kinds.length, Math.floor(options.connections / QUIC_SHARE))
    const sums = Object.assign(sum, { byKind })
    overQuic = attackOverQuic(quic, {
      attacks: kinds,
      connections,
      options,
      port: options.quicPort!,
      random,
      sum: sums
    })
    void overQuic.then((made) => (quicAttacker = made))
  }

  const lines: ReadonlyArray<Line> = Array.from({ length: options.connections }, (_, i) => ({
    attack: attacks[i % attacks.length]!,
    socket: undefined,
    isThere: false,
    retryAt: performance.now() + random.below(options.retryMilliseconds),
    frame: 0,
    offset: 0,
    bytes: 0,
    messages: 0
  }))

  const write = (line: Line, bytes: Uint8Array): void => {
    line.socket!.write(bytes)
    sum.bytes += bytes.length
  }

  const open = (line: Line): void => {
    const socket = connect({ port: options.port, host: "127.0.0.1", localAddress: sourceOf(random), noDelay: true })
    sum.attempts++
    Object.assign(line, { socket, isThere: false, frame: 0, offset: 0, bytes: 0, messages: 0 })
    if (line.attack.isDeaf !== true) socket.on("data", (bytes) => void (sum.received += bytes.length))
    socket.on("error", () => {})
    socket.on("connect", () => {
      line.isThere = true
      sum.established++
      byKind[line.attack.what]!++
      for (const frame of line.attack.opening) write(line, frame)
      sum.messages += line.attack.opening.length
      if (line.attack.leaves === true) socket.end()
    })
    socket.on("close", () => {
      line.socket = undefined
      line.isThere = false
      line.retryAt = performance.now() + options.retryMilliseconds * (0.5 + random.below(1_000) / 1_000)
    })
  }

  const keepOn = (line: Line, seconds: number): void => {
    const { flood, pace = options.bytesPerSecond } = line.attack
    if (flood.length === 0 || line.attack.leaves === true) return
    // What was not used is not saved up, except for what one message takes.
    line.bytes = Math.min(line.bytes + pace * seconds, Math.max(pace, 1))
    line.messages = Math.min(line.messages + options.messagesPerSecond * seconds, options.messagesPerSecond)
    while (line.bytes >= 1 && line.socket!.writableLength === 0) {
      const frame = flood[line.frame % flood.length]!
      if (line.offset === 0) {
        if (line.messages < 1) return
        line.messages--
        sum.messages++
      }
      const end = Math.min(frame.length, line.offset + Math.floor(line.bytes))
      line.bytes -= end - line.offset
      write(line, frame.subarray(line.offset, end))
      line.offset = end === frame.length ? 0 : end
      if (line.offset === 0) line.frame++
    }
  }

  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    const seconds = Math.min(1, (now - last) / 1_000)
    last = now
    for (const line of lines) {
      if (line.socket === undefined) {
        if (now >= line.retryAt) open(line)
      } else if (line.isThere) keepOn(line, seconds)
    }
  }, TICK)

  return {
    figures: () => {
      const { system, user } = process.cpuUsage()
      return {
        ...sum,
        open: lines.filter(({ isThere }) => isThere).length + (quicAttacker?.open() ?? 0),
        byKind,
        processorSeconds: (user + system) / 1e6
      }
    },
    stop: async () => {
      if (isOver) return
      isOver = true
      clearInterval(timer)
      ;(await overQuic)?.stop()
      await Promise.all(lines.map(({ socket }) =>
        socket === undefined ? undefined : new Promise<void>((resolve) => {
          socket.once("close", () => resolve())
          socket.destroy()
        })
      ))
    }
  }
}
