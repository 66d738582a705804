import { createSocket } from "node:dgram"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import {
  loadQuicBinding,
  type NativeConnection,
  type NativeStream,
  type QuicBinding
} from "../../../src/quic/quic-binding.ts"
import { quicKeyOf } from "../../../src/quic/quic-key.ts"
import { quicSettings } from "../../../src/quic/quic-settings.ts"
import type { Random } from "../../crash/random.ts"
import type { AttackOptions } from "./attack-options.ts"
import type { QuicAttack } from "./quic-attacks.ts"

/** What attacks over QUIC add to the figures. */
export interface QuicSum {
  attempts: number
  established: number
  messages: number
  bytes: number
  received: number
  readonly byKind: Record<string, number>
}

export interface QuicAttacker {
  /** Connections at this moment. */
  readonly open: () => number
  readonly stop: () => void
}

const READ_SIZE = 65_536
const HANDSHAKE_MS = 5_000
const WINDOW = 2_000_000

/** What every QUIC endpoint of an attack is made with; nothing where this machine cannot speak it. */
export const hostileQuic = (seed: number) => {
  const loaded = loadQuicBinding()
  if (loaded._tag === "Missing") return undefined
  const key = quicKeyOf(Uint8Array.from({ length: 32 }, (_, at) => seed >>> at % 24 & 255))
  const config = new loaded.binding.QuinnConfig(
    quicSettings({ key, handshakeMs: HANDSHAKE_MS, idleMs: 10_000, streams: 100, window: WINDOW })
  )
  return { binding: loaded.binding, config }
}

/** A port from which everything goes on to the node, and to which nothing comes back. */
const oneWayTo = async (port: number): Promise<{ readonly port: number; readonly close: () => void }> => {
  const [hole, on] = [createSocket("udp4"), createSocket("udp4")]
  for (const socket of [hole, on]) {
    socket.on("error", () => {})
    socket.bind(0, "127.0.0.1")
    await once(socket, "listening")
  }
  hole.on("message", (bytes) => on.send(bytes, port, "127.0.0.1"))
  return {
    port: hole.address().port,
    close: () => {
      hole.close()
      on.close()
    }
  }
}

/** Reads and forgets, until the stream ends. */
const discard = async (stream: NativeStream, sum: QuicSum): Promise<void> => {
  for (;;) {
    const bytes = await stream.read(READ_SIZE)
    if (bytes === null) return
    sum.received += bytes.length
  }
}

/** One stream after another, as fast as the node lets it. */
const floodOfStreams = async (native: NativeConnection, bytes: Uint8Array, sum: QuicSum): Promise<void> => {
  for (;;) {
    const stream = await native.outboundStream()
    await stream.write(bytes)
    sum.messages++
    await stream.resetWrite()
  }
}

/** Says what an attack says, at its pace, until the connection is over. */
const drive = async (
  native: NativeConnection,
  { flood, leaves, opening, pace, streams }: QuicAttack,
  { bytesPerSecond, messagesPerSecond }: AttackOptions,
  sum: QuicSum
): Promise<void> => {
  if (opening.length === 0) return native.closed()
  const stream = await native.outboundStream()
  void discard(stream, sum).catch(() => undefined)
  const write = async (bytes: Uint8Array): Promise<void> => {
    await stream.write(bytes)
    sum.bytes += bytes.length
  }
  for (const bytes of opening) await write(bytes)
  sum.messages += opening.length
  if (leaves === true) return
  if (streams !== undefined) return floodOfStreams(native, streams, sum)
  if (flood.length === 0) return native.closed()
  const rate = pace ?? bytesPerSecond
  for (let at = 0;; at++) {
    const bytes = flood[at % flood.length]!
    // A tenth of a second's share at a time.
    const share = Math.max(1, Math.floor(rate / 10))
    for (let from = 0; from < bytes.length; from += share) {
      const piece = bytes.subarray(from, from + share)
      await write(piece)
      await sleep(Math.max(1_000 / messagesPerSecond, piece.length * 1_000 / rate))
    }
    sum.messages++
  }
}

/** Keeps hostile connections up over QUIC, `connections` in all, until it is stopped. */
export const attackOverQuic = async (
  { binding, config }: {
    readonly binding: QuicBinding
    readonly config: ConstructorParameters<QuicBinding["Server"]>[0]
  },
  { attacks, connections, options, port, random, sum }: {
    readonly attacks: ReadonlyArray<QuicAttack>
    readonly connections: number
    readonly options: AttackOptions
    readonly port: number
    readonly random: Random
    readonly sum: QuicSum
  }
): Promise<QuicAttacker> => {
  const client = new binding.Client(config, 0)
  const oneWay = await oneWayTo(port)
  const open = new Set<NativeConnection>()
  const over = new AbortController()

  const connectOnce = async (attack: QuicAttack): Promise<void> => {
    sum.attempts++
    if (attack.isUnfinished === true) {
      sum.byKind[attack.what]!++
      await client.outboundConnection("127.0.0.1", oneWay.port)
      return
    }
    const native = await client.outboundConnection("127.0.0.1", port)
    open.add(native)
    sum.established++
    sum.byKind[attack.what]!++
    try {
      await Promise.race([drive(native, attack, options, sum), native.closed()])
    } finally {
      native.abort()
      open.delete(native)
    }
  }

  const keepUp = async (attack: QuicAttack): Promise<void> => {
    await sleep(random.below(options.retryMilliseconds + 1))
    while (!over.signal.aborted) {
      await connectOnce(attack).catch(() => undefined)
      await sleep(options.retryMilliseconds * (0.5 + random.below(1_000) / 1_000))
    }
  }

  for (const { what } of attacks) sum.byKind[what] = 0
  for (let i = 0; i < connections; i++) void keepUp(attacks[i % attacks.length]!)
  return {
    open: () => open.size,
    stop: () => {
      over.abort()
      for (const native of open) native.abort()
      client.abort()
      oneWay.close()
    }
  }
}
