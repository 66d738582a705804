import { type Command, isCommand, type Message } from "@lockstep/protocol/wire/codecs.ts"
import { decodeMessage } from "@lockstep/protocol/wire/message.ts"
import { blockHash, encodeWithoutWitness, type Header } from "@lockstep/kernel/model"
import * as Result from "effect/Result"
import { testCrypto } from "../engine/test-engine.ts"
import type { Frame } from "../p2p/transcripts/line.ts"

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"))

/** Messages whose content is of the sender's own choice. */
const FREE = new Set(["version", "feefilter", "sendcmpct", "sendtxrcncl"])

const decoded = ({ command, payload }: Frame): Message | undefined => {
  if (!isCommand(command)) return undefined
  const result = decodeMessage(command as Command, payload)
  return Result.isSuccess(result) ? result.success.message : undefined
}

/** Its number is one of chance, and with it the short ids; recorded prefilled transactions have lost their witnesses. */
const compactContent = (frame: Frame): string => {
  const message = decoded(frame)
  if (message?.command !== "cmpctblock") return hexOf(frame.payload)
  const prefilled = message.prefilled.map(({ index, transaction }) =>
    `${index} ${hexOf(encodeWithoutWitness(transaction))}`
  )
  return [hexOf(message.header.bytes), message.shortIds.length, ...prefilled].join(" ")
}

/** The content of a message as far as it must be the recorded one. */
export const comparable = ({ command, payload }: Frame): string => {
  if (FREE.has(command)) return ""
  // A node says its own version there.
  if (command === "getheaders" || command === "getblocks") return hexOf(payload.subarray(4))
  return command === "cmpctblock" ? compactContent({ command, payload }) : hexOf(payload)
}

/** Entries of an inventory message; none: it is another message. */
export const entriesIn = (frame: Frame): ReadonlyArray<string> | undefined => {
  const message = decoded(frame)
  switch (message?.command) {
    case "inv":
    case "getdata":
    case "notfound":
      return message.inventory.map(({ hash, type }) => `${type}:${hexOf(hash)}`)
    default:
      return undefined
  }
}

const hashOf = (header: Header): string => hexOf(blockHash(header, testCrypto))

const BLOCK_ENTRY = "2:"

/** Blocks that a message announces or sends headers of, oldest first. */
export const announcedBlocks = (frame: Frame): ReadonlyArray<string> => {
  const message = decoded(frame)
  switch (message?.command) {
    case "headers":
      return message.headers.map(hashOf)
    case "cmpctblock":
      return [hashOf(message.header)]
    case "inv":
      return (entriesIn(frame) ?? []).filter((entry) => entry.startsWith(BLOCK_ENTRY)).map((entry) => entry.slice(2))
    default:
      return []
  }
}
