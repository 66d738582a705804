import type { Role, ServedProtocol } from "./role.ts"
import { MOST_PAYLOAD } from "./wire/frames.ts"
import type { Message, MessageOf } from "./wire/messages.ts"

const VERSION = 2

/** Numbers of the protocols in `SetupConnection`. */
export const PROTOCOLS = { mining: 0, jobDeclaration: 1, templateDistribution: 2 } as const

/** A connection that completed the handshake. */
export interface Connection extends Role {
  /** Returns the maximum bytes of the next payload. */
  readonly mostPayload: () => number
}

/** Serves a connection. It is first set up for one of the protocols, which are given by their numbers. */
export const openConnection = (
  protocols: ReadonlyMap<number, ServedProtocol>,
  send: (message: Message) => void
): Connection => {
  let role: Role | undefined
  let mostPayload = MOST_PAYLOAD

  const refuse = (error_code: string, flags = 0): boolean => {
    send({ _tag: "SetupConnection.Error", flags, error_code })
    return false
  }

  const setUp = ({ flags, max_version, min_version, protocol }: MessageOf<"SetupConnection">): boolean => {
    if (role !== undefined) return refuse("already-set-up")
    const served = protocols.get(protocol)
    if (served === undefined) return refuse("unsupported-protocol")
    if (min_version > VERSION || max_version < VERSION) return refuse("protocol-version-mismatch")
    const wrong = ((flags & ~served.knownFlags) | (served.neededFlags & ~flags)) >>> 0
    if (wrong !== 0) return refuse("unsupported-feature-flags", wrong)
    if (served.isFull()) return refuse("too-many-connections")
    role = served.open(flags)
    mostPayload = served.mostPayload
    send({ _tag: "SetupConnection.Success", used_version: VERSION, flags: 0 })
    return true
  }

  return {
    mostPayload: () => mostPayload,
    take: (message) => message._tag === "SetupConnection" ? setUp(message) : role?.take(message) ?? false,
    newTemplate: (isNewTip) => role?.newTemplate(isNewTip),
    end: () => role?.end()
  }
}
