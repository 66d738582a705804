import * as Result from "effect/Result"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { readFileSync } from "node:fs"
import { layoutsPage } from "../../src/module-ipc/docs/layouts-page.ts"
import { eventPayload, type ModuleEventPayload } from "../../src/module-ipc/events/event-payloads.ts"
import {
  decodeModuleMessage,
  encodeModuleFrame,
  encodeModuleMessage,
  ipcErrorOf,
  ipcErrorText,
  moduleEvent,
  type ModuleIpcFault,
  moduleIpcFaultText,
  type ModuleMessage,
  moduleRefusal,
  moduleRequest,
  moduleResponse,
  PERMISSION_OF_REQUEST,
  permissionCalled,
  PERMISSIONS,
  REQUEST_TYPES,
  type RequestPayload,
  type ResponsePayload
} from "../../src/module-ipc/index.ts"
import { requestPayload } from "../../src/module-ipc/requests.ts"
import { responsePayload } from "../../src/module-ipc/responses.ts"
import { check } from "../wire/check.ts"
import { fromHex, toHex } from "../wire/hex.ts"
import { anyModuleMessage, consistent, variantsOf } from "./arbitraries.ts"
import { examplesNow, messageText, recordedExamples } from "./recorded-examples.ts"

const decoded = (hex: string): ModuleMessage => Result.getOrThrow(decodeModuleMessage(fromHex(hex.replaceAll(" ", ""))))

const faultIn = (hex: string): ModuleIpcFault => {
  const answer = decodeModuleMessage(fromHex(hex.replaceAll(" ", "")))
  assert(Result.isFailure(answer), "the bytes are a message")
  assert.isNotEmpty(moduleIpcFaultText(answer.failure))
  return answer.failure
}

const comesBack = (message: ModuleMessage): void => {
  assert.deepStrictEqual(Result.getOrThrow(decodeModuleMessage(encodeModuleMessage(message))), message)
}

/** Bytes of examples, written by hand from the rules of bincode 1. */
const ID = "0700000000000000"
const TIP = `00000000 ${ID} 05000000`
const EXAMPLES: ReadonlyArray<readonly [string, string, ModuleMessage]> = [
  [
    "a handshake",
    `00000000 ${ID} 00000000 00000000 0300000000000000612d31 010000000000000061 0500000000000000302e312e30`,
    moduleRequest(7n, { _tag: "Handshake", module_id: "a-1", module_name: "a", version: "0.1.0" })
  ],
  ["a request without fields", `${TIP} 05000000`, moduleRequest(7n, { _tag: "GetChainTip" })],
  [
    "an answer",
    `01000000 ${ID} 01 01 06000000 40e2010000000000 00`,
    moduleResponse(7n, { _tag: "U64", value: 123_456 })
  ],
  [
    "a refusal",
    `01000000 ${ID} 00 00 01 02000000000000006e6f`,
    moduleRefusal(7n, "no")
  ],
  [
    "an event",
    `02000000 00000000 00000000 ${"11".repeat(32)} 0100000000000000`,
    moduleEvent({ _tag: "NewBlock", block_hash: fromHex("11".repeat(32)), height: 1 })
  ],
  [
    "a log line",
    "03000000 03000000 010000000000000061 0200000000000000c3a9 0000000000000000 0100000000000000",
    { _tag: "Log", level: "Warn", module_id: "a", message: "é", target: "", timestamp: 1 }
  ],
  [
    "an invocation",
    `04000000 ${ID} 00000000 010000000000000061 0100000000000000 010000000000000062`,
    { _tag: "Invocation", correlation_id: 7n, invocation_type: { _tag: "Cli", subcommand: "a", args: ["b"] } }
  ],
  [
    "the result of an invocation",
    `05000000 ${ID} 01 01 00000000 0000000000000000 0000000000000000 ffffffff 00`,
    {
      _tag: "InvocationResult",
      correlation_id: 7n,
      success: true,
      payload: { _tag: "Cli", stdout: "", stderr: "", exit_code: -1 },
      error: undefined
    }
  ]
]

