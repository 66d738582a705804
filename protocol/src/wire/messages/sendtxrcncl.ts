import { readUint32, writeInt64, writerOf, writeUint32 } from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"
import { readUint64 } from "../payload-cursor.ts"

/** The sender can reconcile transactions instead of announcing each (BIP330); before `verack`. */
export interface SendTxRcnclMessage {
  readonly command: "sendtxrcncl"
  /** The newest version that the sender knows; 0 is none. */
  readonly version: number
  /** The sender's half of what short ids are salted with, uint64. */
  readonly salt: bigint
}

export const sendtxrcncl: Codec<SendTxRcnclMessage> = {
  read: (cursor) => {
    const version = readUint32(cursor)
    return { command: "sendtxrcncl", version, salt: readUint64(cursor) }
  },
  write: ({ salt, version }) => {
    const writer = writerOf(12)
    writeUint32(writer, version)
    writeInt64(writer, BigInt.asIntN(64, salt))
    return writer.bytes
  }
}
