import { mutateBytes } from "@lockstep/property-tests/fuzz/mutate/bytes.ts"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import { difference } from "@lockstep/property-tests/fuzz/run/difference.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import { addressOfDestination, base64Bytes, base64Text } from "../../../src/p2p/transport/i2p/destination.ts"
import { samLines } from "../../../src/p2p/transport/i2p/sam-lines.ts"
import { parseReply } from "../../../src/p2p/transport/i2p/sam-reply.ts"
import { type CutStream, endsOf, latin1, mayBeCut, pieces } from "../cut-stream.ts"
import { REGRESSIONS } from "../regressions-directory.ts"

/** A router's longest line. */
const LONGEST = 65_536

const WORDS = [
  "HELLO REPLY RESULT=OK VERSION=3.1",
  "HELLO REPLY RESULT=NOVERSION",
  "SESSION STATUS RESULT=OK DESTINATION=",
  "SESSION STATUS RESULT=I2P_ERROR MESSAGE=\"it said \\\"no\\\" \\\\ twice\"",
  "STREAM STATUS RESULT=CANT_REACH_PEER MESSAGE=\"\"",
  "STREAM STATUS RESULT=OK",
  "NAMING REPLY RESULT=OK NAME=ME VALUE=",
  "NAMING REPLY RESULT=KEY_NOT_FOUND NAME=x.b32.i2p",
  "DEST REPLY PUB= PRIV=",
  "  STREAM   STATUS  RESULT=OK  ",
  "",
  "="
]

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-~"

const anyLine = (random: Random): string => {
  const length = random.oneIn(100) ? 65_500 + random.below(60) : random.oneIn(3) ? 516 + random.below(9) : 0
  const key = Array.from({ length: Math.min(length, 600) }, () => BASE64[random.below(64)]).join("")
  return `${random.pick(WORDS)}${key.repeat(Math.ceil(length / 600)).slice(0, length)}${
    random.oneIn(8) ? "\r\n" : "\n"
  }`
}

const generate = (random: Random): CutStream => {
  const bytes = latin1(Array.from({ length: 1 + random.below(5) }, () => anyLine(random)).join(""))
  return mayBeCut(random.oneIn(2) ? mutateBytes(bytes, random, bytes) : bytes, random)
}

/** The lines of a stream that is read as it comes, what stands behind them, and whether a line was too long. */
const heard = (bytes: Uint8Array, ends: ReadonlyArray<number>) => {
  const reader = samLines()
  const lines: Array<string> = []
  for (const piece of pieces(bytes, ends)) {
    if (!reader.add(piece)) return { lines, rest: "", isTooLong: true }
    for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line)
  }
  return { lines, rest: Buffer.from(reader.rest()).toString("latin1"), isTooLong: false }
}

/** What is wrong with the lines: those of all bytes are the same up to the first that is too long. */
const linesWrong = ({ bytes, cuts }: CutStream): string | undefined => {
  const text = Buffer.from(bytes).toString("latin1").split("\n")
  const cut = heard(bytes, endsOf({ bytes, cuts }))
  const known = text.slice(0, -1).map((line) => line.replace(/\r$/, ""))
  if (cut.isTooLong) {
    if (!text.some((line) => line.length > LONGEST)) return "a line is too long, and none is"
    return difference("lines", cut.lines, known.slice(0, cut.lines.length))
  }
  return difference("lines", [...cut.lines, cut.rest], [...known, text.at(-1)!])
}

const escaped = (value: string): string => `"${value.replaceAll(/["\\]/g, "\\$&")}"`

/** What is wrong with the bytes that a value stands for: the address in a key depends on its beginning alone. */
const keyWrong = (value: string): string | undefined => {
  const bytes = base64Bytes(value)
  if (bytes === undefined) return undefined
  if (base64Text(bytes).length !== value.length) return "a key is of another length when it is written again"
  const address = addressOfDestination(bytes)
  const longer = addressOfDestination(Uint8Array.of(...bytes, 1, 2, 3))
  return address === undefined ? undefined : difference("an address", longer, address)
}

/** What is wrong with a line that is a reply: written again it is the same one. */
const replyWrong = (line: string): string | undefined => {
  const reply = parseReply(line)
  if (reply === undefined) return undefined
  const { topic, values } = reply
  // Space that is not a blank may begin or end a word, and is cut off where that stands at the end of a line.
  if (topic !== topic.trim() || [...values.keys()].some((key) => key !== key.trim())) return undefined
  const again = parseReply([topic, ...[...values].map(([key, value]) => `${key}=${escaped(value)}`)].join(" "))
  const shown = (found: typeof reply | undefined): string => JSON.stringify(found && [found.topic, ...found.values])
  if (shown(again) !== shown(reply)) return `a reply is another one when it is written again: ${shown(again)}`
  return [...values.values()].map(keyWrong).find((each) => each !== undefined)
}

/** Bytes of an I2P router: the same lines however they arrive, and replies that can be written again. */
export const samRepliesTarget: Target<CutStream> = {
  name: "sam-replies",
  about: "replies of an I2P router (SAM 3.1), whole and in pieces, and the values in them",
  generate,
  regressions: REGRESSIONS,
  judge: (stream) => {
    const wrong = linesWrong(stream)
    if (wrong !== undefined) return wrong
    const { lines } = heard(stream.bytes, [stream.bytes.length])
    return lines.map(replyWrong).find((each) => each !== undefined)
  }
}