describe("messages between the node and a module", () => {
  it.each(EXAMPLES)("%s has the bytes that bincode gives it", (_, hex, message) => {
    assert.strictEqual(toHex(encodeModuleMessage(message)), hex.replaceAll(" ", ""))
    assert.deepStrictEqual(decoded(hex), { ...message })
  })

  it("any message is read back as it was written", () => {
    check(fc.property(anyModuleMessage, comesBack), 300)
  })

  it.each(variantsOf(requestPayload.shape))("the request %s is read back as it was written", (_, payload) => {
    check(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), payload, (id, value) => {
        comesBack(consistent(moduleRequest(id, value as RequestPayload)))
      }),
      10
    )
  })

  it.each(variantsOf(responsePayload.shape))("the answer %s is read back as it was written", (_, payload) => {
    check(fc.property(payload, (value) => comesBack(moduleResponse(1n, value as ResponsePayload))), 10)
  })

  it.each(variantsOf(eventPayload.shape))("the event %s is read back as it was written", (_, payload) => {
    check(fc.property(payload, (value) => comesBack(moduleEvent(value as ModuleEventPayload))), 10)
  })

  it("a frame is the length in four bytes, little-endian, and the message", () => {
    const message = moduleRequest(7n, { _tag: "GetChainTip" })
    assert.strictEqual(toHex(encodeModuleFrame(message)), "14000000" + toHex(encodeModuleMessage(message)))
  })

  it("a block of four megabytes travels without a copy of each byte in JavaScript", () => {
    const block = new Uint8Array(4_000_000).fill(7)
    const bytes = encodeModuleMessage(moduleResponse(1n, { _tag: "Block", value: block }))
    const answer = Result.getOrThrow(decodeModuleMessage(bytes))
    assert(answer._tag === "Response" && answer.payload?._tag === "Block")
    assert.strictEqual(answer.payload.value!.buffer, bytes.buffer)
    assert.strictEqual(answer.payload.value!.length, 4_000_000)
  })
})

describe("recorded messages", () => {
  const recorded = recordedExamples()
  it.each([...examplesNow()])("%s is read as it was recorded, and written the same", (name, line) => {
    const example = recorded.get(name)
    if (example === undefined) assert.fail(`add this line to recorded-examples.jsonl:\n${line}`)
    const message = decoded(example.bytes)
    assert.strictEqual(messageText(message), example.message)
    assert.strictEqual(toHex(encodeModuleMessage(message)), example.bytes)
  })

  it("are of messages that exist", () => {
    assert.deepStrictEqual([...recorded.keys()].filter((name) => !examplesNow().has(name)), [])
  })
})

