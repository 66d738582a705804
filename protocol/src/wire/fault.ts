import type { MalformedBytes } from "@lockstep/kernel/bytes"

/** The reason why bytes of a connection are no valid frame. Plain data; {@link faultText} formats it. */
export type FrameFault =
  /** The magic of another network, or of another protocol. */
  /** `isFirst` marks the first bytes of a connection that may use either transport. */
  | {
    readonly _tag: "BadMagic"
    readonly expected: Uint8Array
    readonly found: Uint8Array
    readonly isFirst?: boolean
  }
  /** The twelve bytes of the command are not printable ASCII padded with zeros to the end. */
  | { readonly _tag: "BadCommand"; readonly field: Uint8Array; readonly length: number }
  /**
   * A declared length above the limit of the command; nothing of the payload was read. If the command is invalid,
   * `command` has its readable characters (v1) or is empty (v2).
   */
  | { readonly _tag: "TooLarge"; readonly command: string; readonly length: number; readonly most: number }
  | {
    readonly _tag: "BadChecksum"
    readonly command: string
    readonly length: number
    readonly declared: Uint8Array
    readonly computed: Uint8Array
  }
  /** v2 transport: the peer answers like a node that only speaks v1. */
  | { readonly _tag: "AnswersInV1" }
  /** v2 transport: more bytes than garbage may have, without a terminator. */
  | { readonly _tag: "NoTerminator"; readonly most: number }
  /** v2 transport: a packet declares more contents than any message has. */
  | { readonly _tag: "PacketTooLarge"; readonly length: number; readonly most: number }
  /** v2 transport: a packet was not encrypted with the keys of this connection, or data before it was changed. */
  | { readonly _tag: "NotAuthentic"; readonly length: number }
  /** v2 transport: contents that do not begin with a message type. */
  | { readonly _tag: "BadMessageType"; readonly length: number }
  /** QUIC: a length that no message has. */
  | { readonly _tag: "BadLength"; readonly length: number; readonly least: number; readonly most: number }
  /** QUIC: the length of the message differs from the declared one. */
  | { readonly _tag: "OtherLength"; readonly length: number }

/** Bytes of a frame without its payload, and of a packet without its contents. */
const V1_OVERHEAD = 24
const V2_OVERHEAD = 20

/** Faults after which the next frame can be found. */
const PASSING: ReadonlySet<FrameFault["_tag"]> = new Set(["BadCommand", "BadChecksum", "BadMessageType"] as const)

/** Reports whether the next frame cannot be found after a fault. */
export const endsConnection = (
  fault: FrameFault
): fault is Exclude<FrameFault, { readonly _tag: "BadCommand" | "BadChecksum" | "BadMessageType" }> =>
  !PASSING.has(fault._tag)

/** Returns the wire bytes of a message that was skipped because of this fault. */
export const passedOver = (
  fault: Extract<FrameFault, { readonly _tag: "BadCommand" | "BadChecksum" | "BadMessageType" }>
): number => fault.length + (fault._tag === "BadMessageType" ? V2_OVERHEAD : V1_OVERHEAD)

/** Elements of a list or a byte string in a payload. */
export type Counted =
  | "inventory entries"
  | "addresses"
  | "headers"
  | "locator hashes"
  | "transactions"
  | "indexes"
  | "filter hashes"
  | "filter headers"
  | "hashes of a merkle tree"

/** The reason why a payload is not a valid message of its command. `offset` is its position in the payload. */
export type PayloadFault =
  /**
   * The payload ends early, a length is not in its shortest form, or a transaction is invalid. `rule` names the rule.
   */
  | { readonly _tag: "Malformed"; readonly rule: MalformedBytes["rule"]; readonly offset: number }
  | { readonly _tag: "TooMany"; readonly what: Counted; readonly count: number; readonly most: number }
  | {
    readonly _tag: "TooLong"
    readonly what: "user agent" | "address"
    readonly length: number
    readonly most: number
  }
  /** A byte string whose length its message does not allow. */
  | {
    readonly _tag: "WrongLength"
    readonly what: "feature id" | "feature data"
    readonly length: number
    readonly least: number
    readonly most: number
  }
  /** An address of a known network whose length is not that network's. */
  | { readonly _tag: "WrongAddressLength"; readonly network: number; readonly length: number; readonly wanted: number }
  /** A differential index beyond any block. */
  | { readonly _tag: "IndexOverflow"; readonly offset: number }
  /** A flag byte that is neither zero nor one. */
  | { readonly _tag: "NotAFlag"; readonly value: number }

