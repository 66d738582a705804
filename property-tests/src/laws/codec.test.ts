import { readCompactSize } from "@lockstep/kernel/internal/bytes/compact-size.ts"
import { encodeCompactSize } from "@lockstep/kernel/internal/bytes/compact-size.ts"
import { cursorOn } from "@lockstep/kernel/internal/bytes/cursor.ts"
import { decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { decodeTransaction } from "@lockstep/kernel/internal/model/transaction-codec.ts"
import { encodeScriptNumber, scriptNumber } from "@lockstep/kernel/internal/interpreter/script-number.ts"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../agree.ts"
import { anyBlock } from "../arbitraries/block.ts"
import { scriptInteger } from "../arbitraries/number.ts"
import { anyTransaction } from "../arbitraries/transaction.ts"
import { check } from "../check.ts"
import { serializeBlock } from "../oracles/block.ts"
import { serializeTransaction } from "../oracles/transaction.ts"
import { kernelTransaction } from "../subject/kernel.ts"

describe("law: what is written is read back", () => {
  it("transactions, whatever stands around them in the buffer", () => {
    check(
      fc.property(anyTransaction, fc.uint8Array({ maxLength: 5 }), (tx, before) => {
        const bytes = serializeTransaction(tx)
        const buffer = Uint8Array.of(...before, ...bytes, 9, 9)
        const decoded = decodeTransaction(buffer.subarray(before.length, before.length + bytes.length))
        assert(decoded._tag === "Success")
        agree(decoded.success, kernelTransaction(tx))
      })
    )
  })

  it("blocks", () => {
    check(
      fc.property(anyBlock, (block) => {
        const decoded = decodeBlock(serializeBlock(block))
        assert(decoded._tag === "Success")
        agree(decoded.success.header.bytes, block.header)
        agree(decoded.success.transactions, block.transactions.map(kernelTransaction))
      })
    )
  })

  it("compact sizes and script numbers", () => {
    check(
      fc.property(fc.nat(0x02000000), scriptInteger, (size, number) => {
        agree(readCompactSize(cursorOn(encodeCompactSize(size))), size)
        if (number > -(1n << 39n) && number < 1n << 39n) {
          agree(scriptNumber(encodeScriptNumber(Number(number)), 5), Number(number))
        }
      }),
      500
    )
  })
})
