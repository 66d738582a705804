import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { secretKeyOf } from "@lockstep/descriptors/descriptor/key-text.ts"
import { signMessage } from "@lockstep/descriptors/descriptor/signed-message.ts"
import { method } from "./definition/method.ts"
import { text } from "./definition/parameter.ts"
import { callError } from "../queries/call-error.ts"

export const signmessagewithprivkey = method({
  name: "signmessagewithprivkey",
  category: "util",
  privilege: "anyone",
  description: "Signs a message with a private key. The key is used for nothing else and not kept.",
  parameters: {
    privkey: text({ description: "The private key in the wallet import format" }),
    message: text({ description: "The message", takesAnyText: true })
  },
  result: Schema.String.annotate({ description: "The signature in base 64" }),
  examples: [{ params: ["private key", "my message"] }],
  call: ({ message, privkey }, { crypto, network }) => {
    const key = secretKeyOf(privkey, network)
    return key === undefined
      ? Effect.fail(callError("InvalidAddressOrKey", "Invalid private key"))
      : Effect.sync(() => Buffer.from(signMessage(message, key, crypto)).toString("base64"))
  }
})
