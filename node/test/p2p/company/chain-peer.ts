import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { feed, frameReader, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Result from "effect/Result"
import { connect, createServer, type Socket } from "node:net"
import { plainConnections } from "../sockets/plain-connections.ts"
import { framed, MAGIC, versionAs, wireCrypto } from "../sockets/regtest-wire.ts"
import { forkOf, mutated } from "./lies.ts"
import { hex, type ServedChain } from "./served-chain.ts"

/**
 * What a scripted peer is like: good; slow to send; sends no block; sends changed blocks; has a longer chain that is
 * invalid.
 */
export type Character = "good" | "slow" | "staller" | "liar" | "forker"

export interface ChainPeerOptions {
  readonly name: string
  readonly character: Character
  /** On 127.0.0.1: of the node that it connects to, or where it waits for the node. */
  readonly port: number
  readonly isDialed: boolean
  /** Of the slow one. */
  readonly bytesPerSecond: number
}

/** What it has seen so far. */
export interface ChainPeerFigures {
  readonly name: string
  readonly isOpen: boolean
  readonly asked: number
  readonly sent: number
}

const TICK = 20
const HEADERS = 2_000

/** The next connection that comes in; no other does. */
const dialedAt = (port: number, meet: (socket: Socket) => void): void => {
  const take = plainConnections((socket) => {
    server.close()
    meet(socket)
  })
  const server = createServer({ noDelay: true }, take).listen(port, "127.0.0.1")
}

/** A peer on a socket of its own that has a chain, and what it does with it depends on its character. */
export const chainPeer = (
  truth: ServedChain,
  { bytesPerSecond, character, isDialed, name, port }: ChainPeerOptions
) => {
  const { blocks, places } = character === "forker" ? forkOf(truth) : truth
  let socket: Socket | undefined
  const reader = frameReader(MAGIC, wireCrypto)
  const figures = { name, isOpen: true, asked: 0, sent: 0 }
  /** Frames that wait for their turn. */
  const queue: Array<Uint8Array> = []
  let offset = 0

  const say = (message: Message): void => void socket?.write(framed(message))

  const serveHeaders = (locator: ReadonlyArray<Uint8Array>): void => {
    const known = locator.map((hash) => places.get(hex(hash))).find((place) => place !== undefined) ?? -1
    say({ command: "headers", headers: blocks.slice(known + 1, known + 1 + HEADERS).map(({ header }) => header) })
  }

  const hashes: Array<string> = []

  const serveBlock = (hash: Uint8Array): void => {
    hashes.push(hex(hash))
    const found = blocks[places.get(hex(hash)) ?? -1]
    figures.asked++
    if (found === undefined || character === "staller") return
    queue.push(character === "liar" ? mutated(found).frame : found.frame)
  }

  const hear = (command: string, payload: Uint8Array): void => {
    if (command !== "getheaders" && command !== "getdata" && command !== "ping") return
    const decoded = decodeMessage(command, payload)
    if (Result.isFailure(decoded)) throw new Error(`the node sent a ${command} that is none`)
    const { message } = decoded.success
    if (message.command === "getheaders") serveHeaders(message.locator)
    if (message.command === "ping" && message.nonce !== undefined) say({ command: "pong", nonce: message.nonce })
    if (message.command === "getdata") { for (const { hash } of message.inventory) serveBlock(hash) }
  }

  const flow = (): void => {
    const to = socket
    if (to === undefined) return
    let budget = character === "slow" ? bytesPerSecond * TICK / 1_000 : Infinity
    while (queue.length > 0 && budget > 0 && to.writableLength < 4_000_000) {
      const frame = queue[0]!
      const end = Math.min(frame.length, offset + budget)
      budget -= end - offset
      to.write(frame.subarray(offset, end))
      offset = end
      if (end < frame.length) return
      queue.shift()
      offset = 0
      figures.sent++
    }
  }

  const meet = (met: Socket): void => {
    socket = met
    const timer = setInterval(flow, TICK)
    say(versionAs(name, BigInt(process.pid) << 8n | BigInt(name.length), blocks.length))
    say({ command: "verack" })
    met.on("data", (bytes: Buffer) => {
      feed(reader, Uint8Array.from(bytes))
      for (;;) {
        const answer = readFrame(reader)
        if (Result.isFailure(answer)) throw new Error(`the node sent a bad frame: ${answer.failure._tag}`)
        if (answer.success === undefined) break
        if (answer.success._tag === "Known") hear(answer.success.command, answer.success.payload)
      }
      if (character !== "slow") flow()
    })
    met.on("drain", () => character === "slow" ? undefined : flow())
    met.on("error", () => {})
    met.on("close", () => {
      figures.isOpen = false
      clearInterval(timer)
    })
  }
  if (isDialed) dialedAt(port, meet)
  else meet(connect({ host: "127.0.0.1", port, noDelay: true }))
  return { figures: (): ChainPeerFigures => ({ ...figures }), hashes: (): ReadonlyArray<string> => hashes }
}