const MALFORMED: Readonly<Record<MalformedBytes["rule"], string>> = {
  "SER-001": "a length that is above the limit or not in its shortest form",
  "SER-003": "the payload ends before what it declares",
  "SER-004": "bytes follow the end",
  "SER-011": "a transaction in witness form without a witness",
  "SER-012": "a transaction with unknown optional data",
  "SER-020": "a header that has not 80 bytes"
}

/** Formats command bytes for people: everything other than printable ASCII as a dot. */
const shown = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("")

const digits = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const frameText = (fault: FrameFault): string => {
  switch (fault._tag) {
    case "BadMagic":
      return `wrong magic ${digits(fault.found)}, this network's is ${digits(fault.expected)}`
    case "BadCommand":
      return `command "${shown(fault.field)}" is not ASCII padded with zeros (${fault.length} bytes)`
    case "TooLarge":
      return `${fault.command || "(no command)"}: ${fault.length} bytes declared, at most ${fault.most} allowed`
    case "BadChecksum":
      return `${fault.command}: checksum ${digits(fault.declared)}, the payload's is ${digits(fault.computed)}`
    case "AnswersInV1":
      return "a message of v1 where the key of v2 is expected"
    case "NoTerminator":
      return `no end of the garbage in ${fault.most} bytes`
    case "PacketTooLarge":
      return `packet with ${fault.length} bytes of contents declared, at most ${fault.most} allowed`
    case "NotAuthentic":
      return `packet with ${fault.length} bytes of contents is not authentic`
    case "BadMessageType":
      return `packet with ${fault.length} bytes of contents has no message type`
    case "BadLength":
      return `${fault.length} bytes announced before a message, ${fault.least} to ${fault.most} allowed`
    case "OtherLength":
      return `${fault.length} bytes announced before a message that has another length`
  }
}

const payloadText = (fault: PayloadFault): string => {
  switch (fault._tag) {
    case "Malformed":
      return `${MALFORMED[fault.rule]} (byte ${fault.offset})`
    case "TooMany":
      return `${fault.count} ${fault.what}, at most ${fault.most} allowed`
    case "TooLong":
      return `${fault.what} of ${fault.length} bytes, at most ${fault.most} allowed`
    case "WrongLength":
      return `${fault.what} of ${fault.length} bytes, ${fault.least} to ${fault.most} allowed`
    case "WrongAddressLength":
      return `address of network ${fault.network} with ${fault.length} bytes instead of ${fault.wanted}`
    case "IndexOverflow":
      return `an index above 65535 (byte ${fault.offset})`
    case "NotAFlag":
      return `invalid sendcmpct announce field, ${fault.value} where only 0 or 1 may stand`
  }
}

const FRAME_FAULTS: ReadonlySet<string> = new Set<FrameFault["_tag"]>([
  "BadMagic",
  "BadCommand",
  "TooLarge",
  "BadChecksum",
  "AnswersInV1",
  "NoTerminator",
  "PacketTooLarge",
  "NotAuthentic",
  "BadMessageType",
  "BadLength",
  "OtherLength"
])

const isFrameFault = (fault: FrameFault | PayloadFault): fault is FrameFault => FRAME_FAULTS.has(fault._tag)

/** Formats a fault for a log or a person. */
export const faultText = (fault: FrameFault | PayloadFault): string =>
  isFrameFault(fault) ? frameText(fault) : payloadText(fault)
