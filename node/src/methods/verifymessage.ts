import { bytesEqual } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { signerOf } from "@lockstep/descriptors/descriptor/signed-message.ts"
import { scriptOfAddress } from "@lockstep/descriptors/script-text/address.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { callError } from "../queries/call-error.ts"

export const verifymessage = method({
  name: "verifymessage",
  category: "util",
  privilege: "anyone",
  description: "Answers whether the owner of an address signed a message.",
  parameters: {
    address: text({ description: "The address of a key hash" }),
    signature: text({ description: "The signature in base 64", takesAnyText: true }),
    message: text({ description: "The message", takesAnyText: true })
  },
  result: Schema.Boolean,
  examples: [{ params: ["1D1ZrZNe3JUo7ZycKEYQQiQAWd9y54F4XX", "signature", "my message"] }],
  call: Effect.fnUntraced(function*({ address, message, signature }, { crypto, network }) {
    const script = scriptOfAddress(address, network.addresses)
    if (script === undefined) return yield* Effect.fail(callError("InvalidAddressOrKey", "Invalid address"))
    const kind = scriptKind(script)
    if (kind.type !== "pubkeyhash") {
      return yield* Effect.fail(callError("WrongType", "Address does not refer to key"))
    }
    if (Buffer.from(signature, "base64").toString("base64") !== signature) {
      return yield* Effect.fail(callError("WrongType", "Malformed base64 encoding"))
    }
    const key = signerOf(message, Buffer.from(signature, "base64"), crypto)
    return key !== undefined && bytesEqual(crypto.hash160(key), kind.hash)
  })
})
