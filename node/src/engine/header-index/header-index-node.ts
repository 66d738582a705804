import type { Height } from "@lockstep/kernel/quantities"
import type { HeaderNode } from "@lockstep/kernel/chain"
import type { Header } from "@lockstep/kernel/model"
import { hashBytes, type HeaderRecords, headerBytes, recordChunk, recordOffset } from "./header-records.ts"

/** A view of a header inside its record. */
class RecordHeader implements Header {
  private readonly records: HeaderRecords
  private readonly index: number

  constructor(records: HeaderRecords, index: number) {
    this.records = records
    this.index = index
  }

  private uint32(at: number): number {
    return recordChunk(this.records, this.index).view.getUint32(recordOffset(this.index) + at, true)
  }

  get bytes(): Uint8Array {
    return headerBytes(this.records, this.index)
  }

  get version(): number {
    return this.uint32(0) | 0
  }

  get previous(): Uint8Array {
    return this.bytes.subarray(4, 36)
  }

  get merkleRoot(): Uint8Array {
    return this.bytes.subarray(36, 68)
  }

  get time(): number {
    return this.uint32(68)
  }

  get bits(): number {
    return this.uint32(72)
  }

  get nonce(): number {
    return this.uint32(76)
  }
}

/** A header of the index, as the kernel sees it. It is small, because a million headers have one each. */
export class HeaderIndexNode implements HeaderNode {
  readonly index: number
  readonly height: Height
  readonly parent: HeaderIndexNode | undefined
  readonly skip: HeaderIndexNode | undefined
  readonly chainWork: bigint
  private readonly records: HeaderRecords

  constructor(
    records: HeaderRecords,
    index: number,
    parent: HeaderIndexNode | undefined,
    skip: HeaderIndexNode | undefined,
    chainWork: bigint
  ) {
    this.records = records
    this.index = index
    this.height = parent === undefined ? 0 : parent.height + 1
    this.parent = parent
    this.skip = skip
    this.chainWork = chainWork
  }

  get header(): Header {
    return new RecordHeader(this.records, this.index)
  }

  get hash(): Uint8Array {
    return hashBytes(this.records, this.index)
  }
}
