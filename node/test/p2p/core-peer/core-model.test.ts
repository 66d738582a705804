import { assert, describe, it } from "@effect/vitest"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { blockHash, headerOf } from "@lockstep/kernel/model"
import type { Command, Message } from "@lockstep/protocol/wire/codecs.ts"
import { encodeFrame } from "@lockstep/protocol/wire/frame.ts"
import { feed, frameReader, readFrame } from "@lockstep/protocol/wire/frame-reader.ts"
import { decodeMessage, encodeMessage } from "@lockstep/protocol/wire/message.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { recordedFiles } from "../../acceptance/recorded-files.ts"
import type { Accept } from "../../../src/p2p/transport/transport.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { contentOf } from "../transcripts/content.ts"
import { recordedBlocks } from "../transcripts/replay-node.ts"
import { areRecorded, bytesOf, hexOf, type Row, scenariosOf } from "../transcripts/scenarios.ts"
import { addCore, coreWorld, heightOf, pass } from "./core-world.ts"

const PEER = endpoint("3.3.3.3:18444")

const decoded = (command: string, payload: Uint8Array): Message =>
  Result.getOrThrow(decodeMessage(command as Command, payload)).message

/** The peer of the recording: it answers with what was recorded, whenever it is asked. */
const recordedPeer = (rows: ReadonlyArray<Row>, blocks: ReadonlyMap<string, Uint8Array>): Accept => (connection) => {
  const reader = frameReader(REGTEST.magic, testCrypto)
  const send = (command: string, payload: Uint8Array): void =>
    connection.send(encodeFrame(REGTEST.magic, command, payload, testCrypto))
  const sendRecorded = (command: string): void => {
    const row = rows.find(({ d, t }) => d === "send" && t === command)
    if (row !== undefined) send(command, bytesOf(row.p!))
  }
  const answer = (message: Message): void => {
    if (message.command === "version") {
      for (const command of ["version", "wtxidrelay", "sendaddrv2"]) sendRecorded(command)
    }
    if (message.command === "verack") sendRecorded("verack")
    if (message.command === "getheaders") sendRecorded("headers")
    if (message.command === "ping") send("pong", encodeMessage({ command: "pong", nonce: message.nonce! }))
    if (message.command === "getdata") {
      for (const { hash } of message.inventory) send("block", blocks.get(hexOf(hash))!)
    }
  }
  return {
    received: (bytes) => {
      feed(reader, bytes)
      for (
        let frame = Result.getOrThrow(readFrame(reader));
        frame !== undefined;
        frame = Result.getOrThrow(readFrame(reader))
      ) {
        if (frame._tag === "Known") answer(decoded(frame.command, frame.payload))
      }
    },
    drained: () => undefined,
    closed: () => undefined
  }
}

/** What a node said: blocks that it asked for are one list, however many it asked for at a time. */
const essence = (messages: ReadonlyArray<Message>) => ({
  commands: messages.map(({ command }) => command).filter((command, i, all) =>
    command !== "getdata" || all.indexOf(command) === i
  ),
  requests: messages.filter(({ command }) =>
    command === "getheaders" || command === "feefilter" || command === "sendcmpct"
  )
    .map((message) => `${message.command} ${contentOf(message.command, encodeMessage(message))}`),
  blocks: messages.flatMap((message) =>
    message.command === "getdata" ? message.inventory.map(({ hash, type }) => `${type} ${hexOf(hash)}`) : []
  )
})

/** The fee filter goes out at the end of a round, before or after the answer to the request for headers has come. */
const inOrder = ({ commands, ...rest }: ReturnType<typeof essence>) => ({
  ...rest,
  commands: commands.filter((command) => command !== "feefilter")
})

describe.skipIf(!areRecorded)("the model of Bitcoin Core", () => {
  it.effect.each(
    recordedFiles("oracle/p2p", "outbound").flatMap((name) => scenariosOf(`p2p/${name}`)).map((scenario) =>
      [scenario.name, scenario] as const
    )
  )(
    "says what was recorded of it when it connects to a peer: %s",
    ([, { rows }]) =>
      Effect.gen(function*() {
        const blocks = new Map(
          recordedBlocks().map((bytes) => [hexOf(blockHash(headerOf(bytes.subarray(0, 80)), testCrypto)), bytes])
        )
        const world = yield* coreWorld()
        const core = yield* addCore(world)
        yield* world.layer.world.transport(PEER.address).listen(PEER, recordedPeer(rows, blocks))
        yield* core.dial(PEER)
        yield* pass(world, 500)
        const [link] = core.open()
        yield* pass(world, 20_000)
        const recorded = rows.filter(({ d }) => d === "recv").map(({ p, t }) => decoded(t!, bytesOf(p!)))
        assert.deepStrictEqual(inOrder(essence(link!.said)), inOrder(essence(recorded)))
        assert.strictEqual(heightOf(core), rows.some(({ t }) => t === "block") ? 322 : 0)
        assert.deepStrictEqual(core.state.dropped, [])
      })
  )
})
