import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { frameOf } from "@lockstep/protocol/wire/frame.ts"
import { feed, frameReader, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { Accept, Connection } from "../../../src/p2p/transport/transport.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { usualVersion } from "../peer/scripted-peer.ts"
import { NODE, type TestLayer } from "./test-layer.ts"

/** One connection of a robot. */
export interface RobotLink {
  readonly connection: Connection
  readonly received: Array<Message>
  readonly isClosed: () => boolean
  readonly say: (message: Message) => void
}

export interface RobotOptions {
  readonly services?: bigint
  /** Seconds that its clock is ahead. */
  readonly ahead?: number
  /** Whether it says nothing at all. */
  readonly isSilent?: boolean
  readonly wantsAddrV2?: boolean
  /** What it answers to `getaddr`. */
  readonly addresses?: MessageOf<"addr">["addresses"]
}

/** A node that shakes hands and answers pings, and does nothing else of itself. */
export interface Robot {
  readonly at: Endpoint
  readonly links: Array<RobotLink>
  readonly open: () => ReadonlyArray<RobotLink>
}

const behave = (link: RobotLink, message: Message, options: RobotOptions): void => {
  if (message.command === "version") {
    const time = options.ahead === undefined ? usualVersion.time : message.time + BigInt(options.ahead)
    link.say({ ...usualVersion, time, services: options.services ?? usualVersion.services })
    if (options.wantsAddrV2 === true) link.say({ command: "sendaddrv2" })
    link.say({ command: "verack" })
  }
  if (message.command === "ping" && message.nonce !== undefined) link.say({ command: "pong", nonce: message.nonce })
  if (message.command === "getaddr" && options.addresses !== undefined) {
    link.say({ command: "addr", addresses: options.addresses })
  }
}

const acceptor = (links: Array<RobotLink>, options: RobotOptions, speaksFirst: boolean): Accept => (connection) => {
  const reader = frameReader(REGTEST.magic, testCrypto)
  let isClosed = false
  const say = (message: Message): void => {
    connection.send(frameOf(REGTEST.magic, message, testCrypto))
  }
  const link: RobotLink = { connection, received: [], isClosed: () => isClosed, say }
  links.push(link)
  if (speaksFirst && options.isSilent !== true) {
    say({ ...usualVersion, services: options.services ?? usualVersion.services })
  }
  const received = (message: Message): void => {
    link.received.push(message)
    if (options.isSilent === true) return
    if (speaksFirst && message.command === "version") {
      if (options.wantsAddrV2 === true) say({ command: "sendaddrv2" })
      say({ command: "verack" })
    } else behave(link, message, options)
  }
  return {
    received: (bytes) => {
      feed(reader, bytes)
      for (;;) {
        const frame = readFrame(reader)
        if (Result.isFailure(frame) || frame.success === undefined) return
        if (frame.success._tag !== "Known") continue
        const decoded = decodeMessage(frame.success.command, frame.success.payload, DEFAULT_LIMITS)
        if (Result.isSuccess(decoded)) received(decoded.success.message)
      }
    },
    drained: () => undefined,
    closed: () => {
      isClosed = true
    }
  }
}

const robotOf = (at: Endpoint, links: Array<RobotLink>): Robot => ({
  at,
  links,
  open: () => links.filter(({ isClosed }) => !isClosed())
})

/** Puts a node into the world that waits for connections. */
export const robot = (
  { world }: Pick<TestLayer, "world">,
  at: Endpoint,
  options: RobotOptions = {}
): Effect.Effect<Robot, unknown, Scope.Scope> => {
  const links: Array<RobotLink> = []
  return Effect.as(world.transport(at.address).listen(at, acceptor(links, options, false)), robotOf(at, links))
}

/** A node that connects to ours; whether it succeeded is seen by its links. */
export const caller = (layer: TestLayer, from: Endpoint, options: RobotOptions = {}): Effect.Effect<Robot> => {
  const links: Array<RobotLink> = []
  const dial = layer.world.transport(from.address).dial(NODE, acceptor(links, options, true))
  return Effect.as(Effect.forkDetach(Effect.ignore(dial)), robotOf(from, links))
}

/** Lets everything that can happen now happen. */
const settle: Effect.Effect<void> = Effect.promise(async () => {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve))
})

/** Lets time pass for a layer and its world, in steps of a tick. */
export const pass = (layer: TestLayer, milliseconds: number, step = 100): Effect.Effect<void> =>
  Effect.gen(function*() {
    for (const end = layer.clock.now() + milliseconds; layer.clock.now() < end;) {
      layer.clock.advanceTo(Math.min(end, layer.clock.now() + step))
      yield* TestClock.adjust(step)
      yield* settle
    }
  })
