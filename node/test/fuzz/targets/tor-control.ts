import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import { difference } from "@lockstep/property-tests/fuzz/run/difference.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import { mutateBytes } from "@lockstep/property-tests/fuzz/mutate/bytes.ts"
import { type ControlReply, replyDecoder } from "../../../src/p2p/tor/control-reply.ts"
import { quote, splitLine, valuesOf } from "../../../src/p2p/tor/control-text.ts"
import { type CutStream, endsOf, latin1, mayBeCut, pieces } from "../cut-stream.ts"
import { REGRESSIONS } from "../regressions-directory.ts"

/** A line that is as long as this, with its code, is not read again. */
const LONGEST_AGAIN = 99_990

const CODES = ["250", "250", "250", "512", "515", "551", "650", "25", "2500", "HTTP"]

const TEXTS = [
  "OK",
  "PROTOCOLINFO 1",
  "AUTH METHODS=COOKIE,SAFECOOKIE,HASHEDPASSWORD COOKIEFILE=\"/run/tor/control.authcookie\"",
  "AUTH METHODS=NULL",
  `AUTHCHALLENGE SERVERHASH=${"0f".repeat(32)} SERVERNONCE=${"A1".repeat(32)}`,
  "net/listeners/socks=\"127.0.0.1:9050\" \"unix:/run/tor/socks\"",
  `ServiceID=${"a".repeat(56)}`,
  "PrivateKey=ED25519-V3:AAAA",
  "VERSION Tor=\"0.4.8.10 \\\"x\\\" \\101\\n\"",
  "data=",
  ".",
  "..x",
  ""
]

const anyLine = (random: Random): string => {
  const text = random.oneIn(400) ? "x".repeat(99_990 + random.below(20)) : random.pick(TEXTS)
  const end = random.oneIn(10) ? "\n" : "\r\n"
  // Within a block of data lines have no code.
  if (random.oneIn(4)) return `${text}${end}`
  return `${random.pick(CODES)}${random.pick([" ", " ", "-", "-", "+", "*", ""])}${text}${end}`
}

const generate = (random: Random): CutStream => {
  const count = random.oneIn(60) ? 995 + random.below(10) : 1 + random.below(12)
  const repeated = count > 12 ? anyLine(random).slice(0, 40) : undefined
  const bytes = latin1(Array.from({ length: count }, () => repeated ?? anyLine(random)).join(""))
  return mayBeCut(random.oneIn(3) ? mutateBytes(bytes, random, bytes) : bytes, random)
}

const shown = ({ code, lines }: ControlReply): string => `${code} ${JSON.stringify(lines)}`

/** What a stream says, and what is wrong with what is held of it. */
const heard = (bytes: Uint8Array, ends: ReadonlyArray<number>) => {
  const decoder = replyDecoder()
  const replies: Array<ControlReply> = []
  let fault: string | undefined
  let given = 0
  for (const piece of pieces(bytes, ends)) {
    const answer = decoder.feed(piece)
    given += piece.length
    replies.push(...answer.replies)
    if (fault !== undefined && answer.replies.length > 0) return { replies, fault, wrong: "reads on after a fault" }
    fault = answer.fault
    if (decoder.held() > given) return { replies, fault, wrong: `holds ${decoder.held()} of ${given} bytes` }
    if (fault !== undefined && decoder.held() > 0) return { replies, fault, wrong: "holds something after a fault" }
  }
  return { replies, fault, wrong: undefined }
}

/** What is wrong with a reply that is written as Tor writes it, and read again. */
const againWrong = ({ code, lines }: ControlReply): string | undefined => {
  if (lines.some((line) => line.length > LONGEST_AGAIN)) return undefined
  const digits = String(code).padStart(3, "0")
  const text = lines.map((line, i) => `${digits}${i === lines.length - 1 ? " " : "-"}${line}\r\n`).join("")
  const { fault, replies } = replyDecoder().feed(latin1(text))
  return fault ?? difference("a reply read again", replies.map(shown), [shown({ code, lines })])
}

/** What is wrong with the values in a line, each of which can be written between quotes. */
const valuesWrong = (line: string): string | undefined => {
  for (const [key, value] of [...valuesOf(line), ...valuesOf(splitLine(line).rest)]) {
    const again = valuesOf(`${key}=${quote(value)}`)
    if (again.size !== 1 || again.get(key) !== value) return `the value of ${key} is another one between quotes`
  }
  return undefined
}

/** Bytes of Tor's control port: the same replies however they arrive, in bounded memory, and values as they were. */
export const torControlTarget: Target<CutStream> = {
  name: "tor-control",
  about: "replies of Tor's control port, whole and in pieces, and the values in them",
  generate,
  regressions: REGRESSIONS,
  judge: (stream) => {
    const whole = heard(stream.bytes, [stream.bytes.length])
    const cut = heard(stream.bytes, endsOf(stream))
    const wrong = whole.wrong ?? cut.wrong ?? difference("replies", cut.replies.map(shown), whole.replies.map(shown))
    if (wrong !== undefined) return wrong
    if (whole.fault !== cut.fault) return `the fault is ${cut.fault} in pieces, and ${whole.fault} as a whole`
    for (const reply of whole.replies) {
      if (reply.code >= 600) return "an event is a reply"
      const found = againWrong(reply) ?? reply.lines.map(valuesWrong).find((each) => each !== undefined)
      if (found !== undefined) return found
    }
    return undefined
  }
}