describe("bytes that are no message", () => {
  it.each<readonly [string, string, ModuleIpcFault]>([
    ["nothing", "", { _tag: "Truncated", offset: 0 }],
    ["a kind that is not there", "06000000", { _tag: "UnknownTag", what: "message", tag: 6, offset: 0 }],
    ["a request without its payload", TIP, { _tag: "Truncated", offset: 16 }],
    [
      "a request type that is not there",
      `00000000 ${ID} 50000000`,
      { _tag: "UnknownTag", what: "request type", tag: 80, offset: 12 }
    ],
    ["another type than the payload's", `${TIP} 06000000`, {
      _tag: "TypeMismatch",
      declared: "GetChainTip",
      found: "GetBlockHeight"
    }],
    ["a byte behind the message", `${TIP} 0500000000`, { _tag: "TrailingBytes", offset: 20, length: 1 }],
    [
      "a text that is longer than the frame",
      "03000000 03000000 ffffffffff1f0000",
      { _tag: "Truncated", offset: 8 }
    ],
    [
      "a length that no number holds",
      "03000000 03000000 ffffffffffffffff",
      { _tag: "NumberTooLarge", offset: 8 }
    ],
    ["a text that is not UTF-8", "03000000 03000000 0100000000000000ff", { _tag: "NotText", offset: 8 }],
    [
      "a boolean of 2",
      `01000000 ${ID} 02`,
      { _tag: "UnknownTag", what: "boolean", tag: 2, offset: 12 }
    ],
    [
      "a presence byte of 2",
      `01000000 ${ID} 01 02`,
      { _tag: "UnknownTag", what: "presence byte", tag: 2, offset: 13 }
    ],
    [
      "more elements than the frame can hold",
      `00000000 ${ID} 08000000 08000000 0200000000000000 00000000`,
      { _tag: "Truncated", offset: 20 }
    ],
    [
      "a number that is not finite",
      `00000000 ${ID} 22000000 22000000 0000000000000000 01000000 000000000000f07f`,
      { _tag: "NotFinite", offset: 32 }
    ],
    [
      "a label that stands twice",
      `00000000 ${ID} 22000000 22000000 0000000000000000 00000000 0000000000000000 0200000000000000 ${
        "0000000000000000".repeat(4)
      } 0000000000000000`,
      { _tag: "DuplicateKey", key: "", offset: 64 }
    ]
  ])("%s is refused", (_, hex, fault) => assert.deepStrictEqual(faultIn(hex), fault))

  it("an event of another type than its payload's is refused where a module publishes it", () => {
    const message = moduleRequest(1n, {
      _tag: "PublishEvent",
      event_type: "NewBlock",
      payload: { _tag: "PeerUnbanned", peer_addr: "" }
    })
    assert.strictEqual(faultIn(toHex(encodeModuleMessage(message)))._tag, "TypeMismatch")
  })

  it("any message cut short is refused", () => {
    check(
      fc.property(anyModuleMessage, fc.nat(), (message, cut) => {
        const bytes = encodeModuleMessage(message)
        faultIn(toHex(bytes.subarray(0, cut % bytes.length)))
      }),
      200
    )
  })

  it("damaged bytes are refused, or are exactly the message they decode to", () => {
    check(
      fc.property(anyModuleMessage, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), (message, changes) => {
        const bytes = Uint8Array.from(encodeModuleMessage(message))
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        const answer = decodeModuleMessage(bytes)
        if (Result.isFailure(answer)) return assert.isNotEmpty(moduleIpcFaultText(answer.failure))
        assert.strictEqual(toHex(encodeModuleMessage(answer.success)), toHex(bytes))
      }),
      500
    )
  })
})

describe("what stands around the messages", () => {
  it("every request but the handshake names a permission, and every permission has both of its names", () => {
    assert.sameMembers(Object.keys(PERMISSION_OF_REQUEST), REQUEST_TYPES.filter((type) => type !== "Handshake"))
    assert.strictEqual(PERMISSIONS.length, 26)
    for (const permission of PERMISSIONS) assert.strictEqual(permissionCalled(permission), permission)
    assert.strictEqual(permissionCalled("ReadUTXO"), "read_utxo")
    assert.strictEqual(permissionCalled("QueueInboundBlock"), "queue_inbound_block")
    assert.isUndefined(permissionCalled("constructor"))
    assert.isUndefined(permissionCalled("Read_utxo"))
  })

  it("an error keeps its kind and its words", () => {
    const errors = [
      { kind: "PermissionDenied", text: "GetUtxo needs read_utxo: it is missing" },
      { kind: undefined, text: "no such file: a.txt" },
      { kind: undefined, text: "Timeout" }
    ] as const
    for (const error of errors) assert.deepStrictEqual(ipcErrorOf(ipcErrorText(error)), error)
    assert.strictEqual(ipcErrorText(errors[0]), "PermissionDenied: GetUtxo needs read_utxo: it is missing")
  })

  it("the page of the layouts is the one that is generated", () => {
    const page = readFileSync(new URL("../../../docs/modules/layouts.md", import.meta.url), "utf8")
    assert.strictEqual(page, layoutsPage(), "run node protocol/src/module-ipc/docs/cli.ts")
  })
})
