import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { addToFilter, bloomFilter, mayContain } from "@lockstep/protocol/bloom/bloom-filter.ts"
import { provenIds } from "@lockstep/protocol/merkle-block/partial-merkle-tree.ts"
import { COMMANDS, type Message } from "@lockstep/protocol/wire/codecs.ts"
import {
  completed,
  missingIndexes,
  offerTransaction,
  reconstruction
} from "@lockstep/protocol/wire/compact-block/reconstruction.ts"
import { payloadConsequence } from "@lockstep/protocol/wire/consequence.ts"
import { faultText } from "@lockstep/protocol/wire/fault.ts"
import { decodeMessage, encodeMessage } from "@lockstep/protocol/wire/message.ts"
import { isRoutable } from "@lockstep/protocol/wire/address/is-routable.ts"
import { join } from "../../src/oracles/byte-string.ts"
import { mutateBytes } from "../mutate/bytes.ts"
import { difference } from "../run/difference.ts"
import type { Target, WireMessage } from "../target.ts"

/** What is done with a message that decodes; none of it may throw, whatever the peer made up. */
const used = (message: Message): string | undefined => {
  if (message.command === "addrv2" || message.command === "addr") {
    for (const { address } of message.addresses) isRoutable(address)
  }
  if (message.command === "merkleblock") provenIds(message, nobleCrypto)
  if (message.command === "filterload") {
    const filter = bloomFilter({ ...message, hashFunctions: Math.min(message.hashFunctions, 50) })
    addToFilter(filter, message.filter)
    return mayContain(filter, message.filter) ? undefined : "an element that was added is not contained"
  }
  if (message.command !== "cmpctblock") return undefined
  const parts = reconstruction(message, nobleCrypto)
  if (parts._tag === "Failure") return undefined
  for (const { transaction } of message.prefilled) {
    offerTransaction(parts.success, new Uint8Array(32), () => transaction.bytes)
  }
  const missing = missingIndexes(parts.success)
  const [first] = message.prefilled
  const whole = completed(parts.success, first === undefined ? [] : missing.map(() => first.transaction.bytes))
  return difference("put together", whole._tag, missing.length > 0 && first === undefined ? "Failure" : "Success")
}

/** Any bytes as the payload of any command: an answer in words, or a message that is exactly these bytes. */
export const wireMessageTarget: Target<WireMessage> = {
  name: "wire-message",
  about: "payloads of messages between nodes, decoded and encoded again",
  generate: (random, { messages }) => {
    const { command, payload } = random.pick(messages)
    return {
      command: random.oneIn(20) ? random.pick(COMMANDS) : command,
      payload: mutateBytes(payload, random, random.pick(messages).payload)
    }
  },
  isInput: ({ command }) => COMMANDS.includes(command),
  judge: ({ command, payload }) => {
    const answer = decodeMessage(command, payload)
    if (answer._tag === "Failure") {
      const words = faultText(answer.failure)
      return words === "" || payloadConsequence(command, answer.failure) === undefined ? "no words" : undefined
    }
    const { message, trailing } = answer.success
    const encoded = encodeMessage(message)
    // The counts of transactions behind headers have no meaning, and are 0 in what is encoded.
    if (command === "headers") {
      const again = decodeMessage(command, encoded)
      return again._tag === "Failure"
        ? "what is encoded is no message"
        : difference("bytes", encodeMessage(again.success.message), encoded)
    }
    return difference("bytes", join(encoded, trailing), payload) ?? used(message)
  }
}
