import { readUint32, writeInt64, writerOf, writeUint32 } from "@lockstep/kernel/bytes"
import type { Codec } from "../codec.ts"
import { readUint64 } from "../payload-cursor.ts"

/** The sender can reconcile transactions instead of announcing each (BIP330); sent before `verack`. */
export interface SendTxRcnclMessage {
  readonly command: "sendtxrcncl"
  /** The newest version that the sender supports; 0 is invalid. */
  readonly version: number
  /** The sender's half of the salt of short ids, uint64. */
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
